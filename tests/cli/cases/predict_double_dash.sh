cp "$fixtures/step.json" ./--to
"$habitat" predict --to T4 --json -- --to | grep -c "\"gpu\": \"T4\""
