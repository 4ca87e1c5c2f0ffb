# Operations far outside what was measured are told of over all batch sizes and GPUs asked: of the row with most of them.
recording=$source/data/recordings/dcgan_b64_fp32_h200.json.gz
for asked in "--batch 64,2560 --to T4" "--batch 2560,64 --to T4,V100-PCIE-32GB" "--batch 2560 --to T4" "--batch 64 --to T4"; do
    echo "$asked"
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" $asked | sed -n '/of the operations/,/^Note/p' | grep -v '^Note: [a-z]'
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" $asked --csv 2>&1 >/dev/null | grep 'of the operations'
    # shellcheck disable=SC2086
    "$habitat" predict "$recording" $asked --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print([w for w in d["warnings"] if "of the operations" in w])
print([(p["gpu"], p["batch_size"], any("of the operations" in w for w in p["warnings"])) for p in d["predictions"]])'
done
"$habitat" predict "$recording" --batch 64,2560 | grep "of the operations"
exit 0
