# Several recordings: as many steps as the samples make at the mean batch, (16 + 64) / 2 = 40, (16 + 3 x 64) / 4 = 52.
r16=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
r64=$source/data/recordings/resnet50_b64_fp32_h200.json.gz
for samples in 40 41 80 4000 1000000; do
    printf '%s samples:' "$samples"
    "$habitat" choose "$r16" "$r64" --to L40S,A40 --samples $samples --json 2>/dev/null | sed -n 's/^  "steps": \([0-9]*\),$/ \1 steps/p'
done
printf '5200 samples, weights 1 to 3:'
"$habitat" choose "$r16:1" "$r64:3" --to L40S,A40 --samples 5200 --json 2>/dev/null | sed -n 's/^  "steps": \([0-9]*\),$/ \1 steps/p'
