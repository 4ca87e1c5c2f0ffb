# The seed that is documented as the default can be said; a table of one row is too small to train on.
printf 'gpu,op,pass,dtype,shape,latency_ms\nT4,gemm,forward,fp32,m=512 n=512 k=512,0.1\n' >rows.csv
for seed in 0 1 -1 1.5; do
    "$habitat" train rows.csv -o models --seed $seed 2>&1
    echo "seed $seed: $?"
done
"$habitat" eval --seed 0 ops --data nowhere 2>&1 | sed 's/;.*//'
"$habitat" eval ops --seed 0 --data nowhere 2>&1 | sed 's/;.*//'
