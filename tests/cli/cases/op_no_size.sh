"$habitat" op conv2d --batch 1 --in-channels 3 --out-channels 8 --kernel 3
