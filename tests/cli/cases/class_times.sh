# A class has one time, to the last digit, whichever command tells it: its kernels are added in whole nanoseconds.
for name in bert_b32_amp_bf16_h100 gpt2_b4_amp_fp16_h100; do
    trace=$source/data/recordings/$name.json.gz
    "$habitat" info "$trace" --json >info.json
    "$habitat" explain "$trace" --to H100-SXM5-80GB --by class --json >explain.json
    python3 -c '
import json
def times(rows, name, ms): return {row[name]: row[ms] for row in rows}
explain = json.load(open("explain.json"))
rows = times(explain["rows"], "class" if "class" in explain["rows"][0] else "name", "origin_ms")
totals = times(explain["prediction"]["by_class"], "class", "origin_ms")
info = times(json.load(open("info.json"))["by_class"], "class", "ms")
print(len(totals) > 5 and all(rows[c] == totals[c] == info[c] for c in totals))'
done
# What a class took on the origin is what was recorded, whatever a row's GPU, batch or format makes of it.
for options in "--to T4" "--to A100-SXM4-80GB" "--to T4 --batch 8" "--to L4 --precision amp-fp16"; do
    # shellcheck disable=SC2086
    "$habitat" predict "$source/data/recordings/resnet50_b16_amp_bf16_h200.json.gz" $options --json 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(abs(sum(c["origin_ms"] for c in d["predictions"][0]["by_class"]) - d["trace"]["kernel_ms"]) < 1e-9)'
done
"$habitat" explain "$source/data/recordings/resnet50_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --by class 2>/dev/null | sed -n '/^What makes/p; s/^total  */total /p'
