# Nothing can be taken: what comes nearest, in text and in JSON, exit 0; CSV holds each GPU with its reason.
llama=$source/data/recordings/llama_b4_bf16_h200.json.gz
export SOURCE_DATE_EPOCH=1795305600
nearest() { # numbers of predictions are other tests'
    "$habitat" choose "$llama" "$@" | sed -n '3,$p' | sed -E 's/: [0-9.]+ h on/: X h on/; s/Memory: [0-9.]+/Memory: X/'
    echo "exit $?"
}
nearest --steps 100000 --deadline 1h --to L40S,H100-SXM5-80GB,B200-SXM-180GB
nearest --max-usd-hour 0.1 --to L40S,H100-SXM5-80GB,T4
nearest --to T4,L4
nearest --to GB200-186GB
nearest --vendor amd
nearest --vendor amd --to L40S,MI300X
"$habitat" choose "$llama" --steps 100000 --deadline 1h --to L40S,B200-SXM-180GB --json | python3 -c '
import json, sys
out = json.load(sys.stdin)
print(out["recommended"], out["reason"], len(out["changes"]), out["changes"][0][:40])'
"$habitat" choose "$llama" --to L40S,T4,GB200-186GB,A100-SXM4-80GB --csv 2>/dev/null >out.csv
python3 - <<'P'
import csv
for row in csv.DictReader(open("out.csv")):
    print(row["gpu"], bool(row["value"]), bool(row["iteration_ms"]), row["tie"], row["bound_by"], "|", row["excluded"])
P
all=$("$habitat" gpus --csv | sed 1d | wc -l)
[ "$("$habitat" choose "$llama" --csv 2>/dev/null | sed 1d | wc -l)" = "$all" ] && echo "CSV holds all"
