"$habitat" predict "$fixtures/step.json" --to "Tesla V100" --json | grep taken | sed -n 1p
