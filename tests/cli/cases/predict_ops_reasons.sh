# Known words that nobody can predict: empty cells, none and a reason; the rest of the table is
# answered.
cat >table.csv <<'T'
op,pass,dtype,shape,timing,gpu
linear,forward,fp32,m=512 n=512 k=512,graph,T4
linear,forward,fp32,m=512 n=512 k=512,wall,T4
linear,backward,fp32,m=512 n=512 k=512,graph,T4
linear,forward,nvfp4,m=512 n=512 k=512,graph,T4
add,backward,fp32,columns=4096,graph,T4
softmax,backward_input,fp32,rows=512 columns=512,graph,T4
linear,forward,fp32,m=512 n=512 k=512,graph,"a GPU, ""mine"""
T
"$habitat" predict-ops table.csv | cut -d, -f1,2,3,7- | sed 's/[0-9.]*,[0-9.]*,[0-9.]*,learned/A,B,C,learned/'
printf 'gpu,class,dtype,columns\nT4,pool,fp32,8\n' >table.csv
"$habitat" predict-ops table.csv
printf 'gpu,op,dtype,B,M,N,K\nT4,conv2d,fp32,1,8,8,8\n' >table.csv
"$habitat" predict-ops table.csv
