#!/usr/bin/env python3
"""Speed of the command line on real recordings: reading, predicting, start-up.

Whole processes are timed in turn with Python's json on the same file in the same run, by the
processor time they take (both run on one core), so that the ratios hold on any machine, busy or not. Every result is checked before its time counts. Standard library only.

usage: speed.py BUILD [TRACE.json[.gz] ...]
Without traces: those beside the repository, if any, and the recordings in RECORDINGS: a recurrent
network on a dozen streams and a network of many different convolutions.
"""

import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 7
BIG_BYTES = 110_000_000
GOALS = {  # docs/performance.md
    "read_ratio": 4.0,
    "startup_ms": 20.0,
    "wave_cpu_ms": 50.0,
    "auto_cpu_ms": 300.0,
    "replay_cpu_ms": 500.0,
}
ASKED = {  # how `predict` is asked for each budget
    "wave": ["--method", "wave", "--assemble", "sum"],
    "auto": ["--method", "auto", "--assemble", "sum"],
    "replay": ["--method", "auto", "--assemble", "replay"],
}
RECORDINGS = ("gnmt_b32_fp32_h200", "inception_v3_b32_fp32_h200")


# Runs argv[1:] and writes wall [s], cpu [s] and peak [bytes] of it to stderr. A process of its own,
# since Linux counts what a parent held before exec into the peak of its child.
LAUNCHER = """
import os, sys, time
begun = time.perf_counter()
pid = os.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - begun
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measure(argv):
    """Runs a command; returns (stdout, wall seconds, cpu seconds, peak bytes). Peaks below the
    launcher's own 10 MiB read as those."""
    argv = [str(part) for part in argv]
    done = subprocess.run([sys.executable, "-S", "-E", "-c", LAUNCHER, *argv], capture_output=True)
    if done.returncode:
        sys.exit(f"speed: {' '.join(argv)} exited {done.returncode}")
    wall, cpu, peak = done.stderr.split()[-3:]
    return done.stdout, float(wall), float(cpu), float(peak)


def medians(argv):
    runs = [measure(argv) for _ in range(RUNS)]
    return runs[0][0], *(statistics.median(run[i] for run in runs) for i in (1, 2, 3))


def least_cpu(argv):
    """Output and the least processor time of RUNS runs: a busy neighbour of the core only adds."""
    runs = [measure(argv) for _ in range(RUNS)]
    return runs[0][0], min(run[2] for run in runs)


def plain_copy(trace, folder):
    """An uncompressed copy of a trace."""
    data = Path(trace).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    path = Path(folder) / Path(trace).name.removesuffix(".gz")
    path.write_bytes(data)
    return path


def repeated_trace(plain, folder, size):
    """The same recording repeated in time until the file has `size` bytes; ids stay unique."""
    document = json.loads(plain.read_text())
    events = [e for e in document["traceEvents"] if "ts" in e]
    first = min(e["ts"] for e in events)
    span = max(e["ts"] + e.get("dur", 0) for e in events) - first + 1000
    id_step = 1 + max(max(e.get("id", 0) if isinstance(e.get("id"), int) else 0,
                          (e.get("args") or {}).get("correlation", 0),
                          (e.get("args") or {}).get("External id", 0)) for e in events)
    copies = size // len(json.dumps(events)) + 1
    path = Path(folder) / "repeated.json"
    with open(path, "w") as out:
        head = {k: v for k, v in document.items() if k != "traceEvents"}
        out.write(json.dumps(head)[:-1] + ', "traceEvents": [')
        separator = ""
        for copy in range(copies):
            for event in events:
                event = dict(event, ts=round(event["ts"] + copy * span, 3))
                if isinstance(event.get("id"), int):
                    event["id"] += copy * id_step
                args = event.get("args")
                if args and ("correlation" in args or "External id" in args):
                    args = dict(args)
                    for key in ("correlation", "External id"):
                        if key in args:
                            args[key] += copy * id_step
                    event["args"] = args
                out.write(separator + json.dumps(event))
                separator = ",\n"
        out.write("]}")
    return path, copies


def kernels_of(document):
    return sum(1 for e in document["traceEvents"]
               if e.get("ph") == "X" and e.get("cat") == "kernel")


