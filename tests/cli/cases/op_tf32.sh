# fp32 of a convolution is strict, and what PyTorch does is said where it differs; tf32 is another answer.
set -- conv2d --batch 32 --in-channels 64 --out-channels 64 --size 56 --kernel 3 --padding 1
"$habitat" op "$@" --to A100-PCIE-40GB --json >strict.json
"$habitat" op "$@" --dtype tf32 --to A100-PCIE-40GB --json >tf32.json
sed -n '/"dtype"/p; /"fp32 is meant/p' strict.json tf32.json
awk '/"ms"/ { gsub(/[^0-9.e-]/, "", $2); ms[FILENAME] = $2 } END { print (ms["strict.json"] > 1.5 * ms["tf32.json"]) }' strict.json tf32.json
"$habitat" op "$@" --to A100-PCIE-40GB >text.txt
"$habitat" op "$@" --to V100-PCIE-32GB >text.txt
"$habitat" op gemm --m 512 --n 512 --k 512 --to A100-PCIE-40GB >text.txt
