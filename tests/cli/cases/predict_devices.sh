# One program drives two devices: device 0 works 100 us and copies for 50, device 1 waits for it and works 200.
for how in synchronise run messages unlaunched; do python3 "$fixtures/two_devices.py" $how >$how.json; done
# The CPU waits for the end: one after the other, and 11 us of pauses and launches on every GPU. It does not: the busier device sets the pace.
show() {
    "$habitat" predict "$@" --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    busy = [d["busy_ms"] * 1e3 for d in p["by_device"]]
    assert p["busy_ms"] * 1e3 == max(busy) and p["gpus"] == len(busy) and p["memory_bytes"] is None
    print(p["gpu"], "after the sum:", round(p["iteration_ms"] * 1e3 - sum(busy)), "after the busiest:", round(p["iteration_ms"] * 1e3 - max(busy)))'
}
show synchronise.json --to H200-SXM5-141GB,A100-SXM4-80GB,T4
show run.json --to H200-SXM5-141GB,A100-SXM4-80GB,T4
"$habitat" predict synchronise.json --to H200-SXM5-141GB
"$habitat" info run.json | sed -n '/^Devices/,/^Iterations/p'
"$habitat" info run.json --csv | grep '^device\.'
"$habitat" info run.json --json | grep -A12 by_device | tr -d ' \n'; echo
# the copy goes over the link: H200 450 GB/s one way, A100 300
"$habitat" predict run.json --to A100-SXM4-80GB,H200-SXM5-141GB --json | grep '"copy_ms"'
# 1000 samples at 32 a step are 32 steps, on two GPUs: both are paid
sed 's/"schemaVersion": 1/"schemaVersion": 1, "habitat": {"schema": 1, "batch_size": 32, "iteration_ms": 0.4}/' run.json >batch.json
"$habitat" predict batch.json --to T4 --samples 1000 --price T4=0.36 --json | python3 -c '
import json, sys
p = json.load(sys.stdin)["predictions"][0]
ms = p["iteration_ms"]
print(p["usd_per_hour"], round(p["hours"] * 3.6e6 / ms), round(p["samples_per_s"] * ms / 1e3), round(p["usd"] / p["hours"], 4))'
wrong() { "$habitat" "$@"; echo "$?"; }
wrong predict messages.json --to T4
wrong predict messages.json --to T4 --assemble sum >/dev/null
sed '0,/NVIDIA H200/s//NVIDIA T4/' run.json >kinds.json
wrong predict kinds.json --to T4
wrong predict run.json --to T4 --gpus 2
wrong predict batch.json --to T4 --batch 64
wrong predict run.json --to T4 --precision fp32
wrong predict run.json --to T4 --timeline x.json
wrong export --chakra run.json --to T4 -o x.et
wrong predict run.json --to T4 --gpus 1
wrong predict run.json --to T4 --gpus 1 --assemble sum >/dev/null
echo "a fill of 1 us makes no GPU to pay for"
for how in stray third; do
    python3 "$fixtures/two_devices.py" $how >$how.json
    "$habitat" predict $how.json --to T4 --price T4=0.36 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
p = d["predictions"][0]
print(p["gpus"], [r["device"] for r in p.get("by_device", [])], p["usd_per_hour"], [w for w in d["warnings"] if "device" in w])'
done
"$habitat" predict stray.json --to T4 --gpus 1 --csv >/dev/null
echo "the iteration is of all devices, whichever is told of; nothing is said of the CPU"
for sum in "info run.json" "predict run.json --to T4" "predict run.json --to T4 --assemble sum"; do
    "$habitat" $sum --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
t = d.get("trace", d)
print(t["iteration_ms"], t.get("waiting_share"), t.get("bound_by"))'
done
"$habitat" predict run.json --to T4 --assemble sum | grep "GPU times"
"$habitat" predict run.json --assemble sum | grep "GPU times"
echo "a copy over the link is not bound by DRAM; no program of several devices was measured: a default width, but for a recorded time"
"$habitat" explain run.json --to T4 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print([(r["what"], r["bound"], r["words"]) for r in d["reasons"]])'
"$habitat" predict batch.json --to T4,H100-SXM5-80GB,H200-SXM5-141GB --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
for p in d["predictions"]:
    ms = p["iteration_ms"]
    print(p["gpu"], p["interval"], p["interval_basis"], round(ms / p["low_ms"], 4), round(p["high_ms"] / ms, 4))
print([w for w in d["warnings"] if "width" in w])'
echo "the table of devices has the rows of the other, in its order"
"$habitat" predict run.json --to T4,V100-PCIE-32GB,A100-SXM4-80GB --top 2 --sort time | sed -n '/^GPU/,/^Note/p' | sed '/^Note/d'
"$habitat" predict run.json | grep -c "^H100-SXM5-80GB"
"$habitat" predict run.json --all | grep -c "^H100-SXM5-80GB"
echo "no thread launches on both"
python3 - <<'P'
import json
d = json.load(open("run.json"))
for e in d["traceEvents"]:
    if e.get("cat") == "cuda_runtime" and e["args"]["correlation"] == 5:
        e["tid"] = 2
json.dump(d, open("threads.json", "w"))
P
for file in threads unlaunched; do "$habitat" predict $file.json --to T4 --json | grep -E 'by_device|only device'; done
exit 0
