# Recurrent layers and gradients of long lookups are one operation and many calls of CUDA: the CPU's side of a recording without a
# GPU counts them, a recurrent layer as the GPU's library runs it (the T4 step by step, the H200 one kernel for some).
of() { # RECORDING GPUS
    "$habitat" predict "$source/data/recordings/$1.json.gz" --to "$2" --json 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(answer["trace"]["warnings"][1])
for row in answer["predictions"]:
    print(row["gpu"], "CPU %.1f ms" % row["cpu_ms"])'
}
of without_gpu/gnmt_b32_amp_fp16 H200-SXM5-141GB,T4
of new_models/without_gpu/wide_deep_b1024_fp32 H200-SXM5-141GB
of without_gpu/dcgan_b16_fp32 H200-SXM5-141GB
