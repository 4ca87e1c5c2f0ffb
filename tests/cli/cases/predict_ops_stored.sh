# Rows of a product's operands count as they are stored: the gradient of a weight adds along the batch, and an odd batch leaves
# its rows aligned; an odd width does not.
cat >ops.csv <<'CSV'
gpu,op,dtype,shape
H200,gemm,fp16,m=768 n=3072 k=6112 trans_a=1
H200,gemm,fp16,m=768 n=3072 k=6107 trans_a=1
H200,gemm,fp16,m=768 n=3072 k=6107
H200,gemm,fp16,m=767 n=3072 k=6112 trans_a=1
H200,gemm,fp16,m=767 n=3072 k=6112
CSV
"$habitat" predict-ops ops.csv 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_ms") at = i; next }
    { ms[NR - 1] = $at }
    END {
        print "odd sum, operands transposed: as fast as even:", (ms[2] < 1.15 * ms[1])
        print "odd sum, operands not transposed: twice as long at least:", (ms[3] > 2 * ms[1])
        print "odd rows, transposed: twice as long at least:", (ms[4] > 2 * ms[1])
        print "odd rows, not transposed: as fast:", (ms[5] < 1.15 * ms[1])
    }'
