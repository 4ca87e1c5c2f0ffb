#!/usr/bin/env python3
"""How far measured times of batched products scatter by themselves: a table for docs/accuracy.md.

The same product in three batch sizes that follow one another: a GPU that holds its clock takes for the middle one about what the other
two say. How far it is off is no error of a model's, and no model can do without it.

usage: measured_scatter.py MEASUREMENTS     MEASUREMENTS: data/measurements/gemm_fp32.csv.gz
"""

import collections
import csv
import gzip
import math
import sys

LEAST_MS = 0.3  # below it launches are a part
MOST_APART = 1.8  # largest over smallest of the three batch sizes
TEXT = """## How far measurements scatter

Of the rows that judge `bmm`: the same product in three batch sizes that follow one another, the largest at most 1.8 times the smallest, each longer than 0.3 ms.
*Middle*: how far the rate of the middle one is from what the outer two have (geometric mean). *One row*: the part of it that is one row's own,
if rows scatter alike (divided by the root of 1.5): the least that a model can be off which knows this GPU and this product.
GPUs whose rows hold no such threes are left out. A T4 (70 W) changes its clock from one row to the next.

| GPU | threes, 64-wide heads | middle, mean % | one row, mean % | threes, all | middle, all % | one row, all % |
|---|--:|--:|--:|--:|--:|--:|"""


def rows_of(path):
    """{GPU: {(m, k, n): [(b, flop/ms)]}} of batches whose source says that they test."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["class"] != "bmm" or row["split"] != "test":
                continue
            b, m, n, k = (int(row[key]) for key in "bmnk")
            time_ms = float(row["time_ms"])
            if time_ms > LEAST_MS:
                found[row["gpu"]][m, k, n].append((b, b * m * n * k / time_ms))
    return found


def scatter(rates):
    """|middle / outer - 1| of every three batch sizes of one product."""
    rates = sorted(rates)
    for (low, a), (_, middle), (high, c) in zip(rates, rates[1:], rates[2:]):
        if high <= MOST_APART * low:
            yield abs(middle / math.sqrt(a * c) - 1)


def cells(values):
    if not values:
        return ["0", "", ""]
    mean = 100 * sum(values) / len(values)
    return [str(len(values)), f"{mean:.1f}", f"{mean / math.sqrt(1.5):.1f}"]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip().splitlines()[-1])
    print(TEXT)
    for gpu, products in rows_of(sys.argv[1]).items():
        narrow = [far for shape, rates in products.items() if 64 in shape for far in scatter(rates)]
        every = [far for rates in products.values() for far in scatter(rates)]
        if every:
            print("|", " | ".join([gpu, *cells(narrow), *cells(every)]), "|")


if __name__ == "__main__":
    main()
