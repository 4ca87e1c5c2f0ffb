# Times that no GPU has: kernels of nothing beside copies that last, and times in another unit.
python3 - <<'P'
import copy, gzip, json, os
step = json.load(open(os.environ["fixtures"] + "/step.json"))
def times(trace, factor):
    made = copy.deepcopy(trace)
    made.pop("habitat", None)
    for event in made["traceEvents"]:
        if "dur" in event:
            event["ts"], event["dur"] = float(event["ts"]) * factor, float(event["dur"]) * factor
    return made

zero = copy.deepcopy(step)
for event in zero["traceEvents"]:
    if event.get("cat") == "kernel":
        event["dur"] = 0
json.dump(zero, open("zero.json", "w"))
json.dump(times(step, 0.001), open("small.json", "w"))
json.dump(times(step, 1000), open("large.json", "w"))
# no sizes: a step of 20 kernels, and one of 19
for count in 20, 19:
    bare = times(step, 1000)
    first = next(e for e in bare["traceEvents"] if e.get("cat") == "kernel")
    bare["traceEvents"] = [{**first, "ts": 1e6 * i + 1, "dur": 2e5 * (1 + i)} for i in range(count)]
    for event in bare["traceEvents"]:
        event["args"] = {key: value for key, value in event["args"].items() if key not in ("correlation", "External id")}
    json.dump(bare, open(f"bare{count}.json", "w"))
# long kernels, a hundredth of them: each by itself is possible
long = json.load(gzip.open(os.environ["source"] + "/data/recordings/opt_1.3b_inference_s2048_b8_fp32_h200.json.gz"))
json.dump(times(long, 0.01), open("quick.json", "w"))
json.dump(times(long, 0.1), open("tenth.json", "w"))
# beside an upload from pageable memory only what is far too small to tell
upload = times(step, 1)
events = upload["traceEvents"]
launch = next(e for e in events if e.get("cat") == "cuda_runtime")
kernel = next(e for e in events if e.get("cat") == "kernel")
sizes = {"Input Dims": [[4096, 4096], [4096, 4096], []], "Input type": ["float", "float", "Scalar"], "Concrete Inputs": ["", "", ""]}
small = {"Input Dims": [[64, 64]], "Input type": ["float"], "Concrete Inputs": [""]}
upload["traceEvents"] = [
    {**launch, "cat": "cpu_op", "name": "aten::copy_", "ts": 1000, "dur": 22000, "args": sizes},
    {**launch, "name": "cudaMemcpyAsync", "ts": 1005, "dur": 21900, "args": {"correlation": 1}},
    {**kernel, "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "ts": 1010, "dur": 21800,
     "args": {"device": 0, "stream": 7, "correlation": 1, "bytes": 67108864}},
    {**launch, "cat": "cpu_op", "name": "aten::relu", "ts": 24000, "dur": 20, "args": small},
    {**launch, "ts": 24005, "args": {"correlation": 2}},
    {**kernel, "ts": 24020, "dur": 2, "args": {**kernel["args"], "correlation": 2}},
]
json.dump(upload, open("upload.json", "w"))
P
for verb in "info" "predict --to T4" "choose"; do
    "$habitat" $verb zero.json; echo "$?"
done
"$habitat" predict small.json --to T4 --json | grep "0.1 us"
"$habitat" predict "$fixtures/step.json" --to T4 --json | grep -c "0.1 us"
for file in small large bare20 bare19 quick tenth upload; do
    echo "$file:"
    for verb in "info" "predict --to T4"; do
        # shellcheck disable=SC2086
        "$habitat" $verb $file.json --from H200-SXM5-141GB | tr -s "\n " " " | grep -oE "Note: [^:]*: the trace's times are not in us[^:.]*predicted"
    done
done
true
