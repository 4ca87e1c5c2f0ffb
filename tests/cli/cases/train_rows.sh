# What models are trained on: all rows or those of the training split, of all GPUs or without some. The table says how many
# rows and GPUs of each model came in.
{
    echo gpu,op,dtype,B,M,N,K,latency_ms,split,source
    for gpu in T4,2 V100,1 P100,1.5; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            for m in 256 512 1024 2048; do
                echo "${gpu%,*},bmm,fp32,$i,$m,512,1024,$(awk -v i=$i -v m=$m -v g="${gpu#*,}" 'BEGIN { print 1e-4 * i * m * g }'),$([ $i -gt 15 ] && echo test || echo train),neusight"
            done
        done
    done
} >rows.csv
trained() {
    echo "options: $*"
    "$habitat" train rows.csv -o models --no-mlp "$@" 2>/dev/null | grep rows
}
trained
trained --train-rows
trained --without T4
trained --without T4 --train-rows
trained --without V100 # a name as it is written, of the V100-SXM2-16GB
"$habitat" train rows.csv -o models --no-mlp --without T4,V100,P100 2>&1 | grep -v taken
"$habitat" train rows.csv -o models --no-mlp --without NOSUCH 2>&1
echo $?
