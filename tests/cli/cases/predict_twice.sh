# One GPU named twice, by two names, is one prediction; the order asked for is kept.
"$habitat" predict "$fixtures/step.json" --to T4,L4 --to "Tesla T4" --json 2>/dev/null | grep "\"gpu\""
