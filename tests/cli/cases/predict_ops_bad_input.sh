# Bad tables and bad command lines: one line each on stderr.
run() { "$habitat" predict-ops "$@" >/dev/null; echo "$?"; }
run
run missing.csv
printf 'nonsense\n' >a.csv; run a.csv
: >a.csv; run a.csv
printf 'some,columns\n1,2\n' >a.csv; run a.csv
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,1,2\n' >a.csv; run a.csv
printf 'gpu,op,dtype,m,n,k\nnobody-has-this,gemm,bf16,1,2,3\n' >a.csv; run a.csv
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,"1,2,3\n' >a.csv; run a.csv
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,-4,2,3\n' >a.csv; run a.csv
printf 'op,dtype,m,n,k\ngemm,bf16,4,2,3\n' >a.csv; run a.csv
run a.csv --to nobody-has-this
run a.csv --method wave
