# Each schema of docs/dataset.md and of the public bundles has an answer.
answer() { "$habitat" predict-ops table.csv | awk -F, -v what="$1" 'END { print what ": " ($(NF-6) > 0 && $(NF-3) != "none" ? "a number" : "none") }'; }
{ echo gpu,op,dtype,B,M,N,K,latency_ms,source; echo T4,bmm,fp32,64,512,64,512,1,neusight; } >table.csv; answer gemm_fp32
{ echo gpu,op,dtype,batch,c_in,c_out,kernel_size,in_hw,stride,padding,out_hw,latency_ms,source
  echo T4,conv2d_fwd,fp32,16,64,64,3,56,1,1,56,2,neusight; } >table.csv; answer conv_fp32
{ echo gpu,op,dtype,B,H,latency_ms,source; echo T4,gelu,fp32,4096,4096,1,neusight; } >table.csv; answer pointwise_fp32
{ echo gpu,op,dtype,m,n,k,latency_ms,framework,version,source; echo L40S,gemm,fp8,4096,4096,4096,1,vllm,1,aiconfigurator; } >table.csv; answer gemm_lowprec
{ echo gpu,op,dtype,batch,seq,heads,kv_heads,head_dim,latency_ms,framework,version,kernel,source
  echo L40S,context_causal,bf16,2,4096,32,8,128,1,sglang,1,flash_attention,aiconfigurator; } >table.csv; answer attention
for op in attn_pre_proj mlp_act input_layernorm add emb attn_rope; do
    { echo gpu,model,op,dtype,num_tokens,tp,n_embd,n_expanded_embd,n_head,n_kv_head,vocab_size,use_gated_mlp,latency_ms,source
      echo A40,m,$op,fp16,4096,2,4096,11008,32,32,32000,True,0.1,vidur; } >table.csv; answer "llm_layer $op"
done
{ echo gpu,op,pass,dtype,batch,in_hw,kernel_size,c_in,c_out,stride,padding,use_bias,dim_input,dim_output,activation,optimizer,latency_ms,source
  echo GTX1080Ti,conv2d,fwd,fp32,9,71,4,100,97,2,VALID,True,,,relu,None,3,cdecatapult; } >table.csv; answer tf_conv
{ echo gpu,op,dtype,m,n,k,trans_a,trans_b,w,h,c,batch,k_out,filter_w,filter_h,pad_w,pad_h,stride_w,stride_h,hidden,timesteps,fwd_ms,bwd_input_ms,bwd_weight_ms,source
  echo V100,rnn_lstm,fp32,,,,,,,,,64,,,,,,,,1024,25,5,9,,deepbench; } >table.csv; answer deepbench
{ echo gpu,op,pass,dtype,shape,latency_ms,timing,source
  echo H200,conv2d,backward_weight,tf32,batch=16 c_in=64 c_out=64 in=56 kernel=3 stride=1 padding=1 groups=1,1,graph,habitat; } >table.csv; answer collected
