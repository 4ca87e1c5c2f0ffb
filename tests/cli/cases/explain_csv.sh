"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --csv 2>/dev/null
