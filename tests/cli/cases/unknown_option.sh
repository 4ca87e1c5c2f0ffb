"$habitat" predict "$fixtures/step.json" --jsno
