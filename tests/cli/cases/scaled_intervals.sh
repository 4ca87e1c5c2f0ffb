# A step in another precision or batch size is known on another GPU of the same chip no better than on the recorded one.
for recording in gpt2_b4_tf32_h200:fp32 bert_b8_fp32_h100:tf32 bert_b8_fp32_h200:amp-bf16; do
    for asked in "--precision ${recording#*:}" "--batch 16"; do
        # shellcheck disable=SC2086 # options
        "$habitat" predict "$source/data/recordings/${recording%:*}.json.gz" $asked --assemble sum \
            --to H200-SXM5-141GB,H100-SXM5-80GB --json 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
ends = {row["gpu"]: (row["iteration_ms"] / row["low_ms"], row["high_ms"] / row["iteration_ms"]) for row in answer["predictions"]}
own = ends.pop(answer["trace"]["gpu"])
(other,) = ends.values()
print(other[0] >= own[0] * (1 - 1e-9), other[1] >= own[1] * (1 - 1e-9), sys.argv[1])' "$recording $asked"
    done
done
