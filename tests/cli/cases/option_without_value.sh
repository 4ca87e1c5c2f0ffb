"$habitat" predict "$fixtures/step.json" --to
