"""Measures convolutions in groups of channels on the GPU at hand: what the kernels of each pass take.

Usage: python3 tools/measure_groups.py OUT.csv [--gpu NAME] [--budget SECONDS] [--part I/N] [--lines any|places]

Random layers (2 to 64 groups of 4 to 232 channels), each at four batch sizes, in bf16 and one other format, some with channels last,
in the columns of `habitat collect` (docs/dataset.md): the sum of the kernels, or from the first one's begin to the last one's end, where that
is less, for groups run beside each other. The lesser of two calls; a marker kernel tells calls apart. One list on every GPU. data/measurements/groups_h200.csv.gz is two parts of 100 seconds of an H200; docs/decisions/0535 says what came out.
--lines: layers of one dimension and up to 128 taps (docs/decisions/0627): groups_lines_h200.csv.gz is 190 seconds of any and 100 of places.
"""

import argparse
import csv
import os
import random
import sys
import tempfile
import time

import torch

# As ResNeXt and RegNet have them, and others between.
WIDTHS = (4, 8, 16, 24, 32, 40, 48, 56, 64, 112, 128, 232)  # channels of a group
GROUPS = (2, 3, 4, 6, 8, 11, 16, 20, 32, 64)
SIDES = (7, 14, 28, 56, 112)
BATCHES = (4, 16, 64, 256)
FORMATS = ("bf16", "tf32", "fp16", "fp32")
PASSES = ("forward", "backward_input", "backward_weight")
COLUMNS = ("gpu", "op", "pass", "dtype", "shape", "latency_ms", "min_ms", "repeats", "timing", "source")
LARGEST_ELEMENTS, LARGEST_FLOP = 2**27, 4e11
# Of one dimension: from layers that mix neighbours to those that tell places (128 taps).
LINE_WIDTHS = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128)
LINE_GROUPS = (2, 4, 8, 16, 32)
TAPS = (5, 9, 15, 25, 32, 48, 64, 95, 128)
LENGTHS = (50, 100, 250, 500, 1000, 2000)
LINE_BATCHES = (1, 2, 4, 8, 16, 32)
LARGEST_WEIGHTS = 2**26
PLACES = ((48, 16, 128), (64, 16, 128))  # by which speech networks tell places: channels of a group, groups, taps
CALLS = 2


def drawn(seed):
    rng, seen = random.Random(seed), set()
    while True:
        width, groups, side = rng.choice(WIDTHS), rng.choice(GROUPS), rng.choice(SIDES)
        kernel = rng.choice((3, 3, 3, 3, 1, 5))
        shape = (width * groups, groups, side, rng.choice((1, 1, 2)) if kernel > 1 else 1, kernel)
        if shape in seen or width * groups > 3000 or width * groups * side > 60000:
            continue
        seen.add(shape)
        yield shape


def lines(seed, places=False):
    """(batch, channels, groups, length, 1, taps, format, False) of layers of one dimension, each at one batch size."""
    rng, number = random.Random(seed), 0
    while True:
        width, groups, taps = rng.choice(PLACES) if places else (rng.choice(LINE_WIDTHS), rng.choice(LINE_GROUPS), rng.choice(TAPS))
        length, batch = rng.randint(25, 1500) if places else rng.choice(LENGTHS), rng.choice(LINE_BATCHES)
        elements = batch * width * groups * length
        fits = elements <= LARGEST_ELEMENTS and 2 * elements * width * taps <= LARGEST_FLOP and width * width * groups * taps <= LARGEST_WEIGHTS
        if not fits or (taps > length and not places):
            continue
        for dtype in ("bf16", FORMATS[1 + number % 3]):
            yield batch, width * groups, groups, length, 1, taps, dtype, 0
        number += 1


def points(seed):
    """(batch, channels, groups, side, stride, kernel, format, channels last): all batch sizes of a layer together."""
    rng = random.Random(seed + 1)
    for number, shape in enumerate(drawn(seed)):
        channels, groups, side, stride, kernel = shape
        for dtype in ("bf16", FORMATS[1 + number % 3]):
            last = rng.random() < 0.3
            for batch in BATCHES:
                elements = batch * channels * side * side
                flop = 2 * elements * kernel * kernel * channels / groups / stride**2
                if elements <= LARGEST_ELEMENTS and flop <= LARGEST_FLOP:
                    yield (batch, *shape, dtype, int(last))


