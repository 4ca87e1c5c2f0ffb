# choose takes --min-memory and --since as of predict, of the GPUs that it asks; --all shows the whole ranking; what is predict's says so.
trace=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
run() { "$habitat" choose "$trace" "$@" >out; echo "exit $?"; }
gpus() { "$habitat" choose "$trace" --vendor any --objective time "$@" --json 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(sorted(row["gpu"] for row in answer["ranking"] + answer["excluded"]))'; }
gpus --min-memory 180
gpus --min-memory 100 --since 2025-06
gpus --to H200-SXM5-141GB,T4,L4 --since 2020
# as many as predict shows of the same
for filter in "--min-memory 100" "--since 2024"; do
    "$habitat" predict "$trace" --all $filter --columns gpu | sed -n '/^GPU$/,/^$/p' | sed 1d | grep -c .
    "$habitat" choose "$trace" $filter --csv 2>/dev/null | sed 1d | grep -c .
done
run --min-memory 5000
run --since 2040-01
run --min-memory 100 --since 2040
run --since 2022-13
run --min-memory many
rows() { "$habitat" choose "$trace" --vendor any --objective time "$@" | sed -n '/^GPU /,/^$/p' | sed 1d | grep -c .; }
[ "$(rows --all)" = "$("$habitat" choose "$trace" --vendor any --objective time --json | grep -c '"value_unit"')" ] && echo "the whole ranking"
rows --all --top 3
# the order of the table is no other ranking: marks and the recommendation stay
"$habitat" choose "$trace" --to T4,L4,A10,H200-SXM5-141GB --top 3 --sort memory | sed -n '/^Take/,/^$/p;/^GPU/,/^$/p'
for sort in time cost price energy memory date name; do
    echo "$sort:" $("$habitat" choose "$trace" --to T4,L4,A10,H200-SXM5-141GB --price A10=9 --sort $sort | sed -n '/^GPU/,/^$/p' | sed 1d | cut -d' ' -f1)
done
"$habitat" choose "$trace" --to T4,L4,H200-SXM5-141GB --batch 8,16 --sort name --top 9 | sed -n '/^GPU/,/^$/p' | cut -c1-24
"$habitat" choose "$trace" --to T4,L4 --sort name --json >a 2>/dev/null; "$habitat" choose "$trace" --to T4,L4 --json 2>/dev/null | cmp - a; rm a
run --sort speed --json
run --sort speed --html page.html
run --columns gpu,ratio
run --by op
ls
# Eight that are rented together: one alone costs as much, which both commands say.
printf 'gpu,usd_per_gpu_hour,min_gpus,date\nH100-SXM5-80GB,0.5,8,2026-11-01\n' >together.csv
for command in predict choose; do
    for gpus in 1 8; do
        "$habitat" $command "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to H100-SXM5-80GB --prices together.csv --gpus $gpus 2>&1 | grep 'rented together'
    done
done
# A limit is of what is paid: eight at 0.5 are 4 an hour, ten are two such machines.
for limit in 3.9 4; do
    "$habitat" choose "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to H100-SXM5-80GB --prices together.csv --max-usd-hour $limit 2>/dev/null | grep -E 'H100-SXM5|rented'
done
"$habitat" choose "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to H100-SXM5-80GB --prices together.csv --gpus 10 --max-usd-hour 7.9 2>/dev/null | grep Limit
true
# A row has the price of its own GPUs, taken or left out.
for limit in 3.99 4; do
    "$habitat" choose "$source/data/recordings/bert_b2_fp32_h200.json.gz" --to H100-SXM5-80GB --prices together.csv --max-usd-hour $limit --csv 2>/dev/null |
        python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["gpu"], row["usd_per_hour"], row["excluded"])'
done
