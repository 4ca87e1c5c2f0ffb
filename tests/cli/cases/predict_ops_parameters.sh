# A parameter of the operation is used, under its name in `habitat op` too, or refused where it
# would change something; every word of `habitat op` is read.
time_of() { "$habitat" predict-ops table.csv --to V100 2>/dev/null | awk -F, 'NR == 2 { print ($(NF-7) > 0 ? $(NF-7) : $0) }'; }
of_op() { "$habitat" op "$@" --to V100 --csv 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ms") c = i } NR == 2 { print $c }'; }
same() { awk -v what="$1" -v a="$2" -v b="$3" 'BEGIN { r = a / b; print what ": " (r > .99999 && r < 1.00001 ? "as op" : a " " b) }'; }
conv="--batch 32 --in-channels 64 --out-channels 64 --size 56 --kernel 3"
for extra in "--padding 2 --dilation 2" "--groups 4" "--stride 2" "--padding 1 --transposed" "--padding 1 --bias" "--padding 1 --channels-last --dtype fp16"; do
    want=$(of_op conv2d $conv $extra)
    columns=$(echo "$extra" | sed 's/--dtype fp16//; s/--channels-last/--channels_last 1/; s/--transposed/--transposed 1/; s/--bias/--bias 1/')
    names=gpu,class,dtype,batch,in-channels,out_channels,size,kernel values=T4,conv,$(case $extra in *fp16*) echo fp16 ;; *) echo fp32 ;; esac),32,64,64,56,3
    shape="batch=32 c_in=64 c_out=64 in=56 kernel=3"
    set -- $columns
    while [ $# -gt 1 ]; do
        names=$names,${1#--} values=$values,$2 shape="$shape ${1#--}=$2"
        shift 2
    done
    case $extra in *fp16*) dtype=fp16 ;; *) dtype=fp32 ;; esac
    arithmetic=$dtype
    printf '%s\n%s\n' "$names" "$values" >table.csv
    a=$(time_of)
    printf 'gpu,op,dtype,shape\nT4,conv2d,%s,%s\n' "$dtype" "$shape" >table.csv
    b=$(time_of)
    same "class=conv $extra" "$a" "$want"
    same "op=conv2d $extra" "$b" "$want"
done
for pass in backward-input backward_weight; do
    printf 'gpu,class,dtype,pass,m,n,k\nT4,gemm,fp32,%s,256,1024,4096\n' "$pass" >table.csv
    same "gemm $pass" "$(time_of)" "$(of_op gemm --m 256 --n 1024 --k 4096 --pass "$pass")"
done
refused() { printf "$1\n" >table.csv; "$habitat" predict-ops table.csv --to V100 2>&1; echo "$?"; }
refused "op,dtype,shape\nconv2d,fp32,batch=1 c_in=8 c_out=8 in=8 kernel=3 dilation=8"
refused "op,dtype,shape\nconv2d,fp32,batch=1 c_in=8 c_out=8 in=8 kernel=3 groups=3"
refused "op,dtype,shape\nconv_transpose2d,fp32,batch=1 c_in=8 c_out=8 in=8 kernel=3 transposed=0"
refused "op,dtype,shape\nlstm,fp32,batch=1 steps=8 input=8 hidden=8 proj_size=4"
refused "op,dtype,shape\nrelu,fp32,rows=4 columns=8"
refused "class,dtype,batch,c_in,c_out,kernel,in_hw,output_padding\nconv,fp32,1,8,8,3,8,1"
refused "class,dtype,batch,c_in,c_out,kernel,in_hw,output_padding,colour\nconv,fp32,1,8,8,3,8,0,red" | tail -n 1
refused "op,dtype,B,M,N,K,trans_a\nbmm,fp32,1,8,8,8,1"
refused "op,dtype,batch,seq,heads,kv_heads,head_dim,causal\nencoder_noncausal,bf16,1,128,8,8,64,1"
# every word of `habitat op`
"$habitat" op --help | tr -s ' \n' ' ' | sed 's/.*OPERATION is one of: \([^.]*\)\..*/\1/' | tr -d ' ' | tr ',' '\n' >words
wc -l <words | tr -d ' '
while read -r word; do
    printf 'op,dtype,shape\n%s,fp32,nothing=1\n' "$word" >table.csv
    "$habitat" predict-ops table.csv --to V100 2>&1 | grep "is no operation"
done <words
true
