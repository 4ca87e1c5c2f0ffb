# 4800 GB/s to 320 GB/s is a factor of 15: 0.154 ms of kernels become 2.31 ms.
"$habitat" predict "$fixtures/step.json" --to T4 --method bandwidth --json >out.json
python3 "$source/tests/cli/predicted.py" predict <out.json
python3 - <<PY
import json
data = json.load(open("out.json"))
p = data["predictions"][0]
print(data["trace"]["kernel_ms"], data["trace"]["batch_size"], data["trace"]["kernels"], data["trace"]["operations"])
print(p["kernel_ms"], p["iteration_ms"], p["fits"], p["by_class"])
PY
