#!/bin/sh
# All benchmarks; exits with 1 where a goal is missed. usage: run.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
bert=data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz
gnmt=data/recordings/gnmt_b32_fp32_h200.json.gz
inception=data/recordings/inception_v3_b32_fp32_h200.json.gz
code=0
missed() {
    echo "bench: $1" >&2
    code=1
}
python3 bench/speed.py "$build" || missed "a goal of the command line is missed"
echo
"$build/bench_read" $bert
"$build/bench_read" $gnmt
echo
"$build/bench_predict" $bert || missed "predicting is over its budget"
echo
"$build/bench_replay" $bert $gnmt $inception || missed "replaying is over its budget"
echo
"$build/bench_models" $bert || missed "the networks are over their budget"
exit $code
