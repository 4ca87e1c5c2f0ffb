# Three GPUs in one suite and software; of two hosts the faster counts; rows with a flag, of two GPUs or of other
# sources do not. At the recording's own batch the rate is 64 images over the predicted busy time.
mkdir data
cat >data/e2e_models.csv <<'CSV'
source,model,mode,dtype,gpu,num_gpus,global_batch,throughput,suite,flag
lambda,resnet50,training_full_step,fp32,V100-SXM2-16GB,1,64,370,v0 hostA torch 1.4,
lambda,resnet50,training_full_step,fp32,TitanRTX,1,64,250,v0 hostB torch 1.4,
lambda,resnet50,training_full_step,fp32,TitanRTX,1,64,300,v0 hostC torch 1.4,
lambda,resnet50,training_full_step,fp32,TitanRTX,1,64,900,v0 hostD torch 1.4,outlier
lambda,resnet50,training_full_step,fp32,T4,2,64,900,v0 hostE torch 1.4,
other,resnet50,training_full_step,fp32,T4,1,64,900,v0 hostE torch 1.4,
lambda,resnet50,training_full_step,fp32,A6000,1,512,500,v0 hostF torch 1.7,
CSV
here=$PWD
cd "$source" || exit 1
"$habitat" eval suite --data "$here/data" --csv >"$here/cases.csv"; echo "$?"
cut -d, -f1-7 "$here/cases.csv"
rate=$(awk -F, '$4 == "TitanRTX" {print $8}' "$here/cases.csv")
"$habitat" predict data/recordings/resnet50_b64_fp32_h200.json.gz --to TitanRTX --json |
    sed -n 's/.*"busy_ms": *\([0-9.]*\).*/\1/p' | tail -1 | awk -v rate="$rate" '{ print (rate * $1 / 64000 > 0.9999 && rate * $1 / 64000 < 1.0001) }'
"$habitat" eval suite --data "$here/data" | sed -n 's/^| all | \([0-9]*\) | [0-9.]* | [0-9.]* /| all | \1 | . | . /p'
"$habitat" eval suite nobody --data "$here/data" 2>&1 | sed "s|$here|HERE|"
"$habitat" eval suite; echo "$?"
