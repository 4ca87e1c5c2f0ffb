# cuDNN's forward kernels through Winograd's tiles end at compute capability 8.9: later GPUs do no more sums than their units.
"$habitat" op conv2d --batch 64 --in-channels 256 --out-channels 256 --size 56 --kernel 3 --padding 1 \
    --to A100-SXM4-80GB,H200-SXM5-141GB,H100-PCIE-80GB,B200-SXM-180GB,RTX5090 --csv 2>/dev/null |
    awk -F, 'BEGIN { peak["A100-SXM4-80GB"] = 19.5; peak["H200-SXM5-141GB"] = 66.9; peak["H100-PCIE-80GB"] = 51.2
                     peak["B200-SXM-180GB"] = 74.45; peak["RTX5090"] = 104.8 }
             NR > 1 { print $1, ($9 / 1e12 > peak[$1] ? "beyond its peak" : "within its peak") }'
# A kernel is answered as graphs time it, by the rows of these GPUs: 1.4 ms and not Winograd's .7.
for timing in kernel graph; do
    printf 'gpu,op,pass,dtype,shape,timing\nH200-SXM5-141GB,conv2d,forward,fp32,batch=12 c_in=512 c_out=512 in=28 kernel=3 padding=1,%s\n' "$timing" >table.csv
    "$habitat" predict-ops table.csv | awk -F, 'NR > 1 { print $6, ($7 > 1 && $7 < 2 ? "1 to 2 ms" : $7) }'
done
