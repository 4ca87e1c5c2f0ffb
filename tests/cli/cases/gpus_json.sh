"$habitat" gpus --json | python3 -c "
import json, sys
data = json.load(sys.stdin)
names = [g[\"name\"] for g in data[\"gpus\"]]
assert len(names) > 70 and len(set(names)) == len(names)
h = next(g for g in data[\"gpus\"] if g[\"name\"] == \"H200-SXM5-141GB\")
print(h[\"sm_count\"], h[\"memory_bandwidth_bytes_per_s\"], h[\"compute_capability\"], h[\"peak\"][\"plain_flop_per_s\"][\"tf32\"])"
