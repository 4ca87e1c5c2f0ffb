"$habitat" predict "$fixtures/step.json" --to T4,L4 --method bandwidth --csv 2>/dev/null | sed "s|,[^,]*/step.json|,step.json|"
