#!/bin/sh
# Tries the CUDA recorder on a machine with a GPU: builds it, records a CUDA program and a PyTorch loop, compares with
# Kineto, measures what recording costs, tries hardware counters. Leaves logs and traces in $OUT (one archive and one
# log). Every part runs even when an earlier one failed; the last lines say which did. Under three minutes.
#   usage: tools/try_recorder.sh     (from the repository's root; OUT=folder, default ./out-recorder)
set -u
. "$(dirname "$0")/usage.sh"
usage 0 0 "$@"
OUT=${OUT:-out-recorder}
PYTHON=${PYTHON:-python3}
mkdir -p "$OUT"
work=$(mktemp -d)
log=$OUT/try_recorder.log
failed=""
: >"$log"
say() { echo "== $*" | tee -a "$log"; }
part() { # NAME COMMAND...: runs it with its output in the log
    name=$1
    shift
    say "$name: $*"
    if timeout 150 "$@" >>"$log" 2>&1; then say "$name: ok"; else
        say "$name: FAILED ($?)"
        failed="$failed $name"
    fi
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv >>"$log" 2>&1
part configure cmake -S recorder -B "$work/build"
part build cmake --build "$work/build"
part tests ctest --test-dir "$work/build" --output-on-failure
launch=$work/build/recorder_launch
export HABITAT_RECORDER="$work/build/libhabitat_cupti.so"

part nvcc nvcc -O2 -arch=native -o "$work/steps" examples/cuda/steps.cu
part cuda-program "$launch" "$work/steps_all.json" -- "$work/steps" 6
part cuda-range "$launch" "$work/steps.json" --nvtx-range step --warmup 2 -- "$work/steps" 6
part pytorch-kineto "$PYTHON" tools/recorder_sample.py --kineto "$work/kineto.json"
part pytorch-cupti "$launch" "$work/cupti.json" --nvtx-range iteration -- "$PYTHON" tools/recorder_sample.py
part compare "$PYTHON" tools/cupti_vs_kineto.py "$work/kineto.json" "$work/cupti.json"
say "what recording costs: iteration_ms without and with, three times each"
for i in 1 2 3; do
    "$PYTHON" tools/recorder_sample.py --iterations 30 2>&1 | tee -a "$log"
    "$launch" "$work/cost.json" --nvtx-range iteration -- "$PYTHON" tools/recorder_sample.py --iterations 30 2>&1 |
        tee -a "$log"
done
say "what is in the traces"
for f in steps_all steps cupti; do
    "$PYTHON" - "$work/$f.json" >>"$log" 2>&1 <<'PY'
import collections, json, sys
trace = json.load(open(sys.argv[1]))
print(sys.argv[1].rsplit("/", 1)[-1], json.dumps(trace["habitat"]), json.dumps(trace["deviceProperties"]))
print(collections.Counter(e.get("cat") for e in trace["traceEvents"]))
print("threads", collections.Counter((e["cat"], e["pid"], e["tid"]) for e in trace["traceEvents"]
      if e.get("cat") in ("cpu_op", "cuda_runtime", "cuda_driver", "user_annotation")))
PY
done
say "hardware counters"
part nvcc-known nvcc -O2 -arch=native -o "$work/known_work" tools/known_work.cu
"$work/known_work" >"$work/expected.tsv" 2>>"$log"
part counters-known "$launch" "$work/known.json" --counters 0 -- "$work/known_work"
part counters-right "$PYTHON" tools/check_counters.py "$work/known.json" "$work/expected.tsv"
part counters-cuda "$launch" "$work/steps_counters.json" --nvtx-range step --warmup 2 --counters 0 -- "$work/steps" 4
part counters-pytorch "$launch" "$work/cupti_counters.json" --nvtx-range iteration --counters 0 -- \
    "$PYTHON" tools/recorder_sample.py --iterations 1
part counters-default "$launch" "$work/cupti_top.json" --nvtx-range iteration --counters -1 -- \
    "$PYTHON" tools/recorder_sample.py --iterations 1
part counters-script env PYTHONPATH=python "$PYTHON" -m habitat.recording --counters --counters-percentile 0 --quiet \
    -o "$work/resnet_counters.json" examples/resnet50.py --batch 16
for f in steps_counters cupti_counters resnet_counters; do
    "$PYTHON" - "$work/$f.json" >>"$log" 2>&1 <<'PY'
import json, sys
trace = json.load(open(sys.argv[1]))
print(json.dumps(trace["habitat"].get("counters")))
kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
print(len(kernels), "kernels,", sum("dram bytes" in e["args"] for e in kernels), "with counters")
for e in kernels[:40]:
    args = e["args"]
    print(e["name"][:70], e["dur"], {k: v for k, v in args.items() if k.startswith(("dram", "flop", "op "))})
PY
done
(cd "$work" && tar czf recorder-traces.tar.gz ./*.json) && mv "$work/recorder-traces.tar.gz" "$OUT/"
rm -rf "$work"
if [ -n "$failed" ]; then
    say "failed:$failed"
    exit 1
fi
say "everything ran"
