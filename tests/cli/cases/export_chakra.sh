# Chakra execution traces: one, or one for each of several GPUs, all alike; what does not go together is refused.
step=$fixtures/step.json
"$habitat" export --chakra "$step" --to T4 --method bandwidth >piped
"$habitat" export --chakra "$step" --to T4 --method bandwidth -o named && cmp piped named && echo same
"$habitat" export --chakra "$step" --to T4 --gpus 1 --method bandwidth -o one && cmp piped one && echo same
two=$source/data/recordings/two_gpus/resnet50_b64_tf32_h200.json.gz
"$habitat" export --chakra "$two" --to A100-SXM4-80GB --gpus 3 -o many && ls many && cmp many/rank.0.et many/rank.2.et && echo same
"$habitat" export --chakra "$two" --to A100-SXM4-80GB --gpus 3 -o many && echo again
for wrong in "" "--chakra --timeline --to T4" "--chakra" "--chakra --to T4,L4" "--chakra --to all" "--chakra --to T4 --gpus 2" \
    "--timeline --to T4 --gpus 2" "--chakra --to T4 -o nowhere/x" "--chakra --to T4 --gpus 2 -o nowhere/x" "--chakra --to T4 --cpu-scale 0"; do
    "$habitat" export "$step" $wrong >/dev/null; echo "$?"
done
"$habitat" export --chakra "$two" --to T4 --gpus 2 -o named; echo "$?"
# of several recorded iterations one is written, as the recording of one: all but the node of its end, which is that of the last
cat >repeat.py <<'P'
import copy, gzip, json, os
trace = json.load(gzip.open(os.environ["source"] + "/data/recordings/two_gpus/resnet50_b64_tf32_h200.json.gz"))
events = [e for e in trace["traceEvents"] if e.get("ph") == "X" and not e["name"].startswith("ProfilerStep")]
rest = [e for e in trace["traceEvents"] if e.get("ph") == "M"]
first, last = min(e["ts"] for e in events), max(e["ts"] + e.get("dur", 0) for e in events)
for times in 1, 3:
    made = list(rest)
    for i in range(times):
        shift = i * (last - first + 100)
        mark = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1}
        made.append({**mark, "ts": first + shift - 10, "dur": last - first + 20})
        for event in copy.deepcopy(events):
            event["ts"] += shift
            args = event.get("args", {})
            for key in "correlation", "External id", "Sequence number":
                if isinstance(args.get(key), int):
                    args[key] += i * 10**6
            made.append(event)
    json.dump({**trace, "traceEvents": made}, open(f"{times}.json", "w"))
P
python3 repeat.py
cat >count.py <<'P'
import sys
def sizes(data):
    at = 0
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            at, size, shift = at + 1, size | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        yield data[at:at + size]
        at += size
for name in sys.argv[1:]:
    nodes = list(sizes(open(name, "rb").read()))[1:]
    print(len(nodes), sum(b"all-reduce of a bucket" in node for node in nodes), sum(b"recorded_ns" in node for node in nodes), sum(b"iteration ends" in node for node in nodes))
P
for times in 1 3; do
    "$habitat" info $times.json --json | grep -E '"(iterations|kernels)":'
    "$habitat" export --chakra $times.json --to T4 -o $times.et
    "$habitat" export --chakra $times.json --to T4 --gpus 2 -o gpus$times
    python3 count.py $times.et gpus$times/rank.0.et
done
