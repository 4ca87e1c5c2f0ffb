# An unknown name is all that is said, whatever is taken for the others.
"$habitat" predict "$fixtures/step.json" --to V1000 || true
"$habitat" predict "$fixtures/step.json" --to H100,V1000
