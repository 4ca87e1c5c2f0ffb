# What makes the destination slow or fast, in words. step.json, hand-checked: 0.096 ms of products and 0.048 of element-wise
# kernels take 15 times as long by bandwidth (4800 / 320): +1.344, +0.672; 0.010 of another: +0.140; 0.002 of sets: +0.028, the fourth.
show() { "$habitat" explain "$@" | sed -n "/^What /,/^\$/p"; }
show "$fixtures/step.json" --to T4 --method bandwidth
"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --json | tr -d ' \n' | sed -n 's/.*\("reasons":\[.*\]\),"by".*/\1\n/p'
# the origin itself; without a GPU; held back by the host
show "$fixtures/step.json" --to H200-SXM5-141GB
show "$fixtures/no_gpu.json" --to T4
show "$source/data/recordings/resnet50_b4_fp32_h200.json.gz" --to RTX4090 --method roofline
# faster; two GPUs that are called the same for short
show "$source/data/recordings/llama_b4_bf16_h200.json.gz" --to B200-SXM-180GB --method roofline
show "$source/data/recordings/llama_b4_bf16_h100.json.gz" --to H100-PCIE-80GB --method roofline
