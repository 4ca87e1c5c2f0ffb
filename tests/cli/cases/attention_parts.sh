# Attention in parts (fewer heads of keys than of queries) is one kernel with autocast: forward and back, forward alone, and run again for its gradient, where the
# first time has none. With as many heads of keys it stays in parts.
made() { # [again] [heads]
    python3 - "$@" <<'P'
import json, sys

again, heads = "again" in sys.argv[1:], 16 if "heads" in sys.argv[1:] else 4
forward_alone = "forward" in sys.argv[1:]
events, state = [], {"correlation": 0, "kernel_us": 1000}
QUERIES, KEYS, PLACES = [2, 16, 512, 64], [2, heads, 512, 64], [32, 512, 512]

def op(name, ts, duration, thread, dims=(), sequence=None, concrete=()):
    args = {"Input Dims": list(dims), "Input type": ["float" if d else "" for d in dims], "Concrete Inputs": list(concrete) or ["" for _ in dims]}
    if sequence is not None:
        args |= {"Sequence number": sequence, "Fwd thread id": 1 if name.startswith("autograd") else 0}
    events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread, "ts": ts, "dur": duration, "args": args})

def launched(name, ts, thread):
    state["correlation"] += 1
    common = {"correlation": state["correlation"]}
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": thread, "ts": ts, "dur": 2, "args": common})
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": state["kernel_us"], "dur": 500,
                   "args": common | {"device": 0, "stream": 7, "grid": [4096, 1, 1], "block": [256, 1, 1], "registers per thread": 32, "shared memory": 0}})
    state["kernel_us"] += 510

PARTS = [("aten::bmm", [[32, 512, 64], [32, 64, 512]], "sgemm"), ("aten::_softmax", [PLACES, [], []], "softmax_warp_forward"),
         ("aten::bmm", [PLACES, [32, 512, 64]], "sgemm")]

def attention(ts, thread, sequence):
    op("aten::_scaled_dot_product_attention_math", ts, 100, thread, [QUERIES, KEYS, KEYS] + [[]] * 6, concrete=["", "", "", "", "0.", "True", "", "0.125", "True"])
    for i, (name, dims, kernel) in enumerate(PARTS):
        op(name, ts + 5 + 30 * i, 20, thread, dims, None if sequence is None else sequence + i)
        launched(kernel, ts + 10 + 30 * i, thread)

def gradients(ts, sequence):
    for i, (name, dims, kernel) in enumerate(reversed(PARTS)):
        back = "SoftmaxBackward0" if "softmax" in name else "BmmBackward0"
        op("autograd::engine::evaluate_function: " + back, ts + 40 * i, 30, 2, (), sequence + 2 - i)
        op(name if name == "aten::bmm" else "aten::_softmax_backward_data", ts + 2 + 40 * i, 25, 2,
           dims if name == "aten::bmm" else [PLACES, PLACES, [], []], None)
        launched(kernel, ts + 10 + 40 * i, 2)

attention(100, 1, None if again else 50)
if again:
    op("autograd::engine::evaluate_function: CheckpointFunctionBackward", 300, 400, 2, (), 40)
    attention(310, 2, 60)
    gradients(450, 60)
elif not forward_alone:
    gradients(300, 50)
device = {"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9, "computeMinor": 0, "numSms": 132}
print(json.dumps({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events, "habitat": {"schema": 1, "batch_size": 2}}))
P
}
for what in "" forward again heads; do
    # shellcheck disable=SC2086
    made $what >made.json
    "$habitat" predict made.json --to H200-SXM5-141GB --precision amp-bf16 --assemble sum --json >out.json || echo "${what:-both}: failed"
    python3 - "${what:-both}" <<'P'
import json, sys
answer = json.load(open("out.json"))
print(sys.argv[1], [note.split("; ")[1:] for note in answer["warnings"] if "instead of" in note][0], sorted(row["class"] for row in answer["predictions"][0]["by_class"] if row["ms"] > 0))
P
done
