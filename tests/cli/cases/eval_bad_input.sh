# Each kind of bad input: one line, exit code 3.
mkdir data; table=data/e2e_models.csv
run() { "$habitat" eval e2e --data data --recordings "$source/data/recordings" >/dev/null; echo "$?"; }
run
printf 'nonsense\n' >$table; run
printf 'source,model\nneusight,a,b\n' >$table; run
printf 'source,model\nneusight,"never ends\n' >$table; run
printf 'source,model,gpu\nneusight,BERT-Large,T4\n' >$table; run
printf 'source,model,gpu\nneusight,BERT-Large,nothing-like-a-gpu\n' >$table; run
printf 'source,model,gpu\n' >$table; run
printf 'a\0b,c\n' >$table; run
head -c 2000 "$source/data/measurements/collected_h200.csv.gz" >$table; run
"$habitat" eval e2e --recordings nowhere --data "$source/data/measurements"; echo "$?"
"$habitat" eval e2e more; echo "$?"
"$habitat" eval nonsense; echo "$?"
# without a part, options of `ops` are refused before anything runs
for option in --no-mlp "--seed 2" "--epochs 3" "--class gemm" --nonsense; do
    # shellcheck disable=SC2086
    "$habitat" eval $option --data nowhere; echo "$?"
done
"$habitat" eval ops --class nonsense --data "$source/data/measurements"; echo "$?"
# of a folder, tables that name no operation are no measurements; one that does must be readable
mkdir rates; printf 'device,fp32_tflops\nT4,4.2\n' >rates/matmul_rates.csv
"$habitat" train rates -o models; echo "$?"
printf 'gpu,op,dtype\nT4,nonsense,fp32\n' >rates/ops.csv
"$habitat" train rates -o models; echo "$?"
