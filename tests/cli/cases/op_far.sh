# Sizes far beyond what was measured: an analytic time near the bandwidth bound (25 ms), a wide interval, and why.
"$habitat" op gemm --m 1 --n 1 --k 1000000000 --to T4
"$habitat" op gemm --m 1 --n 1 --k 1000000000 --to T4 --method mlp --csv
"$habitat" op conv2d --batch 1 --in-channels 8 --out-channels 8 --kernel 3 --size 56 --padding 100000 --pass backward --to T4 --json
"$habitat" op layer_norm --rows 1 --columns 1000000000 --to T4,H200 --csv
