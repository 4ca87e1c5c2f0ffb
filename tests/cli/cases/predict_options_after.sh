"$habitat" predict --to=T4 "$fixtures/step.json" --method=bandwidth --json | grep -c "\"gpu\": \"T4\""
