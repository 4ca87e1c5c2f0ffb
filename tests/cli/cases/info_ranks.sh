# info --ranks: two ranks made by hand. Rank 0 computes 2 x 100 us; its collective of 250 us is 200 of waiting and 50 of message,
# and nothing runs beside it. Rank 1 computes 300 + 100 us; its collective of 50 us is the message: it came last.
cp "$fixtures/rank0.json" "$fixtures/rank1.json" .
show() {
    "$habitat" info "$@" --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
keys = ("iteration_ms", "compute_ms", "communication_ms", "exposed_communication_ms", "waiting_ms", "exposed_waiting_ms", "clock_offset_ms")
for r in d["ranks"]:
    print(r["rank"], r["file"], r["iteration_source"], r["last_to_messages"], *(None if r[k] is None else round(r[k] * 1e3, 3) for k in keys))
print(d["messages"], d["slow_rank"])'
}
"$habitat" info --ranks rank0.json,rank1.json
show --ranks rank0.json rank1.json
show --ranks rank1.json --ranks rank0.json
"$habitat" info --ranks rank0.json,rank1.json --csv | grep -E '^(rank\.|messages,|slow_rank,)'
echo "clocks: both messages end at 362 us of their files, whose first events are at 1 and 1.005 s of their hosts"
sed 's/"schemaVersion": 1/"schemaVersion": 1, "baseTimeNanoseconds": 1000000000/' rank0.json >a.json
sed 's/"schemaVersion": 1/"schemaVersion": 1, "baseTimeNanoseconds": 1005000000/' rank1.json >b.json
show --ranks a.json,b.json
echo "a base time that is none is not known"
sed 's/"schemaVersion": 1/"schemaVersion": 1, "baseTimeNanoseconds": -7/' rank1.json >b.json
show --ranks a.json,b.json
echo "a kernel of 250 us beside rank 0's collective: of its waiting 10 us are exposed; its GPU works as rank 1's does"
python3 - <<'P'
import json
d = json.load(open("rank0.json"))
kernel = next(e for e in d["traceEvents"] if e["name"].startswith("ncclDevKernel"))
beside = {**kernel, "name": "sgemm_beside", "ts": kernel["ts"], "dur": 190.0, "args": {k: v for k, v in kernel["args"].items() if k in ("device", "correlation", "grid", "block")} | {"stream": 9}}
d["traceEvents"].append(beside)
json.dump(d, open("beside.json", "w"))
P
show --ranks beside.json,rank1.json
echo "three steps: three messages, to each of which rank 1 comes last"
python3 - <<'P'
import json
for rank in (0, 1):
    d = json.load(open(f"rank{rank}.json"))
    once, d["traceEvents"] = d["traceEvents"], []
    for step in range(3):
        for event in once:
            args = event.get("args", {})
            more = {"args": {**args, "correlation": args["correlation"] + 100 * step}} if "correlation" in args else {}
            name = f"ProfilerStep#{3 + step}" if event["name"].startswith("ProfilerStep") else event["name"]
            d["traceEvents"].append({**event, "name": name, "ts": event["ts"] + 1000 * step, **more})
    json.dump(d, open(f"steps{rank}.json", "w"))
P
show --ranks steps0.json,steps1.json
"$habitat" info --ranks steps0.json,steps1.json --csv | grep -E 'messages,'
"$habitat" info --ranks steps0.json,steps1.json | grep -A2 '^Slow'
"$habitat" predict --ranks steps0.json,steps1.json --to H200-SXM5-141GB | grep -A1 'replayed together'
echo "a GPU that the table does not have"
for n in 0 1; do sed 's/NVIDIA H200/NVIDIA Z9/' rank$n.json >unknown$n.json; done
show --ranks unknown0.json,unknown1.json
wrong() { "$habitat" info "$@"; echo "$?"; }
wrong --ranks rank0.json
wrong --ranks rank0.json,rank0.json
wrong --ranks rank0.json "$fixtures/no_gpu.json"
wrong --ranks rank0.json,"$fixtures/step.json"
wrong --ranks rank0.json,missing.json
two=$source/data/recordings/two_gpus
for model in resnet50_b64_tf32 vit_b64_tf32 bert_large_b8_tf32; do
    cp "$two/$model.rank0.json.gz" "$two/$model.rank1.json.gz" .
    "$habitat" info --ranks "$model.rank0.json.gz,$model.rank1.json.gz" | sed -n '/^     iteration/,/^Not in/p'
done
