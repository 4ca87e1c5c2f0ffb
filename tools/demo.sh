#!/bin/sh
# What Habitat does, on real recordings of this repository. usage: demo.sh BUILD
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
habitat="$(cd "$1" && pwd)/habitat"
cd "$root"

show() { # command line as a user would type it
    printf '\n$ habitat %s\n' "$*"
    "$habitat" "$@"
}

echo "Habitat: one training iteration, recorded on one GPU, predicted for the others."
resnet=data/recordings/resnet50_b4_fp32_h200.json.gz
show info "$resnet"
show predict "$resnet"
show explain "$resnet" --to V100 --top 12

paper_gpus=P4000,P100,V100,RTX2070,RTX2080Ti,T4
echo
echo "The paper's five models on the paper's six GPUs, from recordings on an H200:"
for model in resnet50_b32 inception_v3_b32 transformer_b32 gnmt_b32 dcgan_b64; do
    show predict "data/recordings/${model}_fp32_h200.json.gz" --to "$paper_gpus"
done
