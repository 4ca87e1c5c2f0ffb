# A table from standard input, plain and packed, and what is said of it.
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,256,512,128\n' >a.csv
"$habitat" predict-ops a.csv >wanted
"$habitat" predict-ops - <a.csv | cmp wanted - && echo same
gzip -c a.csv | "$habitat" predict-ops - | cmp wanted - && echo same
echo "-- a file of that name"
cp a.csv ./-
"$habitat" predict-ops ./- </dev/null | cmp wanted - && echo same
echo "-- said"
printf 'gpu,op,dtype,m,n,k\nnobody-has-this,gemm,bf16,256,512,128\n' | "$habitat" predict-ops - >/dev/null; echo "exit $?"
printf 'gpu,op,dtype,m,n,k\nT4,gemm,bf16,256,x,128\n' | "$habitat" predict-ops -; echo "exit $?"
"$habitat" predict-ops - </dev/null; echo "exit $?"
"$habitat" predict-ops - <.; echo "exit $?"
"$habitat" predict-ops - a.csv <a.csv; echo "exit $?"
