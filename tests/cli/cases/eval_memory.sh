# Each recording predicts the peak of the other, at another batch size and in other formats.
mkdir two
cp "$source/data/recordings/resnet50_b4_fp32_h200.json.gz" "$source/data/recordings/resnet50_b16_amp_bf16_h200.json.gz" two
"$habitat" eval memory --recordings two | head -n 16
"$habitat" eval memory --recordings two --csv
# Runs that failed, with what was free then: one batch size in two formats, whose largest tensors differ; the last is of a
# model without a recording.
mkdir failed
cp "$source/data/recordings/resnet50_b4_fp32_h100.json.gz" "$source/data/recordings/resnet50_b16_amp_bf16_h100.json.gz" failed
gpu='NVIDIA H100 80GB HBM3,torch 2.11.0+cu130'
head -n 1 "$source/data/recordings/measured_limits_h100.csv" >failed/measured_limits_h100.csv
head -n 1 "$source/data/recordings/measured_failures_h100.csv" >failed/measured_failures_h100.csv
for run in resnet50,fp32 resnet50,amp-bf16 bert,fp32; do
    echo "$gpu,$run,1000,3000000000,80000000000,1605632000,2000000000,85017493504" >>failed/measured_failures_h100.csv
    case $run in resnet50*) echo "$gpu,$run,1000,False,,,,85017493504,0,," ;; esac
done >>failed/measured_limits_h100.csv
"$habitat" eval memory --recordings failed | sed -n '/How runs failed/,/One model/p'
