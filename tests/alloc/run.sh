#!/bin/sh
# Runs out of memory everywhere: each command below again and again, every time with another
# allocation failing (tests/stubs/alloc_loop.c). A run ends as if nothing had failed, or with one
# line of error and exit status 1; never with a crash or another number.
# usage: run.sh all|thin ALLOC_LOOP.so HABITAT SOURCE
set -u
mode=$1 loop=$2 habitat=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=80 HOME="$work" XDG_CONFIG_HOME="$work/config"
unset HABITAT_PYTHON HABITAT_PYTHONPATH
traces=$source/tests/golden/traces
failed=0

# Files to read: a table of operations, a GPU with measured operations, an export of Nsight Systems.
cat >"$work/ops.csv" <<'T'
op,dtype,B,M,N,K,note
bmm,fp32,64,512,64,512,"a ""quoted"" cell"
linear,fp32,1,4096,1024,4096,
linear,fp16,1,4096,1024,4096,
linear,fp8,1,4096,1024,4096,
T
gzip -kn "$work/ops.csv"
mkdir -p "$work/config/habitat/gpus"
sed 's/"T4"/"MyT4"/; s/"aliases": \[[^]]*\]/"aliases": []/; s/"family_aliases": \[[^]]*\]/"family_aliases": []/' \
    "$source/data/gpus/T4.json" >"$work/config/habitat/gpus/mine.json"
sed 's/"H200-SXM5-141GB"/"V100-PCIE-32GB"/' "$source/data/calibrations/H200-SXM5-141GB.json" \
    >"$work/calibration.json"
python3 - "$work/report.sqlite" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'void sgemm<float>(int)'), (3, 'cudaLaunchKernel'), (4, 'habitat_iteration');
CREATE TABLE TARGET_INFO_GPU (vmId INT, id INT, name TEXT, totalMemory INT, smCount INT, computeMajor INT, computeMinor INT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'Tesla T4', 15843721216, 40, 7, 5);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
  demangledName INT, shortName INT, registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT,
  gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 51000, 0, 7, 1, 50331648, 2, 1, 32, 0, 0, 80, 1, 1, 256, 1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500, 600, 50331652, 1, 3);
CREATE TABLE NVTX_EVENTS (start INT, end INT, globalTid INT, text TEXT, textId INT, eventType INT);
INSERT INTO NVTX_EVENTS VALUES (400, 60000, 50331652, NULL, 4, 59);
""")
db.commit()
P

# A recording without sizes, as others make them.
python3 - "$traces/resnet50_b4_first_layers.json.gz" "$work/bare.json" <<'P'
import gzip, json, sys
trace = json.load(gzip.open(sys.argv[1]))
for event in trace["traceEvents"]:
    for key in ("Input Dims", "Input type", "Input Strides", "Concrete Inputs"):
        event.get("args", {}).pop(key, None)
json.dump(trace, open(sys.argv[2], "w"))
P

# Two at a time: each command's lines are shown when all are done.
count=0
try() {
    count=$((count + 1))
    echo "$*" >"$work/$count.words"
    (HABITAT_ALLOC_LOOP=$mode LD_PRELOAD=$loop "$habitat" "$@" >"$work/$count.out" 2>&1 </dev/null
     echo $? >"$work/$count.status") &
    [ $((count % 2)) = 1 ] || wait
}

commands() { # TRACE
    try info "$1"
    try predict --to V100,MyT4 "$1" --by op
    try predict --json --to all "$1" --from H200
    try predict --json --by op --to V100,A100 "$1" --from H200
    try explain --to A100 "$1" --from H200
    try predict --to V100,A100 "$1" --from H200 --html "$work/page-$count.html"
    try choose --json --html "$work/page-$count.html" --prices "$source/fuzz/seeds/price/own.json" --to L40S,T4 --from H200 "$1"
    try choose --steps 1000 --vendor any --price L40S=1 --to L40S,T4,MI300X,A100-SXM4-80GB --from H200 "$1"
}
commands "$traces/two_steps_forward_backward_modules.json"
if [ "$mode" != thin ]; then
    commands "$traces/resnet50_b4_first_layers.json.gz"
    try predict --to V100 "$source/data/recordings/dcgan_b64_fp32_h200.json.gz"
fi
try predict --ranks "$source/tests/cli/fixtures/rank0.json,$source/tests/cli/fixtures/rank1.json" --to V100-PCIE-32GB
try predict --to V100 "$work/bare.json"
try predict --to T4 --batch 8 "$work/bare.json"
try predict --to V100,T4 --precision amp-fp16 "$traces/resnet50_b4_first_layers.json.gz"
try export --chakra "$traces/two_steps_forward_backward_modules.json" --to V100-PCIE-32GB --from H200-SXM5-141GB -o "$work/one.et"
if [ "$mode" != thin ]; then
    try export --chakra "$source/data/recordings/two_gpus/resnet50_b16_fp32_h200.json.gz" --to T4 --gpus 2 -o "$work/two"
fi
try info --json "$traces/resnet50_b4_first_layers.json.gz"
try info "$work/report.sqlite"
try predict --to V100-PCIE-32GB --gpu-file "$work/calibration.json" "$work/report.sqlite"
for method in habitat mlp wave-large roofline; do
    try predict --to V100 --method $method --from H200 "$traces/two_steps_forward_backward_modules.json"
done
try predict --csv --by class --to V100 --from H200 "$traces/two_steps_forward_backward_modules.json"
try explain --json --to V100 --by module "$traces/two_steps_forward_backward_modules.json"
try op gemm --m 4096 --n 4096 --k 1024 --to V100,T4
try op conv2d --batch 8 --in-channels 64 --out-channels 64 --kernel 3 --size 56 --pass backward --json \
    --gpu-file "$work/calibration.json"
try op lstm --batch 8 --steps 16 --input 64 --hidden 64 --method mlp --csv --to V100
try predict-ops --to V100 "$work/ops.csv"
try predict-ops --to T4 --method mlp "$work/ops.csv.gz"
try gpus
try gpus --json
try gpus V100-PCIE-32GB --gpu-file "$work/calibration.json"
try gpus --check
wait

for i in $(seq $count); do
    status=$(cat "$work/$i.status")
    [ "$status" = 0 ] || failed=$((failed + 1))
    [ "$status" = 0 ] && echo "ok $i - $(cat "$work/$i.words")" || echo "not ok $i - $(cat "$work/$i.words")"
    sed 's/^/# /' "$work/$i.out"
done
[ $failed = 0 ]
