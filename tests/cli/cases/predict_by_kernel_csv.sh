"$habitat" predict "$fixtures/step.json" --to T4 --method bandwidth --csv --by kernel 2>/dev/null
