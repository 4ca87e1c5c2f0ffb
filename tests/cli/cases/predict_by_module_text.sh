"$habitat" predict "$fixtures/step.json" --to T4,L4 --method bandwidth --by module | sed "/^Note/,\$d"
