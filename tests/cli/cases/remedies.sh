# Messages say what is wrong and what to do.
step=$fixtures/step.json
run() { "$habitat" "$@" >/dev/null; echo "exit $?"; }
run predict "$step" --vendor foo
run choose "$step" --vendor foo
run predict "$step" --batch 0
run choose "$step" --samples 100 --deadline 3x
printf 'gpu,op,shape,dtype\nT4,gemm,m=1 n=2,fp32\n' >e.csv; run predict-ops e.csv
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,1,2,\n' >e.csv; run predict-ops e.csv
printf 'gpu\n' >e.csv; run predict-ops e.csv
printf 'gpu,usd_per_gpu_hour\nT4,abc\n' >e.csv; run predict "$step" --prices e.csv
printf '{"schema": 1, "prices": [{"gpu": "T4", "usd_per_gpu_hour": "abc"}]}' >e.json; run predict "$step" --prices e.json
printf '{"schema": 1, "name": "A", "aliases": "B"}' >e.json; run gpus --gpu-file e.json A
printf '{"schema": 1, "name": "A", "vendor": "NVIDIA", "tdp_w": "200"}' >e.json; run gpus --gpu-file e.json A
