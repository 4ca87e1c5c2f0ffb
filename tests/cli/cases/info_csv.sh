"$habitat" info "$fixtures/step.json" --csv | sed "s|^file,.*/|file,|"
