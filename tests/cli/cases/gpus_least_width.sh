# An interval is never narrower than 3 % either way (habitat-predict(1)), of several GPUs neither, whose
# messages add to the iteration what they do not add to its doubt.
for n in gnmt_b48_fp32_h200 bert_b2_amp_bf16_h100 vit_b64_amp_bf16_h100; do
    "$habitat" predict "$source/data/recordings/$n.json.gz" --gpus 1,2,8,64 --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["predictions"]
narrow = [r["gpu"] for r in rows if r["iteration_ms"] < 1.03 * r["low_ms"] * (1 - 1e-12) or r["high_ms"] < 1.03 * r["iteration_ms"] * (1 - 1e-12)]
print(sys.argv[1], len(rows) > 600, "narrower:", len(narrow))' $n
done
