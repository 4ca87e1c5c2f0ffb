# Where the head's time is not what ratios are to, it says so, and JSON has that time: a profiled iteration, another CPU.
data=$source/data/recordings
head() { "$habitat" predict "$@" --to T4 2>/dev/null | sed '/^$/,$d' | tr '\n' ' ' | grep -o '(.*)'; }
same() { "$habitat" predict "$@" --json 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print(row["gpu"], abs(row["iteration_ms"] / row["origin_iteration_ms"] - row["ratio"]) < 1e-9, "%.4g" % row["origin_iteration_ms"])'; }
step=$data/new_models/on_h100/resnext50_b16_fp32_h100.json.gz
head "$step"
same "$step" --to H100-SXM5-80GB,T4
head "$data/resnet50_b4_fp32_h200.json.gz" --cpu-scale 0.5
same "$data/resnet50_b4_fp32_h200.json.gz" --cpu-scale 0.5 --to T4
head "$data/resnet50_b4_fp32_h200.json.gz"
