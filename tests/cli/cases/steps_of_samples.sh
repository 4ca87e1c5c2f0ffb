# As many steps at another batch size, or on more GPUs, are of more samples: hours and costs of such rows do not compare, and that is said.
recording=$source/data/recordings/dcgan_b64_fp32_h200.json.gz
for asked in "--batch 32,64 --steps 1000" "--gpus 1,2 --steps 1000" "--batch 32 --gpus 2 --steps 1000" "--batch 32 --steps 1000" "--steps 1000" \
    "--batch 32,64 --samples 64000" "--batch 32,64"; do
    echo "$asked"
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" --to T4 $asked --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print([w for w in d["warnings"] if "steps are" in w])
print([(p["batch_size"], p["gpus"], p["hours"] and round(p["hours"], 5)) for p in d["predictions"]])'
done
