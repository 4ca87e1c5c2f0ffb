"$habitat" predict "$fixtures/step.json" --to T4 --method bandwidth --csv --by op 2>/dev/null
