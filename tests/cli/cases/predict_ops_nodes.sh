# Operator lists of models, as torch.fx has them: what sizes are given for has a time; and messages
# between GPUs, which have none of their own.
cat >nodes.csv <<'CSV'
idx,op,target,name,input_shapes,output_shape,dtype,fw_ms,bw_ms,acc_ms
0,placeholder,input_ids,input_ids,[],"(16, 512)",int64,0,0,0
1,call_function,<built-in function add>,add,[[1]],"(1,)",,0.006,0,0
2,call_module,bert.embeddings.word_embeddings,a,"[[16, 512]]","(16, 512, 1024)",float32,0.09,0,0
3,call_module,bert.embeddings.LayerNorm,b,"[[16, 512, 1024]]","(16, 512, 1024)",float32,0.1,0,0
4,call_module,bert.embeddings.dropout,c,"[[16, 512, 1024]]","(16, 512, 1024)",float32,0.01,0,0
5,call_module,bert.encoder.layer.0.attention.self.query,d,"[[16, 512, 1024]]","(16, 512, 1024)",float32,1.8,0,0
6,call_method,view,e,"[[16, 512, 1024], [1]]","(16, 512, 16, 64)",float32,0.009,0,0
7,call_function,<built-in method matmul of type object at 0x1>,f,"[[16, 16, 512, 64], [16, 16, 64, 512]]","(16, 16, 512, 512)",float32,0.9,0,0
8,call_function,<function softmax at 0x1>,g,"[[16, 16, 512, 512]]","(16, 16, 512, 512)",float32,0.5,0,0
9,call_function,<built-in method addmm of type object at 0x1>,h,"[[3072], [4096, 1024], [1024, 3072]]","(4096, 3072)",float32,2,0,0
10,call_function,<built-in function gelu>,i,"[[16, 512, 4096]]","(16, 512, 4096)",float32,0.4,0,0
11,call_function,<built-in function eq>,j,"[[16, 512]]","(16, 512)",bool,0.01,0,0
CSV
"$habitat" predict-ops nodes.csv --to V100-PCIE-32GB | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["idx"], row["method"], row["reason"])'
# the same sizes in words of another table give the same times
cat >same.csv <<'CSV'
gpu,op,dtype,B,M,N,K,source
V100-PCIE-32GB,linear,fp32,1,8192,1024,1024,neusight
V100-PCIE-32GB,bmm,fp32,256,512,64,512,neusight
CSV
"$habitat" predict-ops same.csv | cut -d, -f9 | sed 1d >wanted
"$habitat" predict-ops nodes.csv --to V100-PCIE-32GB 2>/dev/null | python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(rows[5]["predicted_ms"], rows[7]["predicted_ms"], sep="\n")' | cmp - wanted && echo same
echo "-- what a module's name does not tell, and convolutions, whose width is no column"
cat >modules.csv <<'CSV'
op,target,input_shapes,output_shape,dtype
call_module,layers.0.input_layernorm,"[[2, 512, 4096]]","(2, 512, 4096)",float16
call_module,blocks.0.norm1,"[[8, 197, 768]]","(8, 197, 768)",float32
call_module,layer1.0.relu,"[[8, 64, 56, 56]]","(8, 64, 56, 56)",float32
call_module,mix.proj,"[[8, 64, 56, 56]]","(8, 64, 56, 56)",float32
call_module,patch_embed.proj,"[[8, 3, 224, 224]]","(8, 768, 14, 14)",float32
call_module,blocks.0.mlp.fc1,"[[8, 56, 56, 96]]","(8, 56, 56, 384)",float32
call_function,matmul,"[[8, 512, 64], [64, 128]]","(8, 512, 128)",float32
call_function,matmul,"[[8, 4, 512, 64], [8, 1, 64, 128]]","(8, 4, 512, 128)",float32
call_function,addmm,"[[128], [4096, 64], [64, 128]]","(4096, 128)",float32
call_function,matmul,"[[512, 64], [64]]","(512,)",float32
call_module,head,"[[768]]","(1000,)",float32
CSV
"$habitat" predict-ops modules.csv --to A100-PCIE-40GB | python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
for row in rows:
    print(row["target"], row["method"], row["reason"])
print(0.5 < float(rows[6]["predicted_ms"]) / float(rows[8]["predicted_ms"]) < 2)'
echo "-- messages"
cat >messages.csv <<'CSV'
gpu,interconnect,op,dtype,bytes,num_gpus,gpus_per_node,latency_ms,std_ms,busbw_gbs,impl,version,flag,source
A100-SXM4-80GB,NVLink3/NVSwitch,all_reduce,fp16,512,2,2,0.00898,,0.0285078,nccl,nccl 2.27.3,,aiconfigurator
A40,PCIe4,send_recv,fp16,67108864,2,2,16.9,0.06,3.97,nccl,,,vidur
CSV
"$habitat" predict-ops messages.csv | cut -d, -f3,5,15-
echo "-- refused"
wrong() {
    { head -1 nodes.csv; echo "$1"; } >wrong.csv
    "$habitat" predict-ops wrong.csv --to T4; echo "exit $?"
}
wrong '0,call_nothing,add,add,"[[4, 4]]","(4, 4)",float32,1,0,0'
wrong '0,,add,add,"[[4, 4]]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"[[4, 4]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"[[4, x]]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"[[4, 0]]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"[[4, 1e99]]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"4, 4]]","(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,,"(4, 4)",float32,1,0,0'
wrong '0,call_function,add,add,"[[4, 4]]","(4, 4)",float32,soon,0,0'
wrong '0,call_function,bmm,bmm,"[[4, 4, 5], [4, 6, 4]]","(4, 4, 4)",float32,1,0,0'
wrong '0,call_module,x.fc,fc,"[[8, 4]]","(4, 4)",float32,1,0,0'
wrong '0,call_module,x.ln_1,ln_1,"[[9007199254740992, 9007199254740992]]","(9007199254740992, 9007199254740992)",float32,1,0,0'
"$habitat" predict-ops nodes.csv; echo "exit $?"
sed 's/all_reduce/all_around/' messages.csv >wrong.csv; "$habitat" predict-ops wrong.csv; echo "exit $?"
sed 's/,512,2/,,2/' messages.csv >wrong.csv; "$habitat" predict-ops wrong.csv; echo "exit $?"
