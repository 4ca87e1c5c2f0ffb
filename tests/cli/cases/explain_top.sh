"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --top 1 | sed -n "/^operation/,/^total/p"
