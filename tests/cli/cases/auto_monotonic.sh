# A better GPU in a user's file is never slower: each rate of a built-in GPU raised in turn.
cat >better.py <<'P'
import json, os, pathlib
gpu = json.loads((pathlib.Path(os.environ["source"]) / "data/gpus/A100-SXM4-80GB.json").read_text())
gpu["aliases"] = []
for number, key in enumerate((None, "memory_bandwidth_gb_per_s", "boost_clock_mhz", "sm_count", "l2_mib")):
    made = json.loads(json.dumps(gpu))
    made["name"] = "A100-SXM4-80GB"
    if key:
        made[key] = int(made[key] * 1.3)
    if key == "memory_bandwidth_gb_per_s":
        made.setdefault("sustained", {})["dram_gb_per_s"] = gpu["sustained"]["dram_gb_per_s"] * 1.3
    pathlib.Path(f"{number}.json").write_text(json.dumps(made))
P
python3 better.py
for trace in gpt2_b8_bf16_h200 bert_large_training_s512_b8_fp32_h200 resnet50_b16_fp32_h200; do
    for n in 0 1 2 3 4; do
        "$habitat" predict "$source/data/recordings/$trace.json.gz" --gpu-file $n.json --to A100-SXM4-80GB --csv \
            2>/dev/null | awk -F, 'NR == 2 { print $3 }'
    done | awk -v t=$trace 'NR == 1 { base = $1 } NR > 1 && $1 > base * (1 + 1e-12) { bad++ } END { print t ": " NR " predictions, " bad + 0 " slower" }'
done
