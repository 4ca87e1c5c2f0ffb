# What is left of the memory is the same in both commands: less CUDA's context and a margin.
for command in predict choose; do
    "$habitat" $command "$source/data/recordings/llama_b4_bf16_h200.json.gz" --to A100-SXM4-80GB,L40S --json | sed -n 's/ *"headroom_bytes": //p'
done
