"""Compares, in one run of an example script, a plain torch.profiler with the recorder and both with no profiler.

Usage: python3 tools/side_by_side.py examples/resnet50.py [--batch 32 ..]     prints one line of CSV, header first

Columns (per iteration, ms): `plain_kernel_ms`, `habitat_kernel_ms`: sums over all GPU work in a plain torch.profiler run and
in a recording; `gpu_ms`, `recorded_gpu_ms`: GPU time of an iteration without profiler and while it is recorded. For these the GPU is
kept waiting by a spinning kernel until the CPU has queued the iteration, so that time between two events
is GPU time alone, also where the CPU is the bottleneck. `wall_ms`, `recorded_wall_ms`: medians of the time between
iterations as they are, CPU included.
"""

import importlib.util
import os
import statistics
import sys
import tempfile

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "examples"))

import common  # noqa: E402  (the examples' own module)

from habitat.recording import session, strip  # noqa: E402
from habitat.recording.tracefile import GPU_WORK  # noqa: E402

REPEATS = 5
COLUMNS = "script,args,plain_kernel_ms,habitat_kernel_ms,kernel_diff_pct,gpu_ms,recorded_gpu_ms,overhead_pct,wall_ms,recorded_wall_ms"


def gpu_work_ms(path, iterations):
    events = strip.read(path)["traceEvents"]
    return sum(e["dur"] for e in events if e.get("cat") in GPU_WORK) / 1000 / iterations


def queued_ms(step, ahead_ms):
    """GPU time of one step [ms], its work being queued behind a kernel that spins for about `ahead_ms`."""
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(int(ahead_ms * 1.8e6))  # clock cycles at about 1.8 GHz
    before.record()
    step()
    after.record()
    after.synchronize()
    return before.elapsed_time(after)


def spaced_ms(step, count):
    """Times between the starts of iterations as they come."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    for event in events[:-1]:
        event.record()
        step()
    events[-1].record()
    events[-1].synchronize()
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])]


def plain_profile(step, path):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        step()  # CUPTI sets itself up
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        for _ in range(REPEATS):
            step()
    p.export_chrome_trace(path)


def recording(path, script, timed=0):
    options = session.Options(warmup=1, timed=timed, iterations=REPEATS, quiet=True)
    opened = session.Session(path, options, script)
    opened.open()
    return opened


def compare(step, script, args):
    folder = tempfile.mkdtemp(prefix="habitat-")
    plain, ours = os.path.join(folder, "plain.json"), os.path.join(folder, "ours.json")
    for _ in range(5):
        step()
    wall = statistics.median(spaced_ms(step, 10))
    ahead = 4 * wall + 50
    gpu = statistics.median(queued_ms(step, ahead) for _ in range(REPEATS))

    plain_ms = []  # before and after the recording: a GPU that warms up or slows down in between cancels out
    plain_profile(step, plain)
    plain_ms.append(gpu_work_ms(plain, REPEATS))
    recorder = recording(ours, script)
    while not recorder.written:
        step()
    recorder.close()
    plain_profile(step, plain)
    plain_ms.append(gpu_work_ms(plain, REPEATS))

    recorder = recording(os.path.join(folder, "timed.json"), script)
    while recorder.state != "profiling":
        step()
    step()  # the profiler's own warm-up
    recorded_wall = statistics.median(spaced_ms(step, 2))
    recorded_gpu = statistics.median(queued_ms(step, ahead) for _ in range(REPEATS - 3))
    recorder.close()

    plain_ms, ours_ms = statistics.mean(plain_ms), gpu_work_ms(ours, REPEATS)
    row = (
        os.path.basename(script), " ".join(args), f"{plain_ms:.4f}", f"{ours_ms:.4f}", f"{round(100 * (ours_ms / plain_ms - 1), 2) + 0.0:.2f}",
        f"{gpu:.4f}", f"{recorded_gpu:.4f}", f"{100 * (recorded_gpu / gpu - 1):.2f}", f"{wall:.4f}", f"{recorded_wall:.4f}",
    )  # fmt: skip
    print(COLUMNS)
    print(",".join(row))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    script, args = sys.argv[1], sys.argv[2:]
    common.train = lambda step, chosen, every=10: compare(step, script, args)
    spec = importlib.util.spec_from_file_location("example", script)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    sys.argv = [script, *args]
    example.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