def calls_of(point, in_line=False):
    """The three passes of a layer as functions; in_line: of one dimension."""
    batch, channels, groups, side, stride, kernel, dtype, last = point
    torch.backends.cudnn.allow_tf32 = dtype == "tf32"
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(dtype, torch.float32)
    order = torch.channels_last if last else torch.contiguous_format
    x = torch.randn(batch, channels, 1 if in_line else side, side, device="cuda", dtype=kind).to(memory_format=order)
    w = torch.randn(channels, channels // groups, 1 if in_line else kernel, kernel, device="cuda", dtype=kind).to(memory_format=order)
    settings = [stride, stride], [0 if in_line else kernel // 2, kernel // 2], [1, 1]
    y = torch.ops.aten.convolution(x, w, None, *settings, False, [0, 0], groups)
    g = torch.randn_like(y)

    def backward(*mask):
        return torch.ops.aten.convolution_backward(g, x, w, None, *settings, False, [0, 0], groups, mask)

    return (
        lambda: torch.ops.aten.convolution(x, w, None, *settings, False, [0, 0], groups),
        lambda: backward(True, False, False),
        lambda: backward(False, True, False),
    )


def marker():
    torch.cuda.synchronize()
    torch.cuda._sleep(1)
    torch.cuda.synchronize()


def times_between_markers(path):
    """What the kernels after each marker took [us]: the lesser of their sum and of what lies between the first and the end."""
    import json

    with open(path, encoding="utf-8") as stream:
        events = json.load(stream)["traceEvents"]
    parts = []
    for kernel in sorted((e for e in events if e.get("cat") == "kernel"), key=lambda e: e["ts"]):
        if "spin_kernel" in kernel["name"]:
            parts.append([])
        elif parts:
            parts[-1].append((kernel["ts"], kernel["dur"]))
    return [min(sum(us for _, us in p), max(at + us for at, us in p) - p[0][0]) if p else 0.0 for p in parts]


def shape_of(batch, channels, groups, side, stride, kernel, last, in_line=False):
    """A layer as datasets say it."""
    if in_line:
        return f"batch={batch} c_in={channels} c_out={channels} in_h=1 in_w={side} kernel_h=1 kernel_w={kernel} pad_h=0 pad_w={kernel // 2} groups={groups}"
    words = f"batch={batch} c_in={channels} c_out={channels} in={side} kernel={kernel} stride={stride} padding={kernel // 2} groups={groups}"
    return words + (" channels_last=1" if last else "")


def measured(some, gpu, in_line=False):
    """A row for each pass of the points."""
    from torch.profiler import ProfilerActivity, profile

    done = []
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for point in some:
            try:
                calls = calls_of(point, in_line)
            except (RuntimeError, torch.OutOfMemoryError):
                continue
            for name, call in zip(PASSES, calls):
                call()
                for _ in range(CALLS):
                    marker()
                    call()
                marker()  # what follows is no call
                done.append((point, name))
            calls = None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        times = iter(times_between_markers(path))
    for (*shape, dtype, last), name in done:
        least_us = min(next(times) for _ in range(CALLS))
        next(times)
        if least_us > 0:
            ms = f"{least_us / 1e3:.6f}"
            yield gpu, "conv2d", name, dtype, shape_of(*shape, last, in_line), ms, ms, CALLS, "kernel", f"measure_groups torch {torch.__version__}"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--gpu", default="H200-SXM5-141GB", help="its name in the GPU table (default: H200-SXM5-141GB)")
    p.add_argument("--budget", type=float, default=100, help="seconds (default: 100)")
    p.add_argument("--part", default="0/1", help="every Nth group of rows from the Ith on, for N GPUs side by side")
    p.add_argument("--lines", choices=("any", "places"), help="layers of one dimension and many taps; those of speech networks alone")
    chosen = p.parse_args()
    first, parts = map(int, chosen.part.split("/"))
    end_s, stream = time.time() + chosen.budget, lines(0, chosen.lines == "places") if chosen.lines else points(0)
    with open(chosen.out, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        number = 0
        while time.time() < end_s:
            group = [next(stream) for _ in range(100)]
            if number % parts == first:
                writer.writerows(measured(group, chosen.gpu, bool(chosen.lines)))
                out.flush()
                torch.cuda.empty_cache()
            number += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
