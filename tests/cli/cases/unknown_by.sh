"$habitat" predict "$fixtures/step.json" --by layer
