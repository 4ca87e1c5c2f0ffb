"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --by kernel | sed -n "/^kernel  /,/^total/p"
