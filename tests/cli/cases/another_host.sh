# Another GPU is in another host, for which its interval allows until --cpu-scale says; the recorded GPU is in its own. The note says so where such rows are.
recording=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
for asked in "--to H200-SXM5-141GB" "--to H200-SXM5-141GB,H100-SXM5-80GB" "--to H200-SXM5-141GB,H100-SXM5-80GB --cpu-scale 1"; do
    echo "$asked"
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" $asked --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print([w.partition("another answer")[2] for w in d["warnings"] if "set by the CPU" in w])
for p in d["predictions"]:
    print(p["gpu"], *(round(p[k], 2) for k in ("low_ms", "iteration_ms", "high_ms")))'
done
