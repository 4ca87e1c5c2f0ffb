"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth | sed "/^Note/,\$d"
