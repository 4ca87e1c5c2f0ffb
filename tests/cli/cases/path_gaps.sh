# The critical path's parts: none below 0, together the iteration; this step has no gap on its path.
"$habitat" predict "$source/data/recordings/bert_b2_amp_bf16_h100.json.gz" --to H100-SXM5-80GB,T4 --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    parts = [p["path_cpu_ms"], p["path_kernel_ms"], p["path_gap_ms"]]
    print(p["gpu"], min(parts) >= 0, abs(sum(parts) - p["iteration_ms"]) < 1e-8)'
