# What a library runs by one kernel has one time: a batch of one product is that product, RMS norm is layer norm without the mean.
ms() { "$habitat" op "$@" --to A100-SXM4-80GB,T4,H100-SXM5-80GB,RTX4090 --csv 2>/dev/null | cut -d, -f1,6; }
for sizes in "--m 8 --n 32 --k 6176" "--m 1 --n 4096 --k 4096" "--m 512 --n 1024 --k 8192" "--m 384 --n 384 --k 64"; do
    # shellcheck disable=SC2086
    ms gemm $sizes >one
    # shellcheck disable=SC2086
    ms bmm --b 1 $sizes | cmp - one && wc -l <one
done
ms layer_norm --rows 4096 --columns 1024 >one
ms rms_norm --rows 4096 --columns 1024 | cmp - one && echo same
"$habitat" op rms_norm --rows 4096 --columns 1024 --to T4 --json | grep -c '"default"'
# A bias has a kernel of its own, forward and backward; depthwise convolutions add it themselves.
conv() { ms conv2d --batch 16 --in-channels 64 --out-channels 64 --size 64 --kernel 3 --padding 1 "$@"; }
for pass in forward backward; do
    conv --pass $pass >without
    conv --pass $pass --bias | paste -d, without - | awk -F, 'NR > 1 {print $1, ($4 > $2 ? "longer" : "as long")}'
done
conv --groups 64 >without
conv --groups 64 --bias | cmp - without && echo same
# fp64 is no format that operations were measured in: sums keep their time, functions are worked out in software.
for kind in add tanh; do
    "$habitat" op $kind --elements 100000000 --dtype fp64 --to RTX4090
done
