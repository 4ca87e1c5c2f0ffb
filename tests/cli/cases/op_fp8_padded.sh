# cuBLASLt and torch._scaled_mm take fp8 operands of n and k in multiples of 16 alone: another product answers what its padding costs, says so, and is never calibrated. m is free; other formats run as they are.
op() { "$habitat" op "$@" --to B200-SXM-180GB,H200-SXM5-141GB --csv | cut -d, -f1,3,4,6-8,13; }
cost() { op "$@" | cut -d, -f4-6; }
op gemm --m 4096 --n 4104 --k 4096 --dtype fp8 | cut -d, -f1-3,7
[ "$(cost gemm --m 4096 --n 4104 --k 4096 --dtype fp8 2>/dev/null)" = "$(cost gemm --m 4096 --n 4112 --k 4096 --dtype fp8)" ] && echo "n 4104 costs what 4112 does"
[ "$(cost bmm --b 48 --m 1752 --n 240 --k 312 --dtype fp8)" = "$(cost bmm --b 48 --m 1752 --n 240 --k 320 --dtype fp8)" ] && echo "k 312 costs what 320 does"
op gemm --m 4093 --n 4096 --k 4096 --dtype fp8 | cut -d, -f7
op gemm --m 4096 --n 4104 --k 4096 --dtype bf16 | cut -d, -f7
op linear --m 64 --n 1 --k 100 --dtype fp8 >/dev/null
"$habitat" op gemm --m 64 --n 100 --k 64 --dtype fp8 --method roofline --to H200-SXM5-141GB >/dev/null
{ echo gpu,op,dtype,shape,latency_ms,timing,source; echo H200,gemm,fp8,m=4096 n=4104 k=4096,1,graph,habitat; } >table.csv
"$habitat" predict-ops table.csv | sed 's/^.*habitat,//' | cut -d, -f4-
