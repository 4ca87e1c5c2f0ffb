# Wrong options and files, each with one line and its exit code.
trace="$source/data/recordings/resnet50_b4_fp32_h200.json.gz"
run() { "$habitat" choose "$@"; echo "exit $?"; }
run
run "$trace" --objective speed
run "$trace" --deadline 24h
run "$trace" --steps 10 --deadline soon
run "$trace" --steps 10 --samples 10
run "$trace" --price L40S
run "$trace" --price L40S=0
run "$trace" --price L41S=1
run "$trace" --vendor acme
run "$trace:0"
run "$trace" --prices nowhere.csv
printf 'gpu,usd_per_gpu_hour\nL40S,free\n' >bad.csv
run "$trace" --prices bad.csv
