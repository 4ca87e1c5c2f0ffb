# Memory of an export of torch.profiler: gradients and state by the shapes of the gradients; of parts that are no iterations nothing.
python3 - <<'P'
import gzip, json, os
trace = json.load(gzip.open(os.environ["source"] + "/data/recordings/bert_large_training_s512_b2_fp32_h200.json.gz"))
print(sum(trace["habitat"]["memory"]["parameter_sizes"]["float32"]) * 4)
del trace["habitat"]
json.dump(trace, open("export.json", "w"))
P
"$habitat" info export.json --json | grep -E '"(iterations|gradients_source|peak_memory_source|gradients_bytes|optimizer_bytes)"'
# half a step each: what they hold is no step's memory
python3 -c 'import json
trace = json.load(open("export.json"))
trace["traceEvents"] = [e for e in trace["traceEvents"] if not e["name"].startswith("ProfilerStep")]
json.dump(trace, open("unmarked.json", "w"))'
for n in 1 2; do
    "$habitat" predict unmarked.json --iterations $n --to A100-SXM4-80GB --json | grep -E '"fits"|alike'
done
true
