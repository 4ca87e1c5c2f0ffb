# A failure leaves stdout empty: half a result is no result.
"$habitat" predict no-such-file --json 2>/dev/null
"$habitat" gpus NOPE 2>/dev/null
"$habitat" explain "$fixtures/step.json" --to NOPE --csv 2>/dev/null
echo "end"
