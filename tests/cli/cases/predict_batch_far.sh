# Batch sizes far beyond what convolutions were measured with: a full GPU does as many samples a second, no more; the row says how far it trusts itself.
trace=$source/data/recordings/dcgan_b64_fp32_h200.json.gz
"$habitat" predict "$trace" --batch 1024,2048,2560,4096,8192 --to H200-SXM5-141GB,T4 --json 2>/dev/null | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    print(p["gpu"], p["batch_size"], round(p["samples_per_s"], -2), p["interval"])'
