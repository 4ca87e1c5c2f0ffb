# A slower CPU makes no end of the interval of several GPUs come earlier, though it hides more of the messages.
# (By less than 0.5 % where both ends are the GPU's: the most of two hosts is taken, not of all between.)
cat >falls.py <<'P'
import json, sys

before = {}
for path in sys.argv[1:]:
    with open(path) as file:
        for p in json.load(file)["predictions"]:
            row = p["gpu"], p["gpus"]
            for key in "iteration_ms", "low_ms", "high_ms":
                now, was = p[key], before.get((row, key), 0)
                if now < was * 0.995:
                    print(f"{path}: {row} {key} falls from {was:.4g} to {now:.4g}")
                before[row, key] = now
P
for recording in two_h100s/bert_large_b2_amp_bf16_h100 two_h100s/transformer_b32_amp_bf16_h100 \
    full_size/again/summary_b2_tf32_h100; do
    for way in "" --sharded; do
        for scale in 0.25 0.5 1 2 4; do
            # shellcheck disable=SC2086
            "$habitat" predict "$source/data/recordings/$recording.json.gz" --gpus 2,16 $way --cpu-scale $scale \
                --to H200-SXM5-141GB,A100-SXM4-80GB,RTX4090,MI300X --json >$scale.json
        done
        python3 falls.py 0.25.json 0.5.json 1.json 2.json 4.json
    done
done
echo done
