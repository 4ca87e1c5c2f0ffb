# --to: `gpu` names the GPU predicted for, `gpu_asked` the row's own; without such a column `gpu`
# is added. A table that was answered before is answered anew.
numbers() { sed 's/,[0-9][0-9.e+-]*,[0-9][0-9.e+-]*,[0-9][0-9.e+-]*,learned/,A,B,C,learned/'; }
cat >ops.csv <<'T'
op,gpu,dtype,shape,note
linear,V100,fp32,m=512 n=512 k=512,"a, b"
linear,"no such ""card""",fp32,m=512 n=512 k=512,
add,V100,fp32,columns=8,
linear,T4,nvfp4,m=512 n=512 k=512,
T
"$habitat" predict-ops ops.csv --to L4 >first.csv 2>/dev/null
numbers <first.csv
"$habitat" predict-ops ops.csv 2>/dev/null | cut -d, -f1,2 | head -n 2
"$habitat" predict-ops first.csv --to T4 2>/dev/null | numbers
printf 'op,dtype,shape\nlinear,fp32,m=512 n=512 k=512\n' >ops.csv
"$habitat" predict-ops ops.csv --to v100 | numbers
