# The keys of the contract; nothing fits: recommended is null, exit 0; weights; old prices in text.
trace="$source/data/recordings/resnet50_b64_fp32_h200.json.gz"
small="$source/data/recordings/resnet50_b4_fp32_h200.json.gz"
export SOURCE_DATE_EPOCH=1795305600
"$habitat" choose "$trace:3" "$small" --json --steps 1000 --deadline 1d >out.json || echo failed
"$habitat" choose "$trace" --json --max-usd-hour 0.0001 >none.json || echo failed
python3 - <<'P'
import json
out, none = json.load(open("out.json")), json.load(open("none.json"))
print(sorted(out))
print(sorted(out["ranking"][0]))
print(out["recommended"] == out["ranking"][0]["gpu"], out["reason"].startswith(out["recommended"]))
print([t["weight"] for t in out["traces"]], out["steps"])
first = out["ranking"][0]
print(abs(first["usd_per_1000_iterations"] - first["iteration_ms"] * first["usd_per_hour"] / 3600) < 1e-12)
print(abs(first["usd"] - first["usd_per_1000_iterations"]) < 1e-12, first["usd"] == first["hours"] * first["usd_per_hour"])
print(all(a["value"] <= b["value"] for a, b in zip(out["ranking"], out["ranking"][1:])))
print(all(not r["gpu"].startswith("MI") for r in out["ranking"]), out["samples_per_usd"] if "samples_per_usd" in out else "")
print(first["value_unit"], first["value"] == first[first["value_unit"]])
print(none["recommended"], none["ranking"], none["reason"], len(none["excluded"]) > 60)
print(sorted({e["reason"] for e in none["excluded"] if "costs" not in e["reason"]}))
P
for objective in cost time energy; do
    for batch in 64 64,128; do
        "$habitat" choose "$trace" --to T4,L4 --objective $objective --batch $batch --csv 2>/dev/null | awk -F, 'NR == 2 { print $NF }'
    done
done
"$habitat" choose "$trace" --to T4,V100-SXM2-16GB,H200 | grep months
