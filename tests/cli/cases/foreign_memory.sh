# Memory of an export of torch.profiler: gradients and state by the shapes of the gradients; of parts that are no iterations nothing.
python3 - <<'P'
import gzip, json, os
trace = json.load(gzip.open(os.environ["source"] + "/data/recordings/bert_large_training_s512_b2_fp32_h200.json.gz"))
print(sum(trace["habitat"]["memory"]["parameter_sizes"]["float32"]) * 4)
del trace["habitat"]
json.dump(trace, open("export.json", "w"))
P
"$habitat" info export.json --json | grep -E '"(iterations|gradients_source|peak_memory_source|parameters_bytes|gradients_bytes|optimizer_bytes)"'
# half a step each: what they hold is no step's memory
python3 -c 'import json
trace = json.load(open("export.json"))
trace["traceEvents"] = [e for e in trace["traceEvents"] if not e["name"].startswith("ProfilerStep")]
json.dump(trace, open("unmarked.json", "w"))'
for n in 1 2; do
    "$habitat" predict unmarked.json --iterations $n --to A100-SXM4-80GB --json | grep -E '"fits"|alike'
done
true
# [memory] events say less is held between two iterations than weights met twice and their state: only the weights are corrected, gradients are known.
# Without the sum of both gradients of the table, which tells that its weights are one.
python3 -c 'import json
trace = json.load(open("export.json"))
kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["name"] != "aten::add" or e["args"].get("Input Dims", [[]])[0] != [30522, 1024]]
begin, end = min(e["ts"] for e in trace["traceEvents"] if e.get("ph") == "X"), max(e["ts"] + e["dur"] for e in kernels)
for ts, total in ((begin - 1, 1360000000), ((begin + end) / 2, 20000000000), (end + 1, 1360000000)):
    trace["traceEvents"].append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
        "args": {"Total Allocated": total, "Total Reserved": total, "Bytes": 512, "Device Type": 1, "Device Id": 0, "Addr": 1}})
json.dump(trace, open("events.json", "w"))'
"$habitat" info events.json --json | grep -E '"(parameters_bytes|gradients_bytes|between_iterations_bytes|peak_memory_source)"'
# the largest batch is one number, also beside a batch that may or may not fit
"$habitat" predict export.json --recorded-batch 2 --batch 1,4 --to T4 --json | grep -E '"(batch_size|fits|largest_batch)"'
