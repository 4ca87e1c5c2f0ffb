"""Prints the spreads that src/predict/interval.c holds: how far the rule of `auto` is off, by operation class.

Usage: python3 tools/interval_spread.py [BUNDLE]   (needs numpy; BUNDLE as for make_measurements.py)

Every ordered pair of GPUs that measured the same operation is one transfer: the time on the first becomes a time on the second by the
rule of docs/formulas.md#auto on measured sustained rates. Times below 0.5 ms are left out (launch gaps of eager calls), and pairs with
fewer than ten operations.
"""

import collections
import csv
import gzip
import itertools
import json
import math
import os
import pathlib
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST_MS = 0.5
TWO_INPUTS = ("add", "mul", "div", "pow")


def rows(bundle, name):
    with gzip.open(bundle / name, "rt", newline="") as file:
        yield from csv.DictReader(file)


def operations(bundle):
    """(class, flop, bytes, shape), GPU, time of every row."""
    for r in rows(bundle, "ops_gemm_fp32.csv.gz"):
        b, m, k, n = (int(r[c]) for c in ("B", "M", "N", "K"))
        if r["split"] == "test":
            which = "bmm" if r["op"] == "bmm" else "gemm"
            yield (which, 2.0 * b * m * n * k, 4.0 * b * (m * k + k * n + m * n), (b, m, n, k)), r
    for r in rows(bundle, "ops_pointwise_fp32.csv.gz"):
        size = float(r["B"]) * float(r["H"])
        which = {"softmax": "softmax", "ln": "norm"}.get(r["op"], "elementwise")
        tensors = 3 if r["op"] in TWO_INPUTS else 2
        yield (which, size, 4.0 * size * tensors, (r["op"], r["split"], r["B"], r["H"])), r
    for r in rows(bundle, "ops_conv_fp32.csv.gz"):
        batch, c_in, c_out, kernel, size, out = (
            int(r[c]) for c in ("batch", "c_in", "c_out", "kernel_size", "in_hw", "out_hw")
        )
        weights = c_in * c_out * kernel * kernel
        flop = 2.0 * batch * weights * out * out
        yield ("conv", flop, 4.0 * (batch * (c_in * size**2 + c_out * out**2) + weights), (batch, c_in, c_out, kernel, size)), r


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HABITAT_SHARED_DATA", ROOT.parent / "shared" / "data")
    times = collections.defaultdict(dict)
    for key, r in operations(pathlib.Path(given)):
        times[key][r["gpu"]] = float(r["latency_ms"])
    gpus = {}
    for name in {gpu for found in times.values() for gpu in found}:
        gpu = json.loads((ROOT / "data" / "gpus" / f"{name}.json").read_text())
        held = gpu.get("sustained", {})
        # The 80 GB card of the convolution rows holds what the 40 GB card of the same chip does.
        flop = held.get("plain_tflop_per_s", {}).get("fp32", 16.4) * 1e12
        bandwidth = held.get("dram_gb_per_s", 0.88 * gpu["memory_bandwidth_gb_per_s"]) * 1e9
        gpus[name] = (flop, bandwidth, gpu["architecture"])
    errors = collections.defaultdict(list)
    for (which, flop, size, _), found in times.items():
        for origin, dest in itertools.permutations(found, 2):
            (flop_o, bytes_o, arch_o), (flop_d, bytes_d, arch_d) = gpus[origin], gpus[dest]
            if arch_o == arch_d or min(found[origin], found[dest]) < LEAST_MS:
                continue
            model_o, model_d = (max(flop / f, size / b) * 1e3 for f, b in ((flop_o, bytes_o), (flop_d, bytes_d)))
            predicted = found[origin] * model_d / model_o / math.sqrt(max(1.0, found[origin] / model_o))
            errors[which, origin, dest].append(math.log(found[dest] / predicted))
    print("class        pairs  bias   row")
    for which in sorted({key[0] for key in errors}):
        pairs = [numpy.array(e) for key, e in errors.items() if key[0] == which and len(e) >= 10]
        bias = math.sqrt(numpy.mean([numpy.median(e) ** 2 for e in pairs]))
        row = numpy.mean([numpy.quantile(abs(e), 0.8) for e in pairs]) / 1.2816
        print(f"{which:12s} {len(pairs):5d} {bias:6.3f} {row:6.3f}")


if __name__ == "__main__":
    main()
