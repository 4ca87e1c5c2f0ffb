# Another batch size of a recording without a GPU: its operations are asked anew, and the moments that take most memory are known.
step=$fixtures/no_gpu_layers.json.gz
"$habitat" predict "$step" --to H200-SXM5-141GB,L40S --batch 64,256
rows() { python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print(row["gpu"], row["gpus"], row["batch_size"], *("%.4g" % row[k] for k in ("kernel_ms", "cpu_ms", "samples_per_s", "memory_bytes", "largest_batch") if row[k]))'; }
# the recorded size is the recorded one
for more in "" "--batch 64"; do "$habitat" predict "$step" --to L40S $more --json 2>/dev/null | rows; done | uniq | wc -l
# a batch of another size, as several GPUs have it, and the largest one: it fits, one sample more may not
"$habitat" predict "$step" --to L40S --batch 1,64,128,4096 --json 2>/dev/null | rows
"$habitat" predict "$step" --to L40S --batch 128 --gpus 1,2 --json 2>/dev/null | rows
"$habitat" predict "$step" --to L40S --batch 128 --gpus 2 --sharded --json 2>/dev/null | rows
for how in "" "--gpus 2" "--gpus 2 --sharded" "--gpus 64 --sharded"; do
    largest=$("$habitat" predict "$step" --to L40S $how --json 2>/dev/null | sed -n 's/.*"largest_batch": \([0-9]*\).*/\1/p')
    for n in $largest $((largest + 1)); do
        "$habitat" predict "$step" --to L40S $how --batch $n --json 2>/dev/null | grep -o '"fits": [a-z]*'
    done
done
"$habitat" choose "$step" --to H200-SXM5-141GB,L40S --batch 64,512 --gpus 1,2 --samples 1e6 2>/dev/null | sed -n 1,12p
# what older recordings do not note is not known, and what cannot be done is refused
"$habitat" predict "$fixtures/no_gpu.json" --to T4 --batch 64,128 --json 2>/dev/null | rows
zcat "$step" | sed 's/"batch_size":64/"batch_size":null/' >unknown.json
# without a peak the weights alone tell what is too small, in parts a part of them
zcat "$step" | sed 's/"peak_memory_bytes":[0-9]*/"peak_memory_bytes":null/; s/"peak_[a-z]*_moments_bytes":\[[^]]*\],//g; s/"parameters_bytes":[0-9]*/"parameters_bytes":60000000000/' >weights.json
for how in "" "--gpus 2 --sharded"; do
    "$habitat" predict weights.json --to L40S $how --json 2>/dev/null | grep -o '"fits": [a-z]*'
done
zcat "$step" | sed 's/"batch_size":64/"batch_size":7777/' >other.json
cp "$step" step.json.gz
for wrong in "step.json.gz --batch 0" "step.json.gz --batch 8 --batch-from step.json.gz" "step.json.gz --batch 8 --precision fp32" "unknown.json --batch 8" "other.json --batch 8"; do
    "$habitat" predict $wrong --to L40S; echo "$?"
done
