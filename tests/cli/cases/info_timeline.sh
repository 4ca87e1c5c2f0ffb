# A timeline that habitat wrote says what it is where it is read back.
"$habitat" export --timeline "$fixtures/step.json" --to T4 -o timeline.json 2>/dev/null || "$habitat" export --timeline "$fixtures/step.json" --to T4 >timeline.json
"$habitat" info timeline.json | grep -A1 '^Iterations'
"$habitat" info timeline.json --json | grep -c 'is a prediction that habitat wrote'
"$habitat" info "$fixtures/step.json" | grep '^Iterations'
