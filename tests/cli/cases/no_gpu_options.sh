# What can be asked of a recording without a GPU is answered; what needs measured times is refused before any file is written.
trace=$fixtures/no_gpu.json
cp "$trace" again.json
run() { "$habitat" "$@" >out; echo "exit $?, $(wc -l <out | tr -d ' ') lines"; }
for wrong in "--cpu-scale 0" "--gpus 4" "--batch 128" "--batch 128 --batch-from again.json" "--precision tf32" \
    "--from T4" "--iterations 3"; do
    run predict "$trace" --to T4 $wrong
done
run info "$trace" --from T4
rm again.json; ls
# one GPU, its batch, and costs: where the CPU is slower by rule, samples and dollars are as unknown as samples per second
rows() { python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print([row[k] if not isinstance(row[k], float) else "%.3g" % row[k] for k in
           ("gpu", "gpus", "batch_size", "bound_by", "samples_per_s", "samples_per_usd", "hours", "usd")])'; }
"$habitat" predict "$trace" --to T4,H200-SXM5-141GB --price T4=1 --price H200-SXM5-141GB=4 --samples 6400 --gpus 1 --json | rows
sed 's/"batch_size":64/"batch_size":null/' "$trace" >unknown.json
"$habitat" predict unknown.json --to T4 --price T4=1 --steps 100 --json | rows
"$habitat" predict unknown.json --to T4 --samples 100 2>&1
for by in kernel op class module; do
    for form in "" --json --csv; do
        "$habitat" predict "$trace" --to T4 --by $by $form 2>/dev/null >out && "$habitat" explain "$trace" --to T4 --by $by $form 2>/dev/null >>out || echo "$by $form: failed"
        grep -wniE 'nan|inf' out
    done
done
for objective in cost time energy; do
    "$habitat" choose "$trace" --objective $objective --steps 100 | grep -wE 'nan|inf|-nan'
done
"$habitat" choose "$trace" | grep '^Note: recorded'
# --assemble replay is the default; the busy time says nothing of a CPU that it leaves out
"$habitat" predict "$trace" --to H200-SXM5-141GB --csv 2>/dev/null >usual.csv
"$habitat" predict "$trace" --to H200-SXM5-141GB --assemble replay --csv 2>/dev/null | cmp - usual.csv && echo "replay is the default"
"$habitat" predict "$trace" --to H200-SXM5-141GB --assemble sum --json | python3 -c '
import json, sys
row = json.load(sys.stdin)["predictions"][0]
print(row["iteration_ms"] == row["busy_ms"], [row[k] for k in ("assemble", "cpu_ms", "gpu_ms", "cpu_basis", "path_cpu_ms", "samples_per_s", "at_least")])'
