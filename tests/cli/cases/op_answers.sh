# What the shipped models answer to one operation of each kind they know, on a GPU that was measured, one
# of a measured kind, and one of neither: analytic times, models and intervals go together, and a change
# of one without the others shows here. Times to four digits.
to=T4,V100-PCIE-32GB,A100-SXM4-80GB,RTX4090,H100-SXM5-80GB,H200-SXM5-141GB
answers() {
    "$habitat" op "$@" --to $to --csv 2>/dev/null | awk -F, -v title="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print title; next }
        $at["ms"] == "" { printf "  %-16s no answer\n", $at["gpu"]; next }
        { printf "  %-16s %.4g %.4g %.4g %s\n", $at["gpu"], $at["ms"], $at["low_ms"], $at["high_ms"], $at["method"] }'
}
answers gemm --m 1000 --n 3000 --k 700
answers gemm --m 4096 --n 4096 --k 4096 --pass backward
answers gemm --m 1000 --n 3000 --k 700 --dtype fp16
answers gemm --m 64 --n 8192 --k 8192 --dtype bf16
answers gemm --m 2048 --n 2048 --k 2048 --dtype tf32
answers gemm --m 2048 --n 2048 --k 2048 --dtype fp8
answers bmm --b 96 --m 384 --n 384 --k 64
answers conv2d --batch 16 --in-channels 64 --out-channels 128 --kernel 3 --size 56 --padding 1 --dtype fp32
answers conv2d --batch 16 --in-channels 64 --out-channels 128 --kernel 3 --size 56 --padding 1 --stride 2 --pass backward
answers conv2d --batch 8 --in-channels 256 --out-channels 64 --kernel 1 --size 28 --pass backward-input
answers conv2d --batch 8 --in-channels 256 --out-channels 64 --kernel 1 --size 28 --pass backward-weight
answers conv2d --batch 16 --in-channels 64 --out-channels 64 --kernel 3 --size 56 --padding 1 --dtype fp16
answers conv2d --batch 16 --in-channels 64 --out-channels 64 --kernel 5 --size 56 --padding 2 --dtype bf16 --channels-last
answers conv2d --batch 16 --in-channels 64 --out-channels 64 --kernel 3 --size 56 --padding 1 --groups 64 --dtype fp16
answers conv2d --batch 4 --in-channels 64 --out-channels 32 --kernel 4 --size 28 --stride 2 --padding 1 --transposed
answers attention --batch 8 --heads 16 --length 1024 --head-dim 64 --dtype fp16
answers attention --batch 2 --heads 32 --kv-heads 8 --length 4096 --head-dim 128 --dtype bf16 --causal
answers attention --batch 2 --heads 32 --length 100 --head-dim 96 --dtype bf16 --pass backward
answers attention --batch 8 --heads 12 --length 384 --head-dim 64
answers attention --batch 8 --heads 12 --length 384 --head-dim 64 --causal --pass backward
answers attention --batch 8 --heads 12 --kv-heads 4 --length 384 --head-dim 128
answers lstm --batch 64 --steps 50 --input 512 --hidden 1024 --layers 2
answers gru --batch 64 --steps 20 --input 256 --hidden 512 --pass backward --bidirectional
answers softmax --rows 49152 --columns 384
answers softmax --rows 49152 --columns 384 --pass backward --dtype fp16
answers softmax --rows 128 --columns 50257 --pass backward
answers layer_norm --rows 16384 --columns 1024
answers layer_norm --rows 16384 --columns 1024 --pass backward
answers batch_norm --rows 256 --columns 100352
answers batch_norm --rows 256 --columns 100352 --pass backward
answers relu --elements 33554432
answers relu --elements 33554432 --pass backward --dtype fp16
answers add --elements 4000000 --dtype bf16
answers copy --elements 33554432
# the paper's networks
answers gemm --m 1000 --n 3000 --k 700 --method mlp
answers conv2d --batch 16 --in-channels 64 --out-channels 128 --kernel 3 --size 56 --padding 1 --method mlp
answers conv2d --batch 16 --in-channels 64 --out-channels 128 --kernel 3 --size 56 --padding 1 --pass backward --method mlp
answers bmm --b 96 --m 384 --n 384 --k 64 --method mlp
answers lstm --batch 64 --steps 50 --input 512 --hidden 1024 --layers 2 --method mlp
answers lstm --batch 64 --steps 50 --input 512 --hidden 1024 --layers 2 --pass backward --method mlp
