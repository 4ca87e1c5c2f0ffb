# What a recording notes of its step, and its events do not bear out: left aside and said, or refused.
cat >made.py <<'P'
import copy, json, os, pathlib
step = json.loads((pathlib.Path(os.environ["fixtures"]) / "step.json").read_text())

def write(name, change):
    made = copy.deepcopy(step)
    change(made, made["traceEvents"], made["habitat"])
    pathlib.Path(name + ".json").write_text(json.dumps(made))

def kernels(events):
    return [e for e in events if e["cat"] in ("kernel", "gpu_memset")]

def complete(made, events, noted):
    noted["gpu"] = "NVIDIA H200"
    noted["memory"] = {"parameters_bytes": 5e9, "buffers_bytes": 0, "optimizer_state_bytes": 10e9}

def short(made, events, noted):
    noted["iteration_ms"] = 0.003

def long(made, events, noted):
    noted["iteration_ms"] = 40

def thousand(made, events, noted):  # in ns
    for e in events:
        e["ts"] *= 1000
        e["dur"] *= 1000

def one_long(made, events, noted):
    kernels(events)[0]["dur"] = 1e9

def unmarked(made, events, noted):  # two iterations, and what is noted is of one
    events[:] = [e for e in events if not e["name"].startswith("ProfilerStep")]
    noted["iteration_ms"] = 0.16

def clock(made, events, noted):
    noted["cpu_ms"] = 0.51

def peak(made, events, noted):
    noted["peak_memory_bytes"] = 1000
    noted["memory"] = {"parameters_bytes": 5e9, "optimizer_state_bytes": 10e9}

def weights(made, events, noted):
    noted["memory"] = {"parameters_bytes": 1e13}

def full(made, events, noted):  # more than an H200 has
    noted["peak_memory_bytes"] = 200e9
    noted["peak_memory_reserved_bytes"] = 210e9

def fuller(made, events, noted):
    noted["peak_memory_reserved_bytes"] = 210e9

def reserved(made, events, noted):  # less than was given out
    noted["peak_memory_reserved_bytes"] = 19e9

def equal(made, events, noted):
    noted["peak_memory_reserved_bytes"] = noted["peak_memory_bytes"]

def gpu(made, events, noted):
    noted["gpu"] = "NVIDIA A100-SXM4-80GB"

def autocast(made, events, noted):
    noted["autocast"] = "bfloat16"

def part(made, events, noted):  # one product in the noted format is enough
    noted["autocast"] = "bfloat16"
    kernels(events)[0]["name"] = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn"

def parameters(made, events, noted):
    noted["parameter_dtype"] = "float16"

def nobody(made, events, noted):
    made["deviceProperties"][0]["name"] = "NVIDIA Z9"
    noted["iteration_ms"] = 0.003

def twice(made, events, noted):
    events += copy.deepcopy(kernels(events))

def outside(made, events, noted):  # overlapping kernels that no iteration holds
    for i in range(20):
        one = copy.deepcopy(kernels(events)[0])
        one.update(ts=5000 + i, dur=50)
        one["args"]["correlation"] = 1000 + i
        events.append(one)
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 4000 + i, "dur": 0.5, "args": {"correlation": 1000 + i}})

def collectives(made, events, noted):  # each waits for the other GPUs
    for one in [copy.deepcopy(e) for e in events if e["cat"] == "kernel"][:4]:
        one["name"] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        one["args"].update(stream=20, correlation=0)
        one["dur"] = 300
        events.append(one)

def tripled(made, events, noted):
    for e in kernels(events):
        e["dur"] *= 3

def dependent(made, events, noted):  # each begins while the one before runs, and ends after it
    for e in kernels(events):
        e["dur"] += 12

def undated(made, events, noted):  # only from capability 9.0 on, and none is known
    dependent(made, events, noted)
    made["deviceProperties"][0].pop("computeMajor")

def graph(made, events, noted):  # branches of a CUDA graph are noted under one stream
    for e in kernels(events):
        e["dur"] *= 1.5
        e["args"]["graph id"] = 1

def graph_reserved(made, events, noted):  # whose memory lies in a pool that the peak leaves out
    graph(made, events, noted)
    noted["peak_memory_reserved_bytes"] = 31e9

def graph_kept(made, events, noted):  # weights that a graph keeps are in the pool, too
    graph_reserved(made, events, noted)
    noted["memory"] = {"parameters_bytes": 25e9}

def copies(made, events, noted):
    events[:] = [e for e in events if e["cat"] != "kernel"]

def ranges(made, events, noted):
    for t in (1000.0, 1500.0):
        for name, ts, dur in (("all of it", t, 390.0), ("forward", t + 5, 100.0)):
            events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": {}})

for change in (complete, short, long, thousand, one_long, unmarked, clock, peak, weights, full, fuller, reserved, equal, gpu, autocast, part, parameters, nobody, twice, outside, collectives, tripled, dependent, undated, graph, graph_reserved, graph_kept, copies, ranges):
    write(change.__name__, change)
