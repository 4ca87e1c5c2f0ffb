"$habitat" predict "$fixtures/step.json" --json=yes
