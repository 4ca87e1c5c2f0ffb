# Three GPUs in one suite and software; of two hosts the faster counts; rows with a flag, of two GPUs or of other
# sources do not. The rate is the batch's images over the predicted busy time, at the recording's own batch (64) and at another (512).
# Two of them also in a later version: 370/300 and 400/250 are 29.7 % apart (1.6/1.2333), half of it 13.9 % (the root); 250 is 16.7 % below 300.
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
lambda,resnet50,training_full_step,fp32,TitanRTX,1,64,250,v1 hostG torch 1.13,
lambda,resnet50,training_full_step,fp32,V100-SXM2-16GB,1,64,400,v1 hostA torch 1.13,
CSV
here=$PWD
cd "$source" || exit 1
"$habitat" eval suite --data "$here/data" --csv >"$here/cases.csv"; echo "$?"
cut -d, -f1-7 "$here/cases.csv"
as_predicted() { # GPU BATCH RECORDING: whether the rate is that of predict
    rate=$(awk -F, -v gpu="$1" '$4 == gpu {print $8}' "$here/cases.csv")
    "$habitat" predict "data/recordings/$3" --to "$1" --batch "$2" --assemble sum --json |
        sed -n 's/.*"busy_ms": *\([0-9.]*\).*/\1/p' | tail -1 |
        awk -v rate="$rate" -v batch="$2" '{ r = rate * $1 / (1000 * batch); print (r > 0.9999 && r < 1.0001) }'
}
as_predicted TitanRTX 64 resnet50_b64_fp32_h200.json.gz
as_predicted A6000 512 resnet50_b64_tf32_h200.json.gz
"$habitat" eval suite --data "$here/data" | sed -n 's/^| all | \([0-9]*\) | [0-9.]* | [0-9.]* /| all | \1 | . | . /p'
"$habitat" eval suite --data "$here/data" | sed -n '/^\*\*How far/,/^Rows of GPUs/{s/are off by [0-9.]* % on/are off by . % on/;p;}'
"$habitat" eval suite nobody --data "$here/data" 2>&1 | sed "s|$here|HERE|"
"$habitat" eval suite; echo "$?"
