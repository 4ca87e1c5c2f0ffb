"$habitat" op gemm --m 4 --n 4 --k 4 --heads 2
"$habitat" op gemm --m 1.5 --n 4 --k 4
"$habitat" op gemm --m 1e300 --n 4 --k 4
"$habitat" op add --elements 0.5
"$habitat" op conv2d --batch 1 --in-channels 3 --out-channels 6 --kernel 3 --size 8 --groups 2
"$habitat" op conv2d --batch 1 --in-channels 3 --out-channels 6 --kernel 9 --size 8
"$habitat" op conv1d --batch 1 --in-channels 3 --out-channels 6 --kernel 3 --size 8 --height 8
"$habitat" op attention --batch 1 --heads 3 --kv-heads 2 --length 8 --head-dim 8
"$habitat" op add --elements 8 --pass backward
