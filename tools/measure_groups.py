"""Measures convolutions in groups of channels on the GPU at hand: what the kernels of each pass take.

Usage: python3 tools/measure_groups.py OUT.csv [--gpu NAME] [--budget SECONDS] [--part I/N]

Random layers (2 to 64 groups of 4 to 232 channels), each at four batch sizes, in bf16 and one other format, some with channels last,
in the columns of `habitat collect` (docs/dataset.md): the sum of the kernels, or from the first one's begin to the last one's end, where that
is less, for groups run beside each other. The lesser of two calls; a marker kernel tells calls apart. One list on every GPU. data/measurements/groups_h200.csv.gz is two parts of 100 seconds of an H200; docs/decisions/0535 says what came out.
Layers of one dimension: tools/measure_lines.py.
"""

import argparse
import csv
import itertools
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


class Images:
    """A layer of two dimensions."""

    def __init__(self, batch, channels, groups, side, stride, kernel, dtype, last):
        self.batch, self.channels, self.groups, self.side, self.stride, self.kernel = batch, channels, groups, side, stride, kernel
        self.dtype, self.last = dtype, last

    def shape(self):
        """As datasets say it."""
        words = f"batch={self.batch} c_in={self.channels} c_out={self.channels} in={self.side} kernel={self.kernel}"
        words += f" stride={self.stride} padding={self.kernel // 2} groups={self.groups}"
        return words + (" channels_last=1" if self.last else "")

    def calls(self):
        order = torch.channels_last if self.last else torch.contiguous_format
        x = torch.randn(self.batch, self.channels, self.side, self.side, device="cuda", dtype=kind_of(self.dtype)).to(memory_format=order)
        w = torch.randn(self.channels, self.channels // self.groups, self.kernel, self.kernel, device="cuda", dtype=kind_of(self.dtype))
        pad = self.kernel // 2
        return passes(x, w.to(memory_format=order), [self.stride] * 2, [pad] * 2, [1, 1], self.groups)


def kind_of(dtype):
    return {"bf16": torch.bfloat16, "fp16": torch.float16}.get(dtype, torch.float32)


def passes(x, w, stride, padding, dilation, groups):
    """The three passes as functions."""
    settings = None, stride, padding, dilation, False, [0] * len(stride), groups
    g = torch.randn_like(torch.ops.aten.convolution(x, w, *settings))

    def backward(*mask):
        return torch.ops.aten.convolution_backward(g, x, w, *settings, mask)

    return (
        lambda: torch.ops.aten.convolution(x, w, *settings),
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


def measured(layers, gpu, tool):
    """A row for each pass of the layers, each with calls(), shape() and dtype."""
    from torch.profiler import ProfilerActivity, profile

    done = []
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for layer in layers:
            torch.backends.cudnn.allow_tf32 = layer.dtype == "tf32"
            try:
                calls = layer.calls()
            except (RuntimeError, torch.OutOfMemoryError):
                continue
            for name, call in zip(PASSES, calls):
                call()
                for _ in range(CALLS):
                    marker()
                    call()
                marker()  # what follows is no call
                done.append((layer, name))
            calls = None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        times = iter(times_between_markers(path))
    for layer, name in done:
        least_us = min(next(times) for _ in range(CALLS))
        next(times)
        if least_us > 0:
            ms = f"{least_us / 1e3:.6f}"
            yield gpu, "conv2d", name, layer.dtype, layer.shape(), ms, ms, CALLS, "kernel", f"{tool} torch {torch.__version__}"


def write(path, groups_of_layers, gpu, budget_s, tool):
    """Rows of one group of layers after another, until the time is over."""
    end_s = time.time() + budget_s
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for group in groups_of_layers:
            if time.time() >= end_s:
                return
            writer.writerows(measured(group, gpu, tool))
            out.flush()
            torch.cuda.empty_cache()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--gpu", default="H200-SXM5-141GB", help="its name in the GPU table (default: H200-SXM5-141GB)")
    p.add_argument("--budget", type=float, default=100, help="seconds (default: 100)")
    p.add_argument("--part", default="0/1", help="every Nth group of rows from the Ith on, for N GPUs side by side")
    chosen = p.parse_args()
    first, parts = map(int, chosen.part.split("/"))
    layers = (Images(*point) for point in points(0))
    groups = ([next(layers) for _ in range(100)] for _ in itertools.count())
    write(chosen.out, itertools.islice(groups, first, None, parts), chosen.gpu, chosen.budget, "measure_groups")
    return 0


if __name__ == "__main__":
    sys.exit(main())
