# --gpus: several GPUs share the gradients; and what is refused.
step=$source/data/recordings/two_gpus/resnet50_b16_fp32_h200.json.gz
for n in 1 2 8; do
    "$habitat" predict "$step" --to H200-SXM5-141GB --method bandwidth --gpus $n --csv 2>/dev/null >$n.csv
    awk -F, -v n=$n 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print n, $at["gpus"], ($at["communication_ms"] > 0), ($at["exposed_communication_ms"] > 0),
              int($at["samples_per_s"] / n / 600) }' $n.csv
done
"$habitat" predict "$step" --to H200-SXM5-141GB --gpus 2 --json | grep -cE '"(gpus|communication_ms|exposed_communication_ms)":'
"$habitat" predict "$step" --to H200-SXM5-141GB --method bandwidth --gpus 16 --csv | wc -l | tr -d " "
bytes() { "$habitat" predict "$step" --to H200-SXM5-141GB --gpus $1 --json | sed -n 's/.*"memory_bytes": \([0-9]*\).*/\1/p'; }
echo "buckets: $(($(bytes 2) - $(bytes 1)))"
for wrong in "--gpus 0x" "--gpus 70000" "--gpus 2 --assemble sum" "--gpus 2 --timeline x"; do
    "$habitat" predict "$step" --to H200-SXM5-141GB $wrong; echo "$?"
done
"$habitat" predict "$fixtures/step.json" --to T4 --gpus 2; echo "$?"
# an export that does not list its parameters: those whose gradients have shapes
python3 - <<'P'
import gzip, json, os
trace = json.load(gzip.open(os.environ["source"] + "/data/recordings/bert_large_training_s512_b2_fp32_h200.json.gz"))
del trace["habitat"]["memory"]["parameter_sizes"]
json.dump(trace, open("shapes.json", "w"))
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["name"] != "torch::autograd::AccumulateGrad"]
json.dump(trace, open("none.json", "w"))
P
for file in "$source/data/recordings/bert_large_training_s512_b2_fp32_h200.json.gz" shapes.json; do
    "$habitat" predict "$file" --to T4,L4 --gpus 8 --json >out.json
    python3 -c 'import json
out = json.load(open("out.json"))
print(out["trace"]["gradients_source"], [(row["iteration_ms"], row["communication_ms"]) for row in out["predictions"]])
print([line for line in out["warnings"] if "gradients" in line])'
done
"$habitat" info none.json --json | grep gradients_source
"$habitat" info none.json | grep -A 1 "sizes of gradients"
"$habitat" predict none.json --to T4 --gpus 2; echo "$?"
