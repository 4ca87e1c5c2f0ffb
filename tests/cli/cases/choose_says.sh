# What a choice says beside its numbers: the CPU, equal GPUs, near-full GPUs, one rank of several,
# spot prices, several recordings, dates and lengths that cannot be. Figures are other tests'.
data=$source/data/recordings
export SOURCE_DATE_EPOCH=1795305600 # 2026-11-22
plain() { sed -E 's/\$?[0-9]+(\.[0-9]+)?(x| ms| J)/N\2/g; s/\$[0-9.]+/$N/g'; }
echo "-- the CPU sets the time, and GPUs are equal"
"$habitat" choose "$data/resnet50_b4_fp32_h200.json.gz" --objective time --to B200-SXM-180GB,RTX4090,L40S >out
sed -n '3,/^$/p' out | plain
sed -n '/^GPU/,/^$/p' out | grep -c 'equal.*CPU'
grep '^CPU\|^If' out
"$habitat" choose "$data/resnet50_b4_fp32_h200.json.gz" --to B200-SXM-180GB,RTX4090 --json | grep -c '"bound_by": "cpu"'
echo "-- may not fit"
"$habitat" choose "$data/llama_b4_bf16_h200.json.gz" --json | grep 'may not fit' | sed -E 's/[0-9.]+ GB/N GB/' | sort | uniq | sed 's/^ *//'
"$habitat" choose "$data/llama_b4_bf16_h200.json.gz" | grep -o '[0-9]* may not fit' | sed 's/[0-9]*/N/'
echo "-- marks"
"$habitat" choose "$fixtures/step.json" --vendor any --objective time --to L40S,MI300X,H100-SXM5-80GB | grep -E '^~|^MI300X' | sed -E 's/^MI300X.* (~?v)/MI300X \1/'
echo "-- one rank"
"$habitat" choose "$data/two_gpus/resnet50_b64_tf32.rank0.json.gz" | sed -n '/^Note: the rec/,/^[A-Z]/p' | head -2
"$habitat" choose "$data/two_gpus/resnet50_b64_tf32.rank0.json.gz" --json | grep -c 'one of 2 GPUs'
echo "-- spot"
"$habitat" choose "$data/llama_b4_bf16_h200.json.gz" --spot | grep '^Without\|^Note: a spot'
echo "-- several recordings"
cp "$data/resnet50_b4_fp32_h200.json.gz" one.json.gz
"$habitat" choose one.json.gz one.json.gz --to L40S,T4 | head -1
"$habitat" choose one.json.gz "$data/bert_b2_fp32_h100.json.gz" --to L40S,T4 | head -1
# the same step as a GPU of another vendor would record it
sed -e 's/NVIDIA H200/AMD Instinct MI300X/; s/"numSms": 132/"numSms": 304/; s/150109880320/205822885888/' "$fixtures/step.json" >amd.json
"$habitat" choose "$fixtures/step.json" amd.json --to L40S,MI300X --objective time | grep -A1 '^By\|^Note: rec'
"$habitat" choose "$fixtures/step.json" amd.json --objective time --csv 2>/dev/null | grep -cE '^(MI300X|L40S),[0-9]'
echo "-- dates"
printf 'gpu,usd_per_gpu_hour,date\nL40S,0.1,2031-01-01\nT4,0.1,2026-11-23\nA10,0.2,\n' >prices.csv
"$habitat" choose one.json.gz --prices prices.csv --to L40S,T4,A10 | sed -n '/^Note: the price/,/^Note: more/p'
"$habitat" choose one.json.gz --prices prices.csv --to L40S,T4,A10 --json | grep 'yet to come'
"$habitat" predict one.json.gz --prices prices.csv --to L40S,T4,A10 | grep 'yet to come'
echo "-- lengths"
for length in "--steps 1.5" "--samples 0.5" "--steps 99999999999999999999999"; do
    # shellcheck disable=SC2086
    "$habitat" choose one.json.gz $length
    echo "exit $?"
done
"$habitat" choose one.json.gz --vendor nvidia --to L40S,T4 | grep -c '^L40S\|^T4'
"$habitat" choose one.json.gz --vendor nvidea
echo "exit $?"
echo "-- GPUs without a price that are as fast as each other"
"$habitat" choose "$data/resnet50_b4_fp32_h200.json.gz" | sed -n '/^No price/,/cheaper/p'
