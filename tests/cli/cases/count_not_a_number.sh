"$habitat" explain "$fixtures/step.json" --to T4 --top many
