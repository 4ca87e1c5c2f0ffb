# A published row of a linear layer asks what the project's own row of it asks: weights stored (n, k). The rows that models are trained on say so too.
time_of() { "$habitat" predict-ops table.csv | python3 -c 'import csv, sys; print(*(r["predicted_ms"] for r in csv.DictReader(sys.stdin)))'; }
own() {
    { echo gpu,class,source,timing,dtype,variant,m,n,k,trans_b,time_ms
      for transposed in 1 0; do echo "$1,gemm,$2,$3,$4,$5,$6,$transposed,1"; done; } >table.csv
    time_of
}
compare() { [ "$published" = "${2%% *}" ] && [ "$published" != "${2##* }" ] && echo "$1: as stored (n, k), not (k, n)"; }
{ echo gpu,op,dtype,m,n,k,latency_ms,framework,version,source; echo L40S,gemm,bf16,96,1280,8192,1,sglang,1,aiconfigurator; } >table.csv
published=$(time_of)
compare aiconfigurator "$(own L40S aiconfigurator serving bf16 sglang 96,1280,8192)"
{ echo gpu,model,op,dtype,num_tokens,tp,n_embd,n_expanded_embd,n_head,n_kv_head,vocab_size,use_gated_mlp,latency_ms,source
  echo A100-PCIE-80GB,m,mlp_down_proj,fp16,96,2,4096,11008,32,32,32000,True,0.1,vidur; } >table.csv
published=$(time_of)
compare vidur "$(own A100-PCIE-80GB vidur kernel fp16 '' 96,4096,5504)"
for file in gemm_lowprec gemm_fp32; do
    gzip -dc "$source/data/measurements/$file.csv.gz" | python3 -c '
import collections, csv, sys
print(*sorted(collections.Counter((r["class"], r["trans_b"]) for r in csv.DictReader(sys.stdin))))'
done
