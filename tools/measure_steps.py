"""Measures time and memory of training steps without a profiler: what predictions of other batch sizes, other number
formats and of the memory are held against.

Usage: PYTHONPATH=python python3 tools/measure_steps.py OUT.csv [--budget SECONDS] [--limits] [--only TEXT,..]

Without --limits: every script of tools/steps.py at a series of batch sizes in several number formats; two groups of timed
iterations, one after the other. With --limits: batch sizes on both sides of the largest that fits, in fp32 and bf16,
two iterations each, to learn where memory ends. One process a script; columns as in docs/recordings.md. A row starts on an
empty GPU: `held_before_bytes` is what the allocator still holds of the rows before it.
"""

import argparse
import csv
import gc
import os
import statistics
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import forked  # noqa: E402
from steps import load  # noqa: E402

COLUMNS = (
    "gpu", "framework", "script", "precision", "batch", "fits", "peak_allocated_bytes", "peak_reserved_bytes",
    "outside_allocator_bytes", "device_bytes", "held_before_bytes", "iteration_ms", "group_ms",
)  # fmt: skip
# Batch sizes measured in fp32 and bf16 autocast; in the other formats the one in the middle alone.
BATCHES = {
    "resnet50": (8, 32, 96, 160), "inception_v3": (8, 24, 96), "gnmt": (8, 24, 64, 128), "transformer": (16, 96, 192),
    "dcgan": (32, 192, 512), "gpt2": (2, 6, 12), "llama": (1, 3), "vit": (8, 32, 128), "bert": (1, 4, 16),
}  # fmt: skip
PRECISIONS = ("fp32", "amp-bf16", "tf32", "amp-fp16")
EXTRA = {"llama": ("bf16",)}
LIMITS = ("fp32", "amp-bf16")
# Two batch sizes, well below the limit, that give its memory as a line; one more, at the first of these shares of where that
# line ends that fits, gives a better line: libraries choose otherwise for large batches.
SMALL = {
    "resnet50": (32, 64), "inception_v3": (32, 64), "gnmt": (32, 96), "transformer": (64, 128), "dcgan": (256, 768),
    "gpt2": (2, 6), "llama": (1, 2), "vit": (32, 96), "bert": (4, 12),
}  # fmt: skip
PROBES = (0.8, 0.5)
AROUND = (0.91, 0.97, 1.03, 1.12, 1.3)
WARMUP, TIMED = 4, 8


def measured(script, precision, batch, timed=TIMED):
    """One row: peak memory, and two groups of timed iterations where `timed` is not 0."""
    import torch

    row = {
        "gpu": torch.cuda.get_device_name(), "framework": f"torch {torch.__version__}", "script": script,
        "precision": precision, "batch": batch, "fits": True, "device_bytes": torch.cuda.mem_get_info()[1],
        "held_before_bytes": torch.cuda.memory_allocated(),
    }  # fmt: skip
    torch.cuda.reset_peak_memory_stats()
    step = None
    try:
        with torch.device("cuda"):  # weights are made there: a host takes seconds for what is overwritten soon
            step = load(script, precision, batch)
        for _ in range(WARMUP if timed else 2):
            step()
        torch.cuda.synchronize()
        free, total = torch.cuda.mem_get_info()
        row["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
        row["peak_reserved_bytes"] = torch.cuda.max_memory_reserved()
        row["outside_allocator_bytes"] = total - free - torch.cuda.memory_reserved()
        if timed:
            groups = [group_ms(step, timed) for _ in range(2)]
            row["iteration_ms"] = f"{statistics.median(sum(groups, [])):.4f}"
            row["group_ms"] = " ".join(f"{statistics.median(group):.4f}" for group in groups)
    except RuntimeError as error:  # OutOfMemoryError is one; libraries say it in their own words
        if not any(text in str(error) for text in ("out of memory", "ALLOC_FAILED")):
            raise
        row["fits"] = False
    step = None
    clean()
    return row


def group_ms(step, count):
    """Times between the starts of iterations as they come [ms], after a pause: groups meet the host at different times."""
    import torch

    torch.cuda.synchronize()
    time.sleep(0.2)
    step()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    for event in events[:-1]:
        event.record()
        step()
    events[-1].record()
    events[-1].synchronize()
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])]


def clean():
    import torch

    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()  # else the next row would find those of this one
    torch.cuda.empty_cache()


def limit_of(rows):
    """The batch size at which the line through the peaks of the last two rows reaches the GPU's memory."""
    import torch

    (x0, y0), (x1, y1) = ((row["batch"], row["peak_allocated_bytes"]) for row in rows[-2:])
    per_sample = max((y1 - y0) / (x1 - x0), 1.0)
    return x1 + (torch.cuda.mem_get_info()[1] - rows[-1]["outside_allocator_bytes"] - y1) / per_sample


def around_the_limit(script, precision):
    """Rows on both sides of the largest batch size that fits."""
    rows = []
    for batch in SMALL[script]:
        rows.append(measured(script, precision, batch, timed=0))
        yield rows[-1]
    for share in PROBES:
        batch = round(share * limit_of(rows))
        if batch <= SMALL[script][1]:
            break
        row = measured(script, precision, batch, timed=0)
        yield row
        if row["fits"]:
            rows.append(row)
            break
    limit = limit_of(rows)
    for batch in sorted({max(1, round(limit * share)) for share in AROUND} - {row["batch"] for row in rows}):
        yield measured(script, precision, batch, timed=0)


def rows_of(script, limits):
    if limits:
        for precision in (*LIMITS, *EXTRA.get(script, ())):
            yield from around_the_limit(script, precision)
        return
    for precision in (*PRECISIONS, *EXTRA.get(script, ())):
        whole = precision in ("fp32", "amp-bf16", "bf16")
        for batch in BATCHES[script] if whole else BATCHES[script][1:2]:
            yield measured(script, precision, batch)


def job(script, limits, path):
    import torch

    torch.cuda.init()
    with open(path, "a", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        for row in rows_of(script, limits):
            table.writerow(row)
            stream.flush()
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--only", default="", help="only scripts whose name contains one of these texts, with commas between")
    p.add_argument("--budget", type=float, default=300, help="seconds for everything (default: 300)")
    p.add_argument("--limits", action="store_true", help="find the largest batch sizes instead")
    chosen = p.parse_args()
    path = os.path.abspath(chosen.out)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.DictWriter(stream, COLUMNS, lineterminator="\n").writeheader()
    forked.import_early()
    runner = forked.Runner(chosen.budget, limit_s=100)
    for script in BATCHES:
        if any(text in script for text in chosen.only.split(",")):
            runner.run(script, lambda script=script: job(script, chosen.limits, path))
    for failure in runner.failed:
        print(f"measure_steps: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
