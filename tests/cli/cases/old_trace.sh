# Shapes without arguments, as PyTorch wrote before 2.1: layers are told by their kernels, and what hangs on arguments is refused.
recordings=$source/data/recordings
without() { # RECORDING KEY..: the recording without these arguments of its events
    python3 - "$recordings/$1" "$@" <<'P' >left.json
import gzip, json, sys
trace = json.load(gzip.open(sys.argv[1]))
for event in trace["traceEvents"]:
    for key in sys.argv[3:]:
        event.get("args", {}).pop(key, None)
json.dump(trace, sys.stdout)
P
}
near() { # RECORDING OPTIONS..: whether left.json is predicted about as the recording is
    recording=$1 && shift
    "$habitat" predict "$recordings/$recording" --json --assemble sum "$@" 2>/dev/null >whole.json
    "$habitat" predict left.json --json --assemble sum "$@" 2>/dev/null >part.json
    python3 - <<'P'
import json
whole, part = (json.load(open(f))["predictions"] for f in ("whole.json", "part.json"))
for a, b in zip(whole, part):
    off = b["iteration_ms"] / a["iteration_ms"] - 1
    print(a["gpu"], "within 12 %" if abs(off) < 0.12 else f"off by {off:.2f}")
P
}
step=resnet50_b64_fp32_h200.json.gz
without "$step" "Concrete Inputs"
"$habitat" predict left.json --to T4 | sed -n '/^Note/,$p'
near "$step" --to A100-SXM4-40GB,T4
near "$step" --to A100-SXM4-40GB,T4 --batch 16
"$habitat" predict left.json --to T4 --precision amp-bf16; echo "$?"
without "$step" "Concrete Inputs" "Input Dims" "Input type" "Input Strides"
near "$step" --to A100-SXM4-40GB,T4 --batch 16
# The sums that make gradients of biases are no products, and products alone need no arguments.
without vit_b16_amp_fp16_h200.json.gz "Concrete Inputs"
near vit_b16_amp_fp16_h200.json.gz --to A100-SXM4-40GB,T4
without bert_b2_fp32_h200.json.gz "Concrete Inputs"
near bert_b2_fp32_h200.json.gz --to A100-SXM4-40GB,T4 --precision amp-bf16
"$habitat" predict left.json --to T4 2>&1 | grep -c "Concrete Inputs"
