"$habitat" predict "$fixtures/step.json" --to T4 --method wavee
