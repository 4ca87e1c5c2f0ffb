# A row outside has its time and, in `reason`, why it is a guess; so has one that does not fit.
printf '%s\n' op,shape,dtype,pass,gpu 'gemm,m=512 n=512 k=512,fp32,forward,T4' 'gemm,m=1 n=1 k=1000000000,fp32,forward,T4' 'gemm,m=65536 n=65536 k=4096,fp32,forward,T4' 'layer_norm,rows=1 columns=1000000000,fp32,forward,T4' 'softmax,rows=8 columns=8,int8,forward,T4' >a.csv
"$habitat" predict-ops a.csv
printf '%s\n' op,shape,dtype,pass,gpu 'bmm,b=1000000000 m=1000000000 n=1 k=1000000000,fp32,forward,T4' >b.csv
"$habitat" predict-ops b.csv; echo $?
