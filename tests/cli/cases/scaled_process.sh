# A CPU-bound step at another batch size is another process: its interval is no narrower than processes of one host lie apart
# (1.24 either way); as recorded, it is that of its own iterations.
step=$source/data/recordings/transformer_b32_fp32_h200.json.gz
for asked in "" "--batch 48" "--precision tf32"; do
    # shellcheck disable=SC2086 # options
    "$habitat" predict "$step" $asked --to H200-SXM5-141GB --json 2>/dev/null | python3 -c '
import json, sys
row = json.load(sys.stdin)["predictions"][0]
down, up = row["iteration_ms"] / row["low_ms"], row["high_ms"] / row["iteration_ms"]
print(row["bound_by"], row["cpu_basis"], "down %.1f up %.1f" % (down, up), min(down, up) >= 1.239)'
done
