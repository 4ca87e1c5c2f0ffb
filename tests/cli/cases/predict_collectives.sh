# One of two GPUs waits for the other: on every GPU its own kernels fit into the iteration, and a
# note says how long it waited.
trace=$source/tests/golden/traces/ddp_resnet50_b32_one_of_two_h200_waits.json.gz
for method in auto bandwidth wave; do
    "$habitat" predict "$trace" --method $method --by kernel --json 2>/dev/null >out.json || exit 1
    python3 - $method <<'PY' || exit 1
import json, sys
out = json.load(open("out.json"))
for p in out["predictions"]:
    own = sum(k["ms"] for k in p["by_kernel"] if not k["kernel"].startswith(("nccl", "Mem")))
    assert p["gpu"] == "H200-SXM5-141GB" or p["iteration_ms"] > own, (p["gpu"], p["iteration_ms"], own)
print(sys.argv[1], len(out["predictions"]) > 50)
PY
done
"$habitat" predict "$trace" --to T4 | sed -n '/collective/,/none$/p'
"$habitat" predict "$trace" --to H200-SXM5-141GB,T4,V100-PCIE-32GB,A40 --method bandwidth --csv 2>/dev/null |
    cut -d, -f1,3-5,7,8
