# Input without an end, or with zero bytes in it, ends with a message.
run() { timeout 60 "$habitat" predict-ops "$@" >/dev/null; echo "$?"; }
run /dev/zero
mkfifo endless
(printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,1,2,3\n'; yes | tr -d '\n') >endless 2>/dev/null &
run endless
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,4,2,3\nT4,gemm,bf16,\0004,2,3\nT4,gemm,bf16,4,2,3\n' >zero.csv
run zero.csv
printf '\357\273\277gpu,op,dtype,m,n,k\r\nT4,gemm,bf16,4,2,3\r\n' >mark.csv
"$habitat" predict-ops mark.csv | head -n 1
printf 'gpu,op,dtype,m,n,k,m\nT4,gemm,bf16,4,2,3,5\n' >twice.csv
run twice.csv
run .
