# What a recording lacks or holds besides is said, once each, and nothing of the kind where it is complete.
cat >made.py <<'P'
import copy, json, os, pathlib
step = json.loads((pathlib.Path(os.environ["fixtures"]) / "step.json").read_text())

def write(name, change):
    made = copy.deepcopy(step)
    change(made, made["traceEvents"])
    pathlib.Path(name + ".json").write_text(json.dumps(made))

def kernel(events, correlation, launch_ts, ts, name="extra_kernel", device=0, stream=7, dur=3.0):
    """A launch and its kernel; without a launch where launch_ts is None."""
    if launch_ts is not None:
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": launch_ts, "dur": 1.0, "args": {"correlation": correlation}})
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": ts, "dur": dur,
                   "args": {"device": device, "stream": stream, "correlation": correlation, "grid": [64, 1, 1],
                            "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0}})

def dropped(made, events):
    made["habitat"]["dropped_records"] = 7

def outside(made, events):  # the steps begin at 1000 us
    kernel(events, 900, 900.0, 910.0)
    kernel(events, 901, 920.0, 930.0)

def devices(made, events):
    kernel(events, 900, 1150.0, 1160.0, device=1, dur=30.0)
    kernel(events, 901, 1155.0, 1165.0, device=2, dur=30.0)

def stray(made, events):  # less than 1 % of what device 0 computes
    kernel(events, 900, 1150.0, 1160.0, device=1)

def collective(made, events):
    kernel(events, 900, 1250.0, 1260.0, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL", stream=20)

def unlinked(made, events):
    kernel(events, 777, None, 1260.0)

def earlier(made, events):  # launches are counted from 100 on
    for event in events:
        if "correlation" in event["args"]:
            event["args"]["correlation"] += 100
    kernel(events, 99, None, 1020.0)

def shapeless(made, events):
    for event in events:
        event["args"].pop("Input Dims", None)

def nameless(made, events):
    events[:] = [e for e in events if e["cat"] not in ("cpu_op", "user_annotation")]

def profiled(made, events):
    del made["habitat"]["iteration_ms"], made["habitat"]["iteration_ms_all"]

write("complete", lambda made, events: None)
for change in (dropped, outside, devices, stray, collective, unlinked, earlier, shapeless, nameless, profiled):
    write(change.__name__, change)
P
python3 made.py
cat >said.py <<'P'
import json, re, sys
said = {"dropped": "lost 7 records", "outside": "2 kernels lie outside every iteration",
        "together": "one program drives 3 devices, replayed together",
        "devices": "GPU times are of device 0 alone: one program drives 3 devices", "stray": "the trace holds 2 devices: only device 0 is predicted", "collective": "0.5 collective kernels an iteration",
        "unlinked": "1 kernels have no launch record", "earlier": "^1 kernels and copies, of 0.003 ms, were launched before the recording began", "shapeless": "no operation has input shapes",
        "nameless": "names no operations", "profiled": "no unprofiled iteration time"}
warnings = json.load(open(sys.argv[2]))["warnings"]
found = [key for key, words in said.items() for line in warnings if re.search(words, line)]
print(f"{sys.argv[1]}: {' '.join(found) or 'nothing'}")
P
for name in complete dropped outside devices stray collective unlinked earlier shapeless nameless profiled; do
    "$habitat" predict $name.json --to T4 --json >out.json 2>/dev/null || echo "$name: exit $?"
    python3 said.py "predict $name" out.json
done
"$habitat" info devices.json --json >out.json
python3 said.py "info devices" out.json
"$habitat" predict dropped.json --to T4 --csv 2>&1 >/dev/null | grep -c "lost 7 records"
