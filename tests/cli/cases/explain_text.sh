"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth
"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --top 15
