# What an operation's inputs are when batch or precision change: what a convolution adds to its result holds samples; a step that
# has the loss scaler gets no second one; an optimiser written out in plain operations has one as well.
cat >made.py <<'P'
import gzip, json, os
def event(cat, name, ts, dur, args, pid=1, tid=1):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}

gpu = {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85094825984, "computeMajor": 8, "computeMinor": 0, "numSms": 108}
image, weight = [8, 64, 56, 56], [64, 64, 3, 3]
steps = [("aten::cudnn_convolution_add_relu", [image, weight, image, [], [64], [], [], [], []], "implicit_convolve_sgemm", 320)]
steps += [("aten::relu", [image], "vectorized_elementwise_kernel<4, relu>", 300)] * 9
events = [event("user_annotation", "ProfilerStep#0", 0, 5000, {})]
for i, (name, dims, kernel, ns) in enumerate(steps):
    at, n = 100 + 400 * i, i + 1
    types = ["float" if d else "Scalar" for d in dims]
    events.append(event("cpu_op", name, at, 50, {"External id": n, "Input Dims": dims, "Input type": types}))
    events.append(event("cuda_runtime", "cudaLaunchKernel", at + 10, 8, {"correlation": n, "External id": n}))
    events.append(event("kernel", kernel, at + 30, ns, {"correlation": n, "External id": n, "device": 0, "stream": 7, "grid": [640, 1, 1], "block": [128, 1, 1]}, 0, 7))
with open("added.json", "w") as stream:
    json.dump({"schemaVersion": 1, "deviceProperties": [gpu], "traceEvents": events, "habitat": {"schema": 1, "batch_size": 8}}, stream)

recordings = os.path.join(os.environ["source"], "data", "recordings")
def rename(source, output, old, new):
    with gzip.open(os.path.join(recordings, source + ".json.gz"), "rt") as stream:
        text = stream.read()
    with open(output, "w") as stream:
        stream.write(text.replace(old, new))

rename("bert_b8_amp_bf16_h200", "scaled.json", '"aten::_foreach_lerp_"', '"aten::_amp_foreach_non_finite_check_and_unscale_"')
rename("resnet50_b16_fp32_h200", "lists.json", "", "")
rename("resnet50_b16_fp32_h200", "plain.json", '"aten::_foreach_', '"aten::')
P
python3 made.py
say() { "$habitat" predict "$@" --assemble sum --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
p = answer["predictions"][0]
time = "%.2f ms" % p["iteration_ms"]
print(time if sys.argv[1] == "ms" else "", *(w.split("; ")[-1] for w in answer["warnings"] if " instead of " in w))' "$how"; }
how=ms say added.json --to A100-SXM4-80GB --batch 64
for step in scaled lists plain; do
    echo "$step"
    how=note say $step.json --to H200-SXM5-141GB --precision amp-fp16
done
