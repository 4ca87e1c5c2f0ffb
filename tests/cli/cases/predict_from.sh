# A GPU named by the user stands in for what the trace says.
"$habitat" predict "$fixtures/step.json" --from T4 --to T4 --json | grep "\"gpu\"" | sed -n 1p
