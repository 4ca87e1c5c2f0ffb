"$habitat" predict "$fixtures/step.json" --to V100-SXM2-32GB,T4,H200-SXM5-141GB,L4 --method bandwidth | sed "/^Note/,\$d"
