# Of several devices one is reported, the busiest: kernels, streams, copies and times are its own.
python3 - <<'P'
import json, os, pathlib
step = json.loads((pathlib.Path(os.environ["fixtures"]) / "step.json").read_text())
for n in range(20):  # short ones, on streams of their own, with a copy and a collective among them
    name = ["other_kernel", "Memcpy DtoD (Device -> Device)", "ncclDevKernel_AllReduce"][n % 3]
    step["traceEvents"] += [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1100.0 + n,
         "dur": 0.5, "args": {"correlation": 500 + n}},
        {"ph": "X", "cat": "gpu_memcpy" if n % 3 == 1 else "kernel", "name": name, "pid": 1, "tid": n,
         "ts": 1105.0 + n, "dur": 0.5,
         "args": {"device": 1, "stream": 30 + n, "correlation": 500 + n, "grid": [1, 1, 1], "block": [32, 1, 1],
                  "registers per thread": 16, "shared memory": 0, "bytes": 512}}]
pathlib.Path("two.json").write_text(json.dumps(step))
P
facts() { "$habitat" info "$1" --csv | grep -E '^(kernels|copies|sets|collectives|streams|kernel_ms|copy_ms|busy_ms|class\..*_ms),'; }
facts "$fixtures/step.json" >one.csv
facts two.json >two.csv
cmp one.csv two.csv && echo "as without the other device"
"$habitat" info two.json --csv | grep '^devices,'
"$habitat" info two.json | grep -E '^(Devices|Kernels)'
