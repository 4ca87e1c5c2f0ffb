# The traces recorded by others, where they are: not part of the repository.
traces=$source/../shared/traces
[ -d "$traces" ] || traces=$source/../../shared/traces
[ -d "$traces" ] || { echo "no shared traces beside the repository" >&2; exit 77; }
for file in "$traces"/*.json.gz; do
    "$habitat" info "$file" --json | python3 "$source/tests/cli/predicted.py" info
    "$habitat" predict "$file" --json | python3 "$source/tests/cli/predicted.py" predict
    "$habitat" explain "$file" --to T4 --json | python3 "$source/tests/cli/predicted.py" explain
    # the sum over kernels is that of the file, to the last digit
    zcat "$file" >plain.json
    "$habitat" predict plain.json --to H200-SXM5-141GB --json >out.json
    python3 - <<'PY' || exit 1
import json
from decimal import Decimal
events = json.load(open("plain.json"), parse_float=Decimal)["traceEvents"]
kernels = [e for e in events if e.get("cat") == "kernel"]
out = json.load(open("out.json"))
assert out["trace"]["kernels"] == len(kernels), (out["trace"]["kernels"], len(kernels))
assert out["trace"]["kernel_ms"] == float(sum(e["dur"] for e in kernels) / 1000)
assert out["predictions"][0]["kernel_ms"] == out["trace"]["kernel_ms"]
PY
done | sort | uniq -c | sed 's/^ *//; s/[0-9]* predictions/N predictions/'
