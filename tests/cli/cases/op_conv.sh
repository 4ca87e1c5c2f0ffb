# 56 x 56, padding 1, stride 2: 28 x 28 outputs; 2 x 32 x 64 x 28 x 28 x 64 x 9 flop.
"$habitat" op conv2d --batch 32 --in-channels 64 --out-channels 64 --size 56 --kernel 3 --padding 1 --stride 2 --to T4 --json | grep -E "flop\"|\"shape\""
