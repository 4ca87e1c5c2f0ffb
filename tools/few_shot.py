"""Few measured operations on a GPU that models know nothing of: draws them, and shows what they are worth.

Usage: python3 tools/few_shot.py draw [-o FILE]                  default data/measurements/e2e_calibration.csv
       python3 tools/few_shot.py evidence --habitat BUILD/habitat   (two minutes, needs numpy) prints two tables

`draw` stands in for `habitat calibrate` on the GPUs of `habitat eval e2e`: five operations of each class, from training rows
alone, long against their launch, spread in size, products as layers have them: dimensions of 64 and more, in multiples of 8.
The choice is by hash.

`evidence` trains the models once without each GPU; products of dimensions below 64 are left out. First table: error of training rows not drawn when the class is moved by the
median of five drawn ones times 5 / (5 + doubt); which doubt is best, and which would be if a GPU had not been there. Second: rules
for a pair of GPUs. No test row is looked at.
"""

import argparse
import collections
import csv
import gzip
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "measurements"
GPUS = ("P4", "P100-PCIE-16GB", "V100-PCIE-32GB", "T4", "A100-PCIE-40GB")
TABLES = ("gemm_fp32", "conv_fp32", "pointwise_fp32")
NOT_SHAPE = ("gpu", "source", "split", "time_ms", "predicted_ms", "low_ms", "high_ms", "method", "reason", "flag")
K = 5
OPS = {"gemm": "linear", "bmm": "bmm", "conv": "conv2d", "softmax": "softmax", "norm": "layer_norm"}
PRODUCTS = ("gemm", "bmm", "conv")
LEAST_DIMENSION = 64
DOUBTS = (0, 1, 2, 4, 8, 16, 32, math.inf)


def chip(gpu):
    return "A100-PCIE-40GB" if gpu.startswith("A100") else gpu


def suspect(r):
    """Rows that the dataset's own check refuses: docs/modelling.md, P4 products run three times slower than its test rows."""
    return r["class"] == "gemm" and r["gpu"] == "P4"


def thin(r):
    """A product with a dimension that no layer has."""
    keys = {"gemm": "mnk", "bmm": "mnk", "conv": ("c_in", "c_out")}
    return any(int(r[key]) < LEAST_DIMENSION for key in keys.get(r["class"], ()))


def training_rows(file):
    """Training rows, but for thin products, long against their launch. Tables without a split: four fifths of the shapes, by hash."""
    for r in csv.DictReader(file):
        shape = tuple(v for k, v in r.items() if k not in NOT_SHAPE)
        split = r.get("split") or ("test" if zlib.crc32(repr(shape).encode()) % 5 == 0 else "train")
        least_ms = 0.5 if r["class"] in PRODUCTS else 0.15
        if r["source"] == "neusight" and split == "train" and float(r["time_ms"]) >= least_ms and not suspect(r) and not thin(r):
            yield r, shape


# ---- draw ----


def shape_text(r):
    which = r["class"]
    if which in ("gemm", "bmm"):
        return " ".join(f"{key}={r[key]}" for key in ("b", "m", "n", "k") if key != "b" or which == "bmm")
    if which == "conv":
        return (f"batch={r['batch']} c_in={r['c_in']} c_out={r['c_out']} in={r['in_h']} kernel={r['kernel_h']} "
                f"stride={r['stride_h']} padding={r['pad_h']} groups=1")  # fmt: skip
    return f"columns={r['columns']}" if which == "elementwise" else f"rows={r['rows']} columns={r['columns']}"


def size(r):
    """What the five are spread in: products of the dimensions."""
    keys = {"gemm": "mnk", "bmm": "bmnk", "conv": ("batch", "c_in", "c_out", "in_h", "in_h")}
    return math.prod(float(r[key]) for key in keys.get(r["class"], ("rows", "columns")))


def usual(r):
    """As layers have them: dimensions in memory order are multiples of 8; two operands where the schema means two."""
    if r["class"] in ("gemm", "bmm"):
        return int(r["n"]) % 8 == 0 and int(r["k"]) % 8 == 0
    if r["class"] == "conv":
        return int(r["c_in"]) % 8 == 0 and int(r["c_out"]) % 8 == 0
    if r["class"] == "elementwise":
        return (r["kind"], r["inputs"]) in (("add", "2"), ("mul", "2"), ("div", "2"), ("relu", "1"), ("gelu", "1"), ("tanh", "1"))
    return True


def drawn(rows):
    """One of each fifth of the rows by size, that of the least hash of its shape."""
    rows = sorted(rows, key=lambda r: (size(r), shape_text(r), r.get("kind", "")))
    for i in range(K):
        part = rows[i * len(rows) // K : (i + 1) * len(rows) // K]
        if part:
            yield min(part, key=lambda r: zlib.crc32(f"{r['class']} {r.get('kind', '')} {shape_text(r)}".encode()))


def draw(path):
    found = collections.defaultdict(list)
    for name in TABLES:
        with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
            for r, _ in training_rows(file):
                if usual(r):
                    found[r["gpu"], r["class"]].append(r)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["gpu", "op", "pass", "dtype", "shape", "latency_ms", "timing", "source"])
        for (gpu, which), rows in sorted(found.items()):
            for r in drawn(rows):
                op = OPS.get(which, r.get("kind"))
                writer.writerow([gpu, op, "forward", r["dtype"], shape_text(r), r["time_ms"], r["timing"], r["source"]])


