# The basis of an interval names what made it wide: 19 to 28 ms around 23 is not the least width of 3 %.
"$habitat" predict "$source/data/recordings/resnet50_b16_tf32_h200.json.gz" --to H100-SXM5-80GB,H200-SXM5-141GB --json 2>/dev/null | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    print(p["gpu"], "%.3g %.3g %.3g" % (p["iteration_ms"], p["low_ms"], p["high_ms"]), p["interval"], p["interval_basis"], sep=", ")'
"$habitat" predict "$source/data/recordings/resnet50_b16_tf32_h200.json.gz" --to H100-SXM5-80GB --assemble sum --json 2>/dev/null | python3 -c '
import json, sys
for p in json.load(sys.stdin)["predictions"]:
    print(p["gpu"], "%.3g %.3g %.3g" % (p["iteration_ms"], p["low_ms"], p["high_ms"]), p["interval"], p["interval_basis"], sep=", ")'
