# The CPU's side of a recording without a GPU is that of the middle of hosts: --cpu-scale multiplies it, and --host FILE does by what a
# calibration says of a host beside the middle's own figures (5.75, 27 and 92 us: twice as slow here).
step=$fixtures/no_gpu_layers.json.gz
printf '{"schema": 1, "calibration_of": "T4", "host": {"launch_ns": 11500, "launch_spread": 0.05, "forward_ns": 54000, "forward_spread": 0.25, "backward_ns": 184000,
 "backward_spread": 0}, "sources": {"calibration": {"covers": ["host"], "title": "x", "publisher": "me", "date": "2026"}}}' >slow.json
of() {
    "$habitat" predict "$step" --to H200-SXM5-141GB --json "$@" 2>/dev/null | python3 -c '
import json, sys
row = json.load(sys.stdin)["predictions"][0]
print(" ".join(sys.argv[1:]) or "as it is", *("%s %.4g" % (key, row[key]) for key in ("iteration_ms", "low_ms", "high_ms", "cpu_ms", "gpu_ms")), row["bound_by"])' "$@"
}
of
of --cpu-scale 1
of --cpu-scale 2
of --cpu-scale 0.5
of --host slow.json
of --host slow.json --gpus 2
"$habitat" predict "$step" --to H200-SXM5-141GB --host slow.json 2>/dev/null | grep -E -A 1 "beside the middle|factor of 1.31"
"$habitat" export --timeline "$step" --to H200-SXM5-141GB --cpu-scale 2 2>/dev/null | python3 -c '
import json, sys
print("%.4g ms" % json.load(sys.stdin)["habitat_prediction"]["iteration_ms"])'
for wrong in "--host slow.json --recorded-host slow.json" "--host slow.json --assemble sum" "--host slow.json --cpu-scale 2" "--host none.json"; do
    "$habitat" predict "$step" --to T4 $wrong; echo "$?"
done