for key, values in {"schema": (0, 1.5, True, 2), "batch_size": (1.5, 0, True, [32]), "iteration_ms": (True, [30], {}, "soon", 0, "0.25"),
                    "iteration_ms_all": (30, True, [True], [[1]], {}, ["0.25"]), "peak_memory_bytes": (True, "2e10"), "dropped_records": ([1], 1.5),
                    "rank": (1.5, "1", True), "world_size": (-3,), "memory": ({"parameters_bytes": "5e9"}, {"buffers_bytes": True}, {"optimizer_state_bytes": -4}, 5, [5e9], "5e9",
                                                                                                                  {"parameter_sizes": 5}, {"parameter_sizes": {"float32": 5}}, {"parameter_sizes": {"float32": [[5]]}}),
                    "matmul_allow_tf32": ("yes", 1), "model": (5, ["step"]), "autocast": (1, True), "parameter_dtype": (16,), "gpu": ({"name": "H200"},),
                    "cuda_version": (12.8,)}.items():
    for i, value in enumerate(values):
        write(f"bad-{key}-{i}", lambda made, events, noted: noted.update({key: value}))
for i, value in enumerate((5, "noted", True, [5])):
    write(f"bad-habitat-{i}", lambda made, events, noted: made.update({"habitat": value}))
for key, values in {"totalGlobalMem": (1.5, True, "many", 1e30), "numSms": (1.5,), "id": (-1,)}.items():
    for i, value in enumerate(values):
        write(f"bad-gpu-{key}-{i}", lambda made, events, noted: made["deviceProperties"][0].update({key: value}))
for key, values in {"device": (1.5, -1), "stream": (7.5,), "registers per thread": (64.25,)}.items():
    for i, value in enumerate(values):
        write(f"bad-kernel-{key.split()[0]}-{i}", lambda made, events, noted: kernels(events)[0]["args"].update({key: value}))
write("whole", lambda made, events, noted: kernels(events)[0]["args"].update({"device": 0.0, "stream": "7"}))
for key in ("batch_size", "iteration_ms", "peak_memory_bytes", "schema", "memory", "model", "autocast", "matmul_allow_tf32"):
    write(f"null-{key}", lambda made, events, noted: noted.update({key: None}))
write("null-habitat", lambda made, events, noted: made.update({"habitat": None}))
unknown = {key: -1 for key in ("totalGlobalMem", "computeMajor", "computeMinor", "numSms", "maxThreadsPerMultiprocessor", "regsPerMultiprocessor",
                               "sharedMemPerMultiprocessor", "sharedMemPerBlockOptin")}
write("unknown", lambda made, events, noted: made["deviceProperties"][0].update(unknown))
write("left_out", lambda made, events, noted: [made["deviceProperties"][0].pop(key, None) for key in unknown])
P
python3 made.py
cat >said.py <<'P'
import json, sys
data = json.load(open(sys.argv[2]))
p = data["predictions"][0]
t = data["trace"]
print(f"{sys.argv[1]}: {t['iteration_source']}, batch {t['batch_size']}, iteration {p['iteration_ms']:.4g} ms ({p['cpu_basis']}), "
      f"samples {p['samples_per_s'] is not None}, memory {p['memory_bytes']}, fits {p['fits']}")
print("  " + str(p["interval_basis"]))
for line in data["warnings"]:
    if not any(words in line for words in ("rows are set by", "default width", "matrix units", "unprofiled iteration time", "waited")):
        print("  " + line)
P
say() { # say NAME [OPTION..]
    name=$1
    shift
    "$habitat" predict "$name.json" --to H200-SXM5-141GB --json "$@" >out.json || { echo "$name: exit $?"; return; }
    python3 said.py "$name $*" out.json
}
for name in complete short long thousand one_long unmarked clock peak weights full fuller reserved equal gpu autocast part parameters twice outside collectives tripled dependent undated graph graph_reserved graph_kept copies; do say $name; done
say unmarked --iterations 2
say ranges
say ranges --nvtx-range "all of it"
say ranges --nvtx-range ProfilerStep
say ranges --nvtx-range forward
say ranges --nvtx-range forward --assemble sum
"$habitat" predict ranges.json --to T4 --nvtx-range forward --batch 8
echo "another batch of a part: $?"
"$habitat" info ranges.json --nvtx-range forward --csv | grep -E '^(iteration|batch|peak)'
for name in short peak gpu autocast nobody; do # info tells them, and does not call missing what is left aside
    echo "info: $name"
    "$habitat" info $name.json | sed -n '/^Note/,$p'
    "$habitat" info $name.json --json 2>/dev/null | grep -c "recording says"
done
"$habitat" predict autocast.json --to V100-SXM2-16GB --precision amp-fp16 | grep instead
for file in bad-*.json; do
    "$habitat" info "$file" >/dev/null
    echo "$file: $?"
done
for file in null-*.json whole.json; do
    "$habitat" info "$file" >/dev/null
    echo "$file: $?"
done
for name in unknown left_out; do # what a profiler did not know, and wrote as -1
    "$habitat" info $name.json --json | grep -v -e '"file' -e '"sha256"' -e '"json_bytes"' >$name.out
done
cmp unknown.out left_out.out && grep device_ unknown.out
