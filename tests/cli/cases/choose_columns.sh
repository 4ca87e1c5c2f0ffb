# --columns: the table of a choice by the keys of its JSON, behind what tells its rows apart.
step=$fixtures/step.json
table() { sed -n '/^GPU/,/^$/p'; }
to=L40S,T4,H100-SXM5-80GB
"$habitat" choose "$step" --to $to --columns iteration_ms,interval,fits,headroom_bytes,gpu | table
echo "-- every key of CSV but the reason of those left out"
for key in $("$habitat" choose "$step" --to $to --csv | head -1 | tr , ' ') marks; do
    "$habitat" choose "$step" --to $to --steps 1000 --columns "$key" >out
    echo "$key $?: $(table <out | grep -c '^H100')"
done
all=$("$habitat" choose "$step" --to $to --csv | head -1 | sed 's/,excluded//'),marks
"$habitat" choose "$step" --to $to --steps 1000 --columns "$all" | grep -oE '^L40S|usd_per_1000_iterations +best'
echo "-- rows of several batch sizes and numbers"
"$habitat" choose "$source/data/recordings/dcgan_b16_fp32_h200.json.gz" --to $to --batch 16,32 --gpus 1,2 --columns samples_per_s,bound_by --top 3 | table
echo "-- intervals that are not calibrated are told where no column does"
"$habitat" choose "$step" --to L40S,MI300X --objective time --columns value,value_unit | grep 'calibrated'
"$habitat" choose "$step" --to L40S,MI300X --objective time --columns interval,value | grep -E "^MI300X|calibrated:"
echo "-- refused"
for wrong in "--columns speed" "--columns headroom_gb" "--columns hours" "--columns total_kwh" "--columns value --json" "--columns value --html -"; do
    # shellcheck disable=SC2086
    "$habitat" choose "$step" --to $to $wrong
    echo "exit $?"
done
