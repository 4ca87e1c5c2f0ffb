# Products in a format that no GPU has a rate of are refused; int8 has rates, and what moves data needs none.
for dtype in int16 int32 int64 bool complex64 complex128; do
  "$habitat" op gemm --m 512 --n 512 --k 512 --dtype $dtype --to H100-SXM5-80GB,MI300X; echo "$?"
done
"$habitat" op conv2d --batch 1 --in-channels 8 --out-channels 8 --size 8 --kernel 3 --dtype int32 --pass backward; echo "$?"
"$habitat" op attention --batch 1 --heads 8 --length 64 --head-dim 64 --dtype int64 --json; echo "$?"
"$habitat" op gemm --m 512 --n 512 --k 512 --dtype int8 --to H100-SXM5-80GB --csv | wc -l
"$habitat" op add --elements 4096 --dtype int32 --to H100-SXM5-80GB --csv | wc -l
printf 'op,pass,dtype,shape,timing,gpu\nlinear,forward,int32,m=512 n=512 k=512,graph,T4\n' >table.csv
"$habitat" predict-ops table.csv
# Units whose rate is not listed are no other format's; what is computed in floating point alone takes no whole numbers.
"$habitat" op gemm --m 512 --n 512 --k 512 --dtype int8 --to B300-SXM-288GB; echo "$?"
"$habitat" op gemm --m 512 --n 512 --k 512 --dtype int8 --to B300-SXM-288GB,B200-SXM-180GB --csv 2>/dev/null | cut -d, -f1,2; echo "$?"
for kind in gelu silu tanh sigmoid dropout div; do
  "$habitat" op $kind --elements 4096 --dtype int32 --to H100-SXM5-80GB; echo "$?"
done
"$habitat" op relu --elements 4096 --dtype int8 --to H100-SXM5-80GB --csv 2>/dev/null | wc -l
