"$habitat" info "$fixtures/step.json"
