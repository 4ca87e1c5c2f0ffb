# The models given are the models used, and nothing else: a file without a class has no answer for
# it, and the built-in models are never asked in its place.
{
    echo gpu,op,dtype,B,M,N,K,latency_ms,split,source
    for gpu in T4,2 V100,1 P100,1.5; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            for m in 256 512 1024 2048; do
                echo "${gpu%,*},bmm,fp32,$i,$m,512,1024,$(awk -v i=$i -v m=$m -v g="${gpu#*,}" 'BEGIN { print 1e-4 * i * m * g }'),train,neusight"
            done
        done
    done
} >train.csv
"$habitat" train train.csv -o models --no-mlp >/dev/null 2>&1 || echo "training failed"
cat >ops.csv <<'T'
gpu,op,dtype,shape
T4,bmm,fp32,b=8 m=1024 n=1024 k=1024
T4,conv2d,fp32,batch=16 c_in=64 c_out=64 in=56 kernel=3 padding=1
L4,softmax,fp32,rows=4096 columns=4096
L4,linear,bf16,m=4096 n=4096 k=4096
T
answers() { "$habitat" predict-ops ops.csv "$@" 2>/dev/null | awk -F, 'NR > 1 { print $1, $2, $8, $9 }'; }
file=models/operators.habitat-models
for options in "" "--transfer" "--models $file" "--models $file --transfer" "--method mlp" "--models $file --to L4"; do
    echo "options: $options"
    answers $options
done
"$habitat" predict-ops ops.csv --models $file --method mlp; echo "$?"
"$habitat" predict-ops ops.csv --models ops.csv; echo "$?"
