# What `choose` and `predict` both say of a GPU is the same, to the last bit. Where a GPU waits for its CPU in a sum, both say what
# hours and dollars are at least.
same() {
    "$habitat" predict "$@" --json >predict.json 2>/dev/null && "$habitat" choose "$@" --vendor any --objective time --json >choose.json 2>/dev/null || echo "failed: $*"
    python3 -c '
import json
rows = {row["gpu"]: row for row in json.load(open("predict.json"))["predictions"]}
chosen = json.load(open("choose.json"))
ranking = chosen["ranking"]
keys = [key for key in ranking[0] if key in next(iter(rows.values()))]
print(len(ranking) > 5, *keys)
for row in ranking:
    for key in keys:
        other = rows[row["gpu"]]
        if other[key] != row[key]:
            print(row["gpu"], key, row[key], other[key])
print("at least:", chosen["at_least"], sum(rows[row["gpu"]]["at_least"] for row in ranking))'
}
same "$source/data/recordings/resnet50_b16_amp_fp16_h200.json.gz" --steps 1000
same "$fixtures/step.json" --samples 100000
same "$fixtures/no_gpu.json" --samples 100000 --price T4=1
same "$fixtures/no_gpu.json" --samples 100000 --price T4=1 --assemble sum
same "$source/data/recordings/dcgan_b16_fp32_h200.json.gz" --assemble sum --steps 1000
# samples of a training: at twice the batch, or on two GPUs, half the iterations; dollars are those of all GPUs
step=$source/data/recordings/two_gpus/resnet50_b16_fp32_h200.json.gz
for options in "" "--batch 16" "--batch 32" "--gpus 2"; do
    "$habitat" predict "$step" --to H200-SXM5-141GB --price H200-SXM5-141GB=4 --samples 1600000 $options --json 2>/dev/null | python3 -c '
import json, sys
row = json.load(sys.stdin)["predictions"][0]
steps = row["hours"] * 3.6e6 / row["iteration_ms"]
print("%.0f iterations, samples of all: %.4g, dollars of an hour %g, 1600000 samples for 1 %.6f" % (
    steps, steps * row["batch_size"] * row["gpus"], row["usd_per_hour"], row["samples_per_usd"] * row["usd"] / 1600000))'
done
# two recordings of which one has a larger batch: the mean iteration has 16 * 3/4 + 32 * 1/4 = 20 samples
two=$source/data/recordings/resnet50_b
cp "${two}16_fp32_h200.json.gz" b16.json.gz
cp "${two}32_fp32_h200.json.gz" b32.json.gz
"$habitat" choose b16.json.gz:3 b32.json.gz --to L4,T4 --samples 100000 --json | grep '"steps"'
"$habitat" choose b16.json.gz:3 b32.json.gz --to L4,T4 --steps 1000 --json | grep '"steps"'
# times that differ in their last digits alone are equal: a front has none that costs more for nothing
"$habitat" choose "$fixtures/step.json" | grep -E '^(Front|If time)'
