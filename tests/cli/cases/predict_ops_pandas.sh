# A row, or the header, whose first cell is empty keeps it: no column moves. A table of pandas has its index there.
cat >indexed.csv <<'T'
,gpu,op,dtype,m,n,k
0,T4,gemm,fp32,64,64,64
,T4,gemm,fp32,128,64,64
T
cat >flags.csv <<'T'
flag,note,gpu,op,dtype,m,n,k
,,T4,gemm,fp32,64,64,64
kept,,L4,gemm,fp32,64,64,64
T
for table in indexed flags; do
    "$habitat" predict-ops $table.csv >out.csv
    cut -d, -f1-$(head -n 1 $table.csv | tr ',' '\n' | wc -l) out.csv | cmp - $table.csv && echo "$table: its cells are kept"
    "$habitat" predict-ops out.csv | cmp - out.csv && echo "$table: twice is once"
done
"$habitat" predict-ops flags.csv --to A100 | cut -d, -f1-4
# Of a column with gaps it makes 1.0 of 1: sizes and flags are read so.
cat >floats.csv <<'T'
gpu,op,dtype,B,M,N,K,bias
T4,linear,fp32,1.0,64.0,64.0,64.0,1.0
T4,linear,fp32,1.0,64.0,64.0,64.0,0.0
T4,linear,fp32,1.0,64.0,64.0,64.0,
T
sed 's/\.0//g' floats.csv >whole.csv
"$habitat" predict-ops floats.csv | sed 's/\.0,/,/g' >out.csv
"$habitat" predict-ops whole.csv | cmp - out.csv && echo "1.0 is 1"
sed 's/1\.0$/0.5/' floats.csv >half.csv
"$habitat" predict-ops half.csv 2>&1
exit 0
