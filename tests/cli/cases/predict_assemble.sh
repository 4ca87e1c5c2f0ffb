# --assemble and --cpu-scale: the replayed iteration, the busy time, another host; and what is refused.
step=$fixtures/step.json
show() { "$habitat" predict "$step" --to H200-SXM5-141GB,T4 --method bandwidth --csv "$@" 2>/dev/null | cut -d, -f1,3,8-10,17-20; }
show
show --assemble replay | tail -n 2 >again; show | tail -n 2 | cmp - again && echo "replay is the default"
show --assemble sum
show --cpu-scale 20
"$habitat" predict "$step" --to T4 --method bandwidth --cpu-scale 20 | sed -n '/^T4/p;/set by/,/slower it is/p'
"$habitat" predict "$step" --to T4 --method bandwidth --assemble sum | sed -n '/^Note.*busy/,/unknown/p'
for wrong in "--assemble both" "--assemble sum --cpu-scale 2" "--cpu-scale 0" "--cpu-scale -1" "--cpu-scale fast"; do
    "$habitat" predict "$step" --to T4 $wrong; echo "$?"
done
# the origin's rate is that of its recorded iteration, which is said where the two differ in the row
for to in H200-SXM5-141GB T4; do
    "$habitat" predict "$source/data/recordings/resnet50_b16_fp32_h200.json.gz" --assemble sum --to $to --json >out.json
    python3 -c 'import json
out = json.load(open("out.json"))
row = out["predictions"][0]
print(row["gpu"], round(row["samples_per_s"] * row["iteration_ms"] / 1e3, 2), [line for line in out["warnings"] if "samples per second of" in line])'
done
