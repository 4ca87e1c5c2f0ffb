# Prices may come through a pipe, in each of their forms; the kind of a file is told by its first byte.
trace=$source/data/recordings/gnmt_b16_fp32_h100.json.gz
price() {
    "$habitat" predict "$trace" --to T4 --prices /dev/stdin --json | grep usd_per_hour
}
printf '\n{"schema": 1, "prices": [{"gpu": "T4", "usd_per_gpu_hour": 0.31}]}' | price
printf 'gpu,usd_per_gpu_hour\nT4,0.32\n' | price
printf 'gpu,usd_per_gpu_hour\nT4,0.33\n' | gzip | price
printf 'AcceleratorName,AcceleratorCount,Price,SpotPrice\nT4,4,1.36,\n' | price
printf 'gpu,usd_per_gpu_hour\nT4,much\n' | "$habitat" predict "$trace" --to T4 --prices /dev/stdin 2>&1
