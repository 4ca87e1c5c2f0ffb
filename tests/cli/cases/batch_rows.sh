# Rows of sparse gradients grow with the batch; a step whose results are as long as values say has a note and a wider interval; recordings without a note whose passes gather
# gradients are of all their samples; a size beyond any memory on the line through two recordings is refused.
ways=$source/data/recordings/training_ways
sum() { "$habitat" predict "$@" --to H200 --assemble sum --json 2>/dev/null | sed -n 's/ *"kernel_ms": \([0-9]*\.[0-9]\).*/\1 ms/p' | tail -n 1; }
sum "$ways/tables_b1024_h200.json.gz" --batch 4096 # recorded: 5.4 ms
sum "$ways/tables_b4096_h200.json.gz" --batch 1024 # 2.9 ms
"$habitat" predict "$ways/detector_b2_h200.json.gz" --recorded-batch 2 --batch 8 --to H200 2>/dev/null | grep -A 2 "as their values say"
"$habitat" predict "$ways/detector_b2_h200.json.gz" --recorded-batch 2 --batch 2,8 --to H200 --assemble sum --json 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print(row["batch_size"], "high over low: %.2f" % (row["high_ms"] / row["low_ms"]))'
cat >made.py <<'P'
import gzip, json, os
for way in ("accumulate_b32", "trainer_b16"):
    trace = json.load(gzip.open(f"{os.environ['source']}/data/recordings/training_ways/{way}_h200.json.gz"))
    del trace["habitat"]
    json.dump(trace, open(way + ".json", "w"))
for batch, size in (2, 9), (3, 2 ** 59 - 1), (4, 2 ** 63):
    args = {"Input Dims": [[batch, size, 9]], "Input type": ["float"]}
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": args},
              {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "args": {"correlation": 1}},
              {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "dur": 99, "args": {"correlation": 1, "device": 0, "stream": 7, "grid": [9, 1, 1], "block": [128, 1, 1]}}]
    trace = {"habitat": {"schema": 1, "batch_size": batch}, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": events}
    json.dump(trace, open(f"huge{batch}.json", "w"))
P
python3 made.py
for said in "accumulate_b32 8" "accumulate_b32 16" "trainer_b16 8"; do
    "$habitat" predict "${said% *}.json" --recorded-batch "${said#* }" --batch 64 --to H200 2>&1 | grep "^habitat: [^w]"
done
"$habitat" predict accumulate_b32.json --recorded-batch 32 --batch 64 --to H200 2>/dev/null | grep -A 1 "batch size 64 instead"
for other in 3 4; do
    "$habitat" predict huge2.json --batch 64 --batch-from huge$other.json --to H200 2>&1 | grep "^habitat: [^w]"
done