def bench_reading(habitat, path, rows):
    size = path.stat().st_size
    want = kernels_of(json.loads(path.read_text()))
    got = json.loads(measure([habitat, "info", "--json", path])[0])["trace"]["kernels"]
    if got != want:
        sys.exit(f"speed: {path.name}: habitat counts {got} kernels, json {want}")
    code = "import json,sys; d = open(sys.argv[1], 'rb').read(); json.loads(d)"
    commands = ([habitat, "info", path], [habitat, "--version"],
                [sys.executable, "-c", code, path], [sys.executable, "-c", "import json"])
    rounds = [[measure(command) for command in commands] for _ in range(RUNS)]
    # In turn, so that a busy spell of the machine meets all four. What is compared is reading: the
    # start-up of either side is taken off.
    info, start, python, empty = (statistics.median(turn[i][2] for turn in rounds) for i in range(4))
    peak, python_peak = (statistics.median(turn[i][3] for turn in rounds) for i in (0, 2))
    own, other = info - start, python - empty
    ratio = other / own
    rows.append(f"{path.name:36} {size / 1e6:8.1f} {size / 1e6 / own:9.0f} "
                f"{size / 1e6 / other:9.0f} {ratio:7.1f} {peak / 2**20:9.1f} "
                f"{python_peak / 2**20:9.1f}")
    return ratio, peak, size


def bench_predicting(habitat, path, rows):
    _, read_cpu = least_cpu([habitat, "info", "--json", path])
    spent = {}
    for method, options in ASKED.items():
        out, cpu = least_cpu([habitat, "predict", path, *options, "--json"])
        result = json.loads(out)
        if any(p["assemble"] != options[-1] for p in result["predictions"]):
            sys.exit(f"speed: {path.name}: {method} is not assembled by {options[-1]}")
        gpus, kernels = len(result["predictions"]), result["trace"]["kernels"]
        if not all(p["kernel_ms"] > 0 for p in result["predictions"]):
            sys.exit(f"speed: {path.name}: a prediction of {method} is not positive")
        cost = max(cpu - read_cpu, 0.0)
        spent[method] = cost * 1e3 * 2500 / kernels
        rows.append(f"{path.name:36} {method:6} {kernels:8} {gpus:5} {cost * 1e3:9.1f} "
                    f"{spent[method]:9.1f} {cost * 1e9 / (gpus * kernels):12.0f}")
    return spent


def main():
    build = Path(sys.argv[1]).resolve()
    habitat = build / "habitat"
    traces = [Path(p) for p in sys.argv[2:]]
    if not traces:
        traces = sorted((ROOT / "../shared/traces").glob("*.json.gz"))
        have = {p.name for p in traces}
        own = [ROOT / f"data/recordings/{name}.json.gz" for name in RECORDINGS]
        traces += [p for p in own if p.name not in have]
    met = {}
    with tempfile.TemporaryDirectory() as folder:
        plain = [plain_copy(trace, folder) for trace in traces]
        print("Reading (plain file, habitat info; processor time, start-up of both taken off, median of",
              RUNS, "runs)")
        print(f"{'file':36} {'MB':>8} {'habitat':>9} {'json':>9} {'ratio':>7} {'peak MiB':>9} {'json MiB':>9}")
        print(f"{'':36} {'':>8} {'MB/s':>9} {'MB/s':>9}")
        rows, ratios = [], []
        for path in plain:
            ratios.append(bench_reading(habitat, path, rows)[0])
        big, copies = repeated_trace(max(plain, key=lambda p: p.stat().st_size), folder, BIG_BYTES)
        ratio, peak, size = bench_reading(habitat, big, rows)
        print("\n".join(rows))
        met[f"reading at least {GOALS['read_ratio']:.0f} x json on every file"] = \
            min(ratios + [ratio]) >= GOALS["read_ratio"]
        met["peak memory of the large file at most half of it + 64 MiB"] = \
            peak <= size / 2 + 64 * 2**20

        print("\nPredicting onto every GPU (processor time beyond that of info, least of", RUNS, "runs)")
        print(f"{'file':36} {'method':6} {'kernels':>8} {'GPUs':>5} {'ms':>9} {'of 2500':>9} "
              f"{'ns/kernel/GPU':>12}")
        rows = []
        spent = {path.name: bench_predicting(habitat, path, rows) for path in plain}
        print("\n".join(rows))
        for method in ASKED:
            goal = GOALS[f"{method}_cpu_ms"]
            for name, of in spent.items():
                met[f"{method}: under {goal:.0f} ms for 2,500 kernels ({name})"] = of[method] < goal

        _, wall, _, peak = medians([habitat, "gpus"])
        print(f"\nStart-up: habitat gpus {wall * 1e3:.1f} ms, peak {peak / 2**20:.1f} MiB")
        met[f"start-up under {GOALS['startup_ms']:.0f} ms"] = wall * 1e3 < GOALS["startup_ms"]
    print()
    for goal, is_met in met.items():
        print(f"{'met   ' if is_met else 'MISSED'} {goal}")
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
