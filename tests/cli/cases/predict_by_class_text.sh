"$habitat" predict "$fixtures/step.json" --to T4,L4,H200-NVL-141GB --method bandwidth --by class | sed "/^Note/,\$d"
