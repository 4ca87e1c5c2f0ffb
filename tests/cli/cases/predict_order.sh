# Rows of files: those named in the order asked, all of the table with the fastest first, of each batch size and number of GPUs.
ordered() {
    python3 -c 'import csv, json, sys
text = sys.stdin.read()
rows = json.loads(text)["predictions"] if text[0] == "{" else list(csv.DictReader(text.splitlines()))
sets = {}
for row in rows:
    sets.setdefault((row.get("batch_size"), row.get("gpus")), []).append((float(row["iteration_ms"]), row["gpu"]))
many = len(rows) > 10
print(list(sets) if many else [row["gpu"] for row in rows], len(rows) > 100, all(times == sorted(times) for times in sets.values()))'
}
step=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
"$habitat" predict "$step" --json | ordered
"$habitat" predict "$step" --csv 2>/dev/null | ordered
"$habitat" predict "$step" --to all --json | ordered
"$habitat" predict "$step" --batch 8,4 --json | ordered
"$habitat" predict "$step" --gpus 2 --json | ordered
"$habitat" predict "$fixtures/no_gpu.json" --json | ordered
"$habitat" predict "$step" --to T4,L4,P4 --json | ordered
"$habitat" predict "$step" --to T4,L4,P4 --csv 2>/dev/null | ordered
