"$habitat" predict "$fixtures/step.json" --to V1000
