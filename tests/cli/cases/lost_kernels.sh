# Kernels that the trace lacks, or of which it lacks the time, are said; kernels in two events (B and E) are read.
cat >made.py <<'P'
import copy, decimal, gzip, json, os, pathlib

recording = pathlib.Path(os.environ["source"]) / "data/recordings/resnet50_b4_fp32_h200.json.gz"
step = json.loads(gzip.decompress(recording.read_bytes()), parse_float=decimal.Decimal)
GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def write(name, change):
    made = copy.deepcopy(step)
    made["traceEvents"] = change(made["traceEvents"])
    text = json.dumps(made, default=lambda number: float(number))
    pathlib.Path(name + ".json").write_text(text)


def lost(events):
    gone = {id(e) for e in [e for e in events if e.get("cat") == "kernel"][::3]}
    return [e for e in events if id(e) not in gone]


def renamed(events):
    for e in [e for e in events if e.get("cat") == "kernel"][::2]:
        e["cat"] = "gpu_kernel"
    return events


def timeless(events):
    for e in [e for e in events if e.get("cat") == "kernel"][::3]:
        e["dur"] = 0
    return events


def captured(events):  # launches into a CUDA graph that is put together run nothing
    calls = sorted((e for e in events if e.get("cat") == "cuda_runtime"), key=lambda e: e["ts"])
    first, last = calls[0], calls[-1]
    for name, near, by in (("cudaStreamBeginCapture", first, -1), ("cudaStreamEndCapture", last, 1)):
        events.append({**near, "name": name, "ts": near["ts"] + by, "dur": 0, "args": {}})
    return lost(events)


def halves(events):
    out = []
    for e in events:
        if e.get("cat") in GPU + ("cuda_runtime",):
            begin = {**e, "ph": "B"}
            end = {k: e[k] for k in ("pid", "tid")} | {"ph": "E", "ts": e["ts"] + begin.pop("dur")}
            out += [begin, end]
        else:
            out.append(e)
    return out


def open_end(events):
    next(e for e in events if e.get("cat") == "kernel")["ph"] = "B"
    return events


for change in (lost, renamed, timeless, captured, halves, open_end):
    write(change.__name__, change)
write("whole", lambda events: events)
P
python3 made.py
for trace in whole lost renamed timeless captured; do
    echo "$trace: $("$habitat" predict $trace.json --to T4 --json | grep -cE 'no kernel in the trace|last no time')"
done
"$habitat" predict lost.json --to T4 --json | grep -o '[0-9]* of [0-9]* launches[^"]*' | head -n 1
"$habitat" predict timeless.json --to T4 --json | grep -o '[0-9]* of [0-9]* kernels last no time[^"]*' | head -n 1
for trace in whole halves; do
    "$habitat" predict $trace.json --to T4,A100-SXM4-80GB --json | grep -v '"file"\|"sha256"' >$trace.out
done
cmp whole.out halves.out && echo "B and E: the same answers as X"
"$habitat" info open_end.json
echo "exit code $?"
