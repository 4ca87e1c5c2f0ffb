# What there is to say of the recommended GPU's price stands in JSON as in the text.
trace=$source/data/recordings/gnmt_b16_fp32_h100.json.gz
printf 'gpu,usd_per_gpu_hour,product,date\nT4,0.1,GPU alone,2019-01\n' >old.csv
printf 'gpu,usd_per_gpu_hour\nT4,0.1\n' >undated.csv
printf 'gpu,usd_per_gpu_hour,date\nT4,0.1,2026-11-01\n' >new.csv
for file in old undated new; do
    SOURCE_DATE_EPOCH=1795000000 "$habitat" choose "$trace" --to T4,A100-SXM4-80GB --prices $file.csv >text 2>/dev/null
    SOURCE_DATE_EPOCH=1795000000 "$habitat" choose "$trace" --to T4,A100-SXM4-80GB --prices $file.csv --json 2>/dev/null |
        python3 -c '
import json, sys
choice = json.load(sys.stdin)
print([w for w in choice["warnings"] if "price" in w], [(r["gpu"], r["price_gpu_alone"]) for r in choice["ranking"]])'
    grep "Note: the price" text || echo "the text has none"
done
