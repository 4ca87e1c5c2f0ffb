# Another GPU is in another host, for which its interval allows until --cpu-scale says; the recorded GPU is in its own. The note says so where such rows are.
# A copy of the recorded GPU under another name is another one, at the recorded batch size as at others.
recording=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
python3 -c '
import json, sys
gpu = json.load(open(sys.argv[1]))
gpu.update(name="TWIN", aliases=[], family_aliases=[])
json.dump(gpu, open("twin.json", "w"))' "$source/data/gpus/H200-SXM5-141GB.json"
for asked in "--to H200-SXM5-141GB" "--to H200-SXM5-141GB,H100-SXM5-80GB" "--to H200-SXM5-141GB,H100-SXM5-80GB --cpu-scale 1" \
    "--to TWIN --gpu-file twin.json" "--to TWIN --gpu-file twin.json --batch 8" "--to TWIN --gpu-file twin.json --cpu-scale 1"; do
    echo "$asked"
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" $asked --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print([w.partition("another answer")[2] for w in d["warnings"] if "set by the CPU" in w])
for p in d["predictions"]:
    print(p["gpu"], *(round(p[k], 2) for k in ("low_ms", "iteration_ms", "high_ms")))'
done
