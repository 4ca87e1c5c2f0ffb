# Several GPUs of a recording without one: gradients shared, weights in parts, files of what was predicted.
step=$fixtures/no_gpu_layers.json.gz
"$habitat" predict "$step" --to H200-SXM5-141GB,L40S --gpus 1,2,8
"$habitat" predict "$step" --to L40S --gpus 2,8 --sharded --json 2>/dev/null >parts.json
grep -E '"(gpus|sharded_layers|assemble|cpu_basis|interval_basis|gradients)":' parts.json
# memory of each: the buckets on top; what the others keep away
for n in 1 2 "2 --sharded" "8 --sharded"; do
    "$habitat" predict "$step" --to L40S --gpus $n --json 2>/dev/null | python3 -c '
import json, sys
row = json.load(sys.stdin)["predictions"][0]
print(sys.argv[1], round(row["memory_bytes"] / 1e6), row["low_ms"] < row["iteration_ms"] < row["high_ms"])' "${n#* }"
done
# one GPU is the longer of its kernels and its CPU, with and without a number
for more in "" "--gpus 1"; do "$habitat" predict "$step" --to L40S $more --json 2>/dev/null; done | grep '"iteration_ms": [0-9]' | sort -u | wc -l
"$habitat" choose "$step" --to H200-SXM5-141GB,L40S --gpus 2,4 --sharded --samples 1e6 2>/dev/null | sed -n 1,8p
# files: the order of its operations, on a GPU that nobody had
"$habitat" export --timeline "$step" --to L40S -o line.json
"$habitat" predict line.json --to L40S --json 2>/dev/null | grep -m1 '"kernel_ms": [0-9]'
python3 - <<'P'
import json
data = json.load(open("line.json"))
print(data["habitat_prediction"])
cpu, gpu = ([e for e in data["traceEvents"] if e["ph"] == "X" and e["pid"] == pid] for pid in (1, 0))
print(len(gpu), {e["args"]["stream"] for e in gpu}, sorted({key for e in gpu for key in e["args"]}))
print(all(a["ts"] + a["dur"] <= b["ts"] + 1e-6 for a, b in zip(gpu, gpu[1:])))
print(round(sum(e["dur"] for e in gpu) / 1e3, 2))
P
"$habitat" export --chakra "$step" --to L40S --gpus 2 --sharded -o parts 2>/dev/null
for message in "all-gather of a layer's weights" "reduce-scatter of a layer's gradients"; do
    echo "$(grep -ac "$message" parts/rank.0.et) $message"
done
"$habitat" export --chakra "$step" --to L40S -o one.et && grep -ac recorded_ns one.et
for wrong in "--gpus 2 --precision fp32" "--gpus 2 --assemble sum"; do
    "$habitat" predict "$step" --to L40S $wrong; echo "$?"
done
# of several iterations the first one counts
zcat "$step" | python3 -c '
import json, sys
trace = json.load(sys.stdin)
span = max(e["ts"] + e["dur"] for e in trace["traceEvents"]) + 10
number = "Sequence number"
trace["traceEvents"] += [{**e, "ts": e["ts"] + span, "name": e["name"].replace("Step#0", "Step#1"),
                          "args": {**e["args"], **({number: e["args"][number] + 1000000} if number in e["args"] else {})}}
                         for e in trace["traceEvents"]]
json.dump(trace, sys.stdout)' >twice.json
for more in "--gpus 2" "--gpus 2 --sharded"; do
    for trace in "$step" twice.json; do "$habitat" predict "$trace" --to L40S $more --json 2>/dev/null | grep '"iteration_ms": [0-9]'; done | sort -u | wc -l
done
# what does not fit is what it needs: there is no GPU that anything was in use on
zcat "$step" | sed 's/"peak_memory_bytes":[0-9]*/"peak_memory_bytes":50000000000/' >large.json
"$habitat" predict large.json --to L40S 2>/dev/null | grep small:
"$habitat" choose large.json --to L40S --json 2>/dev/null | grep '"reason"'
