# Words about the table are read in every format; what a table is sorted by does not say which GPU is the fastest.
trace=$fixtures/step.json
run() { "$habitat" predict "$trace" "$@" >out; echo "exit $?, $(wc -l <out | tr -d ' ') lines"; }
run --sort speed --json
run --since soon --csv
run --vendor Nvidiia --json
run --to T4,L4 --vendor AMD
run --min-memory 100000
run --columns gpu,date --to T4
run --columns gpu --json
run --columns gpu --by op
run --steps 0
run --steps 1.5
run --samples 0.5
run --steps 99999999999999999999999
run --columns hours
run --samples 0
run --to T4 --timeline -
"$habitat" choose "$trace" --max-usd-hour 0; echo "exit $?"
gpus=T4,V100-PCIE-16GB,H200-SXM5-141GB,A100-SXM4-80GB
for sort in time name cost memory; do
    "$habitat" predict "$trace" --to $gpus --sort $sort --columns marks | sed -n '/^GPU/,/^$/p;/^Fastest/p'
done
"$habitat" predict "$trace" --to $gpus --sort name --by class | sed -n '/^GPU/,/^$/p'
"$habitat" predict "$trace" --to $gpus --sort name --top 3 | grep 'left out'
"$habitat" predict "$trace" --to $gpus --top 3 | sed -n '/^GPU/,/^$/p'
# rows of several batch sizes are compared by the sample, and each needs memory of its own
step=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
"$habitat" predict "$step" --to T4,RTX2060SUPER --batch 16,128,1024 --columns gpu,iteration_ms,samples_per_s,marks | sed -n '/^GPU/,/^too/p;/^Fastest/,$p'
"$habitat" predict "$step" --batch 16,128 | sed -n '/^Fastest/,/all/p'
# a GPU that is left out is named once
"$habitat" predict "$step" --gpus 2 --to GB10 2>&1
"$habitat" predict "$step" --gpus 2 --to GB10,T4 --columns marks 2>&1 | sed -n '/^Note: GB10/,/file$/p'
"$habitat" predict "$step" --gpus 8 2>&1 | grep -c GB10
"$habitat" predict "$step" --gpus 2 --to GB10,T4 --csv 2>&1 >/dev/null | grep 'left out'
for how in "predict --json" "choose" "choose --json" "choose --csv" "predict --to all --json" "choose --to GB10,T4"; do # on stderr: where it was asked for, and with CSV
    "$habitat" $how --gpus 2 "$step" 2>&1 >/dev/null | grep -c GB10
done
"$habitat" choose "$step" --gpus 2 --json 2>/dev/null | grep -c 'GB10: left out'
