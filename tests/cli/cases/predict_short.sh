# The table people meet first: what it holds, its order, its columns; JSON and CSV hold every GPU.
trace="$source/data/recordings/resnet50_b64_fp32_h200.json.gz"
all=$("$habitat" gpus --csv | sed 1d | wc -l)
for t in resnet50_b64_fp32_h200 gpt2_b4_bf16_h100 bert_b8_amp_bf16_h100; do
    "$habitat" predict "$source/data/recordings/$t.json.gz" >out
    [ "$(wc -l <out)" -le 23 ] && ! grep -q '.\{81\}' out && echo "$t: on one screen"
    rows=$(sed -n '6,/^$/p' out | grep -c .)
    [ "$rows" -ge 10 ] && [ "$rows" -le 15 ] && echo "10 to 15 rows"
    sed -n '6,/^$/p' out | grep -c ' origin'
    sed -n '6,/^$/p' out | grep -cE '^(MI|RX)'
    grep -o 'Fastest of these:\|Cheapest of these:\|more: --all' out
done
"$habitat" predict "$trace" --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["predictions"]) == int(sys.argv[1]))' "$all"
[ "$("$habitat" predict "$trace" --csv 2>/dev/null | sed 1d | wc -l)" = "$all" ] && echo "CSV holds all"
[ "$("$habitat" predict "$trace" --all | sed -n '6,/^$/p' | grep -c .)" = "$all" ] && echo "--all shows all"
echo "columns and filters"
"$habitat" predict "$trace" --columns gpu,release_date --since 2024-06 --vendor amd --all | sed -n '4,/^$/p'
"$habitat" predict "$trace" --columns gpu --sort date --top 2 --vendor NVIDIA --min-memory 180 | sed -n '4,/^$/p'
"$habitat" predict "$trace" --to T4,L40S --price T4=1 --price L40S=0.5 --sort price --columns gpu,usd_per_hour | sed -n '4,7p'
"$habitat" predict "$trace" --price RTX2070=0.01 | grep -oE '^RTX2070 |Cheapest of these: RTX2070'
SOURCE_DATE_EPOCH=1893456000 "$habitat" predict "$trace" | grep -o 'Its price is' # in 2030
for bad in "--sort speed" "--columns gpu,speed" "--since then"; do
    # shellcheck disable=SC2086
    "$habitat" predict "$trace" $bad
    echo "exit $?"
done
