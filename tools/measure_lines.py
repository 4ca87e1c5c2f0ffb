"""Measures convolutions of one dimension on the GPU at hand: what the kernels of each pass take.

Usage: python3 tools/measure_lines.py OUT.csv any|places|depthwise|dense [--gpu NAME] [--budget SECONDS] [--seed N] [--layout both|first|last]

Random layers of sounds, words and series, in bf16 and one other format, in the columns of `habitat collect` (docs/dataset.md).
  any        in groups, up to 128 taps
  places     the two layers by which speech networks tell places
  depthwise  a channel a group
  dense      without groups
Channels are last where a network transposes what a linear layer gave, so as often as not here. docs/decisions/0627, 0630
"""

import argparse
import itertools
import random
import sys

import torch
from measure_groups import FORMATS, kind_of, passes, write

LINE_WIDTHS = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128)
LINE_GROUPS = (2, 4, 8, 16, 32)
TAPS = (5, 9, 15, 25, 32, 48, 64, 95, 128)
LENGTHS = (50, 100, 250, 500, 1000, 2000)
BATCHES = (1, 2, 4, 8, 16, 32)
PLACES = ((48, 16, 128), (64, 16, 128))  # channels of a group, groups, taps
CHANNELS = (64, 80, 96, 128, 144, 192, 256, 384, 512, 640, 768, 1024, 1536, 2048, 3072, 4096)
DEPTHWISE_TAPS = (3, 4, 5, 7, 9, 15, 31, 33)
LONG = (50, 100, 200, 400, 800, 1500, 3000, 6000, 12000)
DENSE_TAPS = (1, 1, 3, 3, 3, 5, 7, 8, 10, 11, 16)
LARGEST_ELEMENTS, LARGEST_FLOP, LARGEST_WEIGHTS = 2**27, 4e11, 2**26


class Line:
    """A layer of one dimension."""

    def __init__(self, batch, c_in, c_out, groups, length, taps, stride=1, dilation=1, dtype="fp32", last=False):
        self.batch, self.c_in, self.c_out, self.groups, self.length = batch, c_in, c_out, groups, length
        self.taps, self.stride, self.dilation, self.dtype, self.last = taps, stride, dilation, dtype, last
        self.padding = dilation * (taps - 1) // 2 if taps % 2 else taps // 2

    def fits(self):
        elements = self.batch * max(self.c_in, self.c_out) * self.length
        weights = self.c_in * self.c_out // self.groups * self.taps
        flop = 2 * self.batch * self.length // self.stride * weights
        return elements <= LARGEST_ELEMENTS and weights <= LARGEST_WEIGHTS and flop <= LARGEST_FLOP and self.dilation * (self.taps - 1) < self.length + 65

    def in_format(self, dtype, last):
        return Line(self.batch, self.c_in, self.c_out, self.groups, self.length, self.taps, self.stride, self.dilation, dtype, last)

    def shape(self):
        """As datasets say it."""
        words = f"batch={self.batch} c_in={self.c_in} c_out={self.c_out} in_h=1 in_w={self.length} kernel_h=1 kernel_w={self.taps}"
        words += f" pad_h=0 pad_w={self.padding}"
        if self.stride > 1:
            words += f" stride_h=1 stride_w={self.stride}"
        if self.dilation > 1:
            words += f" dilation_h=1 dilation_w={self.dilation}"
        return words + f" groups={self.groups}" + (" channels_last=1" if self.last else "")

    def calls(self):
        kind = kind_of(self.dtype)
        if self.last:
            x = torch.randn(self.batch, self.length, self.c_in, device="cuda", dtype=kind).transpose(1, 2)
        else:
            x = torch.randn(self.batch, self.c_in, self.length, device="cuda", dtype=kind)
        w = torch.randn(self.c_out, self.c_in // self.groups, self.taps, device="cuda", dtype=kind)
        return passes(x, w, [self.stride], [self.padding], [self.dilation], self.groups)


def drawn(rng, kind):
    if kind == "depthwise":
        channels = rng.choice(CHANNELS)
        return Line(rng.choice(BATCHES), channels, channels, channels, rng.choice(LONG), rng.choice(DEPTHWISE_TAPS))
    if kind == "dense":
        stride = rng.choice((1, 1, 1, 2, 4, 5))
        dilation = rng.choice((1, 1, 3, 9)) if stride == 1 else 1
        c_in = rng.choice(CHANNELS[:12])
        c_out = rng.choice((c_in, rng.choice(CHANNELS[:12])))
        return Line(rng.choice(BATCHES), c_in, c_out, 1, rng.choice(LONG), rng.choice(DENSE_TAPS), stride, dilation)
    width, groups, taps = rng.choice(PLACES) if kind == "places" else (rng.choice(LINE_WIDTHS), rng.choice(LINE_GROUPS), rng.choice(TAPS))
    length = rng.randint(25, 1500) if kind == "places" else rng.choice(LENGTHS)
    return Line(rng.choice(BATCHES), width * groups, width * groups, groups, length, taps)


def layers(seed, kind, layout):
    """Each drawn layer in two formats."""
    rng, number = random.Random(seed), 0
    while True:
        layer = drawn(rng, kind)
        last = rng.random() < 0.5 if layout == "both" else layout == "last"
        if not layer.fits() or (kind == "any" and layer.taps > layer.length):
            continue
        for dtype in ("bf16", FORMATS[1 + number % 3]):
            yield layer.in_format(dtype, last)
        number += 1


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("kind", choices=("any", "places", "depthwise", "dense"))
    p.add_argument("--gpu", default="H200-SXM5-141GB", help="its name in the GPU table (default: H200-SXM5-141GB)")
    p.add_argument("--budget", type=float, default=100, help="seconds (default: 100)")
    p.add_argument("--seed", type=int, default=0, help="of the layers (default: 0)")
    p.add_argument("--layout", choices=("both", "first", "last"), default="both", help="where the channels are (default: both)")
    chosen = p.parse_args()
    some = layers(chosen.seed, chosen.kind, chosen.layout)
    groups = ([next(some) for _ in range(100)] for _ in itertools.count())
    write(chosen.out, groups, chosen.gpu, chosen.budget, "measure_lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
