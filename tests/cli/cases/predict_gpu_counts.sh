# --gpus N,..: a row for each GPU and number, named with its number.
trace=$source/data/recordings/dcgan_b16_fp32_h200.json.gz
rows() { sed -n 's/^ *"\(gpu\|batch_size\|gpus\)": \(.*\),$/\2/p' | paste -sd' ' | sed 's/"\([A-Z]\)/\n"\1/g'; }
echo "-- text"
"$habitat" predict "$trace" --to L40S,T4 --gpus 1,2,4 | head -3
"$habitat" predict "$trace" --to L40S,T4 --gpus 1,2,4 --columns largest_batch | sed -n '/^GPU/,/^$/p'
"$habitat" predict "$trace" --to L40S,T4 --gpus 1,2,4 | grep -oE 'Fastest: [a-z]+ L40S|Cheapest:|one L40S'
"$habitat" predict "$trace" --to L40S --gpus 2,4 --batch 8,16 --columns gpu | sed -n '/^GPU/,/^$/p'
"$habitat" predict "$trace" --to L40S --gpus 2,4 --batch 8,16 | grep -oE 'four L40S at batch size 16'
echo "-- no batch size is known"
zcat "$trace" | sed 's/"batch_size": *[0-9]*,//' >unknown.json
"$habitat" predict unknown.json --to L40S,T4 --gpus 1,2 | grep -A2 '^Fastest'
echo "-- one number, twice"
"$habitat" predict "$trace" --to L40S,T4 --gpus 2,02 | grep -oE '2 GPUs together|Fastest: L40S'
echo "-- JSON and CSV"
"$habitat" predict "$trace" --to L40S,T4 --gpus 1,2 --batch 8,16 --json | sed -n '/"predictions"/,$p' | rows
"$habitat" predict "$trace" --to L40S,T4 --gpus 1,2 --csv 2>/dev/null | python3 -c 'import csv, sys
print([(row["gpu"], row["gpus"]) for row in csv.DictReader(sys.stdin)])'
"$habitat" predict "$trace" --to L40S --gpus 1,2 --by class --json | grep -c '"class"'
echo "-- a page"
"$habitat" predict "$trace" --to L40S --gpus 1,2 --html page.html >/dev/null && grep -o '"row">[2 x]*L40S' page.html | sort -u
echo "-- refused"
for wrong in "--gpus 1,x" "--gpus 1,,2" "--gpus 0,1" "--gpus 1,70000" "--gpus 1,2 --by class" "--gpus 1,2 --by op --csv" "--gpus 1,2 --assemble sum" "--gpus 1,2 --timeline x"; do
    # shellcheck disable=SC2086
    "$habitat" predict "$trace" --to L40S $wrong; echo "exit $?"
done