# ---- evidence ----


def residuals(habitat, without):
    """{class: {shape: {GPU: log(measured / predicted)}}} of models that know nothing of `without`."""
    out = collections.defaultdict(lambda: collections.defaultdict(dict))
    names = "A100-PCIE-40GB,A100-PCIE-80GB,A100-SXM4-80GB" if without.startswith("A100") else without
    tables = [str(DATA / f"{name}.csv.gz") for name in TABLES]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([habitat, "train", *tables, "-o", folder, "--without", names, "--no-mlp"], check=True, capture_output=True)
        for table in tables:
            command = [habitat, "predict-ops", table, "--models", f"{folder}/operators.habitat-models", "--transfer"]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for r, shape in training_rows(text.splitlines()):
                if r["method"] == "learned":
                    out[r["class"]][shape][chip(r["gpu"])] = math.log(float(r["time_ms"]) / float(r["predicted_ms"]))
    return out


def error_percent(moved, rows):
    import numpy

    return 100 * float(numpy.mean(abs(numpy.exp(moved - rows) - 1)))


def show_doubts(found):
    """For each class the doubt of least error over GPUs left out, and without each of these GPUs."""
    import numpy

    rng, best = random.Random(1), {}
    print("class        " + "".join(f"{d:>7}" for d in DOUBTS) + "   best   one GPU less")
    for which in sorted({c for models in found.values() for c in models}):
        by_gpu = {}
        for gpu, models in found.items():
            rows = numpy.array([e[gpu] for e in models[which].values() if gpu in e])
            if len(rows) < 12:
                continue
            errors = []
            for _ in range(60):
                median = statistics.median(rng.sample(list(rows), K))
                errors.append([error_percent(K / (K + d) * median, rows) for d in DOUBTS])
            by_gpu[gpu] = numpy.mean(errors, axis=0)
        mean = numpy.mean(list(by_gpu.values()), axis=0)
        best[which] = DOUBTS[int(numpy.argmin(mean))]
        less = [DOUBTS[int(numpy.argmin(sum(e for g, e in by_gpu.items() if g != gpu)))] for gpu in by_gpu]
        print(f"{which:12s} " + "".join(f"{e:7.1f}" for e in mean) + f"{best[which]:>7}   {less}")
    return best


def show_pairs(found, doubts):
    """Error of a pair's rules, five operations known of the destination, of the origin, of both."""
    import numpy

    rules = {
        "M_d r^e": lambda r, d, o, w, e: e * r,
        "M_d": lambda r, d, o, w, e: 0 * r,
        "moved M_d": lambda r, d, o, w, e: w * d + 0 * r,
        "moved M_d r^e": lambda r, d, o, w, e: w * d + e * r,
        "moved M_d r^e(1-w)": lambda r, d, o, w, e: w * d + e * (1 - w) * r,
        "the same, M_o moved": lambda r, d, o, w, e: w * d + e * (1 - w) * (r - w * o),
        "M_d r^e, M_o moved": lambda r, d, o, w, e: e * (r - w * o),
    }
    rng = random.Random(2)
    print("\nclass        pairs  " + "   ".join(rules))
    for which, doubt in doubts.items():
        w, errors, e = K / (K + doubt), [], 0.25 if which in ("gemm", "bmm") else 0.5
        for dest, models in found.items():
            rows = models[which]
            known = {gpu: [row[gpu] for row in rows.values() if gpu in row] for gpu in GPUS}
            for origin in GPUS:
                both = [(row[origin], row[dest]) for row in rows.values() if origin in row and dest in row]
                if origin == dest or min(len(known[origin]), len(known[dest]), len(both)) < 10:
                    continue
                r, truth = numpy.array(both).T
                for _ in range(20):
                    d, o = (statistics.median(rng.sample(known[gpu], K)) for gpu in (dest, origin))
                    errors.append([error_percent(rule(r, d, o, w, e), truth) for rule in rules.values()])
        mean = numpy.mean(errors, axis=0)
        print(f"{which:12s} {len(errors) // 20:5d}  " + "   ".join(f"{e:{len(n)}.1f}" for e, n in zip(mean, rules, strict=True)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("draw", "evidence"))
    parser.add_argument("-o", "--output", default=str(DATA / "e2e_calibration.csv"))
    parser.add_argument("--habitat", default=str(ROOT / "build" / "habitat"))
    chosen = parser.parse_args()
    if chosen.part == "draw":
        return draw(chosen.output)
    found = {gpu: residuals(chosen.habitat, gpu) for gpu in GPUS}
    show_pairs(found, show_doubts(found))
    return None


if __name__ == "__main__":
    sys.exit(main())
