"$habitat" explain "$fixtures/step.json"
