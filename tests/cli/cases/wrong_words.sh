# What is wrong is named: an empty name, a factor that is none, a size that is refused.
step=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
"$habitat" predict ""; echo "exit $?"
"$habitat" predict "$step" --to T4 --cpu-scale 1e30; echo "exit $?"
"$habitat" op gemm --m 8 --n 8 --k -1 --to T4; echo "exit $?"
"$habitat" op conv2d --batch 1 --in-channels 3 --out-channels 3 --size 8 --kernel 3 --padding -1 --to T4; echo "exit $?"
