#!/bin/sh
# All benchmarks. usage: run.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python3 "$root/bench/speed.py" "$1"
echo
"$1/bench_read" "$root/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz"
echo
"$1/bench_predict" "$root/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz" || {
    echo "bench: predicting is over its budget" >&2
    exit 1
}
echo
"$1/bench_replay" "$root/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz" || {
    echo "bench: replaying is over its budget" >&2
    exit 1
}
echo
"$1/bench_models" "$root/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz" || {
    echo "bench: the networks are over their budget" >&2
    exit 1
}
