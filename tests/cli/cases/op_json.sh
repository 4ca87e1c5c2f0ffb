# 2 m n k = 2147483648 flop; the backward pass is two such products.
for pass in forward backward backward-input; do
    "$habitat" op gemm --m 1024 --n 1024 --k 1024 --to T4 --pass $pass --json |
        python3 -c "
import json, sys
data = json.load(sys.stdin)
o, p = data[\"operation\"], data[\"predictions\"][0]
assert 0 < p[\"low_ms\"] <= p[\"ms\"] <= p[\"high_ms\"]
print(o[\"pass\"], o[\"flop\"])"
done
