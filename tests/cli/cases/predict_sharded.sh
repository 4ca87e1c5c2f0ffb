# --sharded: weights, gradients and states in parts; and what is refused.
step=$source/data/recordings/two_gpus/bert_large_b8_tf32_h200.json.gz
"$habitat" predict "$step" --to H200-SXM5-141GB,L40S --gpus 1,2,8 --sharded
"$habitat" predict "$step" --to L40S --gpus 1,8 --sharded --json 2>/dev/null | grep -E '"(gpus|sharded_layers|memory_bytes)":'
for wrong in "" "--gpus 1" "--gpus 2 --assemble sum" "--gpus 2 --ranks $step"; do
    "$habitat" predict "$step" --to L40S --sharded $wrong; echo "$?"
done
"$habitat" choose "$step" --to L40S,A100-SXM4-80GB --gpus 2,4 --sharded --top 2 | sed -n 1,10p
"$habitat" export --chakra "$step" --to L40S --gpus 2 --sharded -o out 2>/dev/null
for message in "all-gather of a layer's weights" "reduce-scatter of a layer's gradients" "all-reduce of a bucket"; do
    echo "$(grep -ac "$message" out/rank.0.et) $message"
done
cmp out/rank.0.et out/rank.1.et
# The optimiser's part is less work than its whole: busy, idle and exposed are all of the iteration, and energy is of what is busy.
"$habitat" predict "$source/data/recordings/llama_b2_bf16_h100.json.gz" --to L4,A2 --gpus 1,2,8 --sharded --json 2>/dev/null >rows.json
python3 - <<'P'
import json

for p in json.load(open("rows.json"))["predictions"]:
    rest = p["iteration_ms"] - p["busy_ms"] - p["idle_ms"] - p["exposed_communication_ms"]
    print(p["gpu"], p["gpus"], "all of it" if abs(rest) < 1e-6 * p["iteration_ms"] else f"{rest:.4g} ms of it nowhere",
          f"busy {p['busy_ms'] / p['kernel_ms']:.2f}, energy {p['energy_j'] / p['gpus'] / p['busy_ms']:.3f}")
P
