# No option is taken and then left out of account: what does not go together is refused, with exit code 2.
step=$fixtures/step.json
run() { echo "$*"; "$habitat" "$@" 2>&1 >out | sed 's/^/  /'; "$habitat" "$@" >/dev/null 2>&1; echo "  exit $?"; }
cp "$step" step.json
printf 'gpu,usd_per_gpu_hour\nT4,1\n' >prices.csv
for by in kernel op module; do
    run predict step.json --to T4,L4 --by $by --steps 10
done
for option in "--samples 10" "--price T4=1" "--prices prices.csv" --spot; do
    run predict step.json --to T4,L4 --by module $option
done
run predict step.json --to T4,L4 --by class --csv --steps 10
run predict step.json --html - --by class
run predict step.json --html - --columns gpu,ratio
run explain step.json --to T4 --html - --by class
run op conv2d --batch 8 --in-channels 4 --out-channels 4 --kernel 3 --size 8 --height 9 --width 3 --to T4
run op conv1d --batch 8 --in-channels 4 --out-channels 4 --kernel 3 --size 8 --width 3 --to T4
run gpus --template --csv
run gpus --template --check
run gpus --template --gpu-file step.json
run record --counters-percentile 50 train.py
run record --counters-percentile 50 -- true
# What says something beside them: costs of the verdict, of JSON, of the page; the order; a side that is not given.
fine() { "$habitat" "$@" >out 2>/dev/null && echo "fine: $*"; }
fine predict step.json --to T4,L4 --by class --steps 10
fine predict step.json --to T4,L4 --by op --steps 10 --json
fine predict step.json --to T4,L4 --by op --steps 10 --html page.html
fine predict step.json --to T4,L4 --by op --price T4=9 --price L4=1 --sort price && grep '^[TL]4' out
fine predict step.json --html page.html --by class
fine predict step.json --html - --by op
fine op conv2d --batch 8 --in-channels 4 --out-channels 4 --kernel 3 --size 8 --height 9 --to T4
fine op conv3d --batch 8 --in-channels 4 --out-channels 4 --kernel 3 --size 8 --height 9 --width 3 --to T4
fine gpus --template --json
