# A recording of one iteration three times over has the answers of one: in another precision, with casts and the scaler's pass and
# wait in each iteration, on several GPUs, and beside a second recording of one iteration alone.
python3 - <<'P'
import csv, gzip, json, math, os, subprocess
recordings = os.environ["source"] + "/data/recordings/"
one, other = (recordings + f"resnet50_b{n}_fp32_h100.json.gz" for n in (16, 64))
trace = json.load(gzip.open(one))
timed = [e for e in trace["traceEvents"] if "ts" in e]
length = max(e["ts"] + e.get("dur", 0) for e in timed) - min(e["ts"] for e in timed) + 50
events = [e for e in trace["traceEvents"] if "ts" not in e]
for i in range(3):
    for e in timed:
        e = {**e, "ts": e["ts"] + i * length, "args": dict(e.get("args", {}))}
        e["name"] = e["name"].replace("ProfilerStep#1", f"ProfilerStep#{i + 1}")
        for numbers, keys in ((e, ["id"]), (e["args"], ["correlation", "External id", "Sequence number"])):
            numbers.update({key: numbers[key] + i * 1000000 for key in keys if isinstance(numbers.get(key), int)})
        events.append(e)
trace["traceEvents"] = events
json.dump(trace, open("three.json", "w"))

def answers(path, options):
    command = [os.environ["habitat"], "predict", path, "--to", "V100-PCIE-32GB,H200", "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

for options in [], ["--precision", "amp-bf16"], ["--precision", "amp-fp16", "--gpus", "4"], ["--batch", "32", "--batch-from", other]:
    first, three = answers(one, options), answers("three.json", options)
    assert three["trace"]["iterations"] == 3 and three["trace"]["warnings"] == first["trace"]["warnings"], three["trace"]["warnings"]
    for p, q in zip(first["predictions"], three["predictions"]):
        far = [(key, p[key], q[key]) for key, within in (("kernel_ms", 1e-9), ("busy_ms", 1e-4), ("memory_bytes", 0), ("iteration_ms", 0.01))
               if not math.isclose(p[key], q[key], rel_tol=within)]
        print(" ".join(options[::2]) or "as it is", p["gpu"], *(far or ["alike"]))

# Counts of a row are of one iteration, as its times are, in every form; where iterations differ they are the mean.
def lines(*arguments):
    return subprocess.run([os.environ["habitat"], *arguments], check=True, capture_output=True, text=True).stdout.splitlines()

def counts(*arguments):
    return [(r.get("op") or r.get("class"), r.get("shape"), r.get("calls"), r["kernels"])
            for r in json.loads("\n".join(lines(*arguments, "--json")))["by_class" if arguments[0] == "info" else "rows"]]

for arguments in ("explain", "--to", "V100-SXM2-16GB", "--by", "op"), ("explain", "--to", "V100-SXM2-16GB", "--by", "class"), ("info",):
    first, three = (sorted(counts(arguments[0], path, *arguments[1:]), key=str) for path in (one, "three.json"))
    print(*arguments, "alike" if first == three else [(a, b) for a, b in zip(first, three) if a != b][:3])
for by in "op", "class", "module":
    first, three = (sorted(",".join(row[name] for name in (by, "calls", "kernels"))
                           for row in csv.DictReader(lines("predict", path, "--to", "V100-SXM2-16GB", "--by", by, "--csv")))
                    for path in (one, "three.json"))
    print("predict --csv by", by, "alike" if first == three else "apart")
print(*(line for line in lines("info", "three.json") if line.startswith(("Kernels", "Operations", "pool"))), sep="\n")
last = max((e for e in trace["traceEvents"] if e.get("cat") == "kernel" and "max_pool" in e["name"]), key=lambda e: e["ts"])
trace["traceEvents"].remove(last)
json.dump(trace, open("less.json", "w"))
print(*(line for line in lines("info", "less.json") if line.startswith("pool")), [c for c in counts("info", "less.json") if c[0] == "pool"])

# Without marks, cut by count: the profiler's own wait at the end of the trace is no part of the last iteration.
def unmarked(path, to):
    trace = json.load(gzip.open(path))
    step = next(e for e in trace["traceEvents"] if e["name"].startswith("ProfilerStep#"))
    waits = [e for e in trace["traceEvents"] if e["name"] == "cudaDeviceSynchronize" and e["ts"] > step["ts"] + step["dur"]]
    trace["traceEvents"] = [e for e in trace["traceEvents"] if e is not step]
    json.dump(trace, open(to, "w"))
    return len(waits)

for name in "bert_b8_amp_bf16_h200", "resnet50_b16_fp32_h100", "llama_b2_bf16_h200":
    path = f"{recordings}{name}.json.gz"
    waits = unmarked(path, "unmarked.json")
    for p, q in zip(answers(path, [])["predictions"], answers("unmarked.json", ["--iterations", "1"])["predictions"]):
        far = [(key, p[key], q[key]) for key in ("iteration_ms", "busy_ms", "cpu_ms", "low_ms") if not math.isclose(p[key], q[key], rel_tol=1e-3)]
        print(name, waits, "wait behind it", p["gpu"], *(far or ["alike"]))
P
