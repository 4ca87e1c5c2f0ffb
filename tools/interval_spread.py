"""Prints the spreads that src/predict/interval.c holds: how far `auto` is off, by operation class.

Usage: python3 tools/interval_spread.py [BUNDLE] [--habitat BUILD/habitat]   (needs numpy; BUNDLE as for make_measurements.py)

With --habitat, also those of the operator models: trained once without each GPU (three minutes), asked for origin and destination;
and, class by class, the mean error for each exponent of the origin's residual, from which src/predict/auto_models.c chose.

Every ordered pair of GPUs that measured the same operation is one transfer: the time on the first becomes a time on the second by the
rule of docs/formulas.md#auto on measured sustained rates. Times below 0.5 ms are left out (launch gaps of eager calls), and pairs with
fewer than ten operations.
"""

import argparse
import collections
import csv
import itertools
import json
import math
import os
import pathlib
import subprocess
import tempfile

import numpy
from make_measurements import rows_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST_MS = 0.5
TWO_INPUTS = ("add", "mul", "div", "pow")


def operations(bundle):
    """(class, flop, bytes, shape), GPU, time of every row."""
    for r in rows_of(bundle, "ops_gemm_fp32.csv.gz"):
        b, m, k, n = (int(r[c]) for c in ("B", "M", "N", "K"))
        if r["split"] == "test":
            which = "bmm" if r["op"] == "bmm" else "gemm"
            yield (which, 2.0 * b * m * n * k, 4.0 * b * (m * k + k * n + m * n), (b, m, n, k)), r
    for r in rows_of(bundle, "ops_pointwise_fp32.csv.gz"):
        size = float(r["B"]) * float(r["H"])
        which = {"softmax": "softmax", "ln": "norm"}.get(r["op"], "elementwise")
        tensors = 3 if r["op"] in TWO_INPUTS else 2
        yield (which, size, 4.0 * size * tensors, (r["op"], r["split"], r["B"], r["H"])), r
    for r in rows_of(bundle, "ops_conv_fp32.csv.gz"):
        batch, c_in, c_out, kernel, size, out = (
            int(r[c]) for c in ("batch", "c_in", "c_out", "kernel_size", "in_hw", "out_hw")
        )
        weights = c_in * c_out * kernel * kernel
        flop = 2.0 * batch * weights * out * out
        yield ("conv", flop, 4.0 * (batch * (c_in * size**2 + c_out * out**2) + weights), (batch, c_in, c_out, kernel, size)), r


def question(which, shape):
    """The operation as a row of docs/dataset.md: op and shape."""
    if which in ("gemm", "bmm"):
        b, m, n, k = shape
        return ("bmm", f"b={b} m={m} n={n} k={k}") if which == "bmm" else ("linear", f"m={m} n={n} k={k}")
    if which == "conv":
        batch, c_in, c_out, kernel, size = shape
        return "conv2d", f"batch={batch} c_in={c_in} c_out={c_out} in={size} kernel={kernel} stride=1 padding={kernel // 2} groups=1"
    if which in ("softmax", "norm"):
        return "softmax" if which == "softmax" else "layer_norm", f"rows={shape[2]} columns={shape[3]}"
    return None


def modelled(habitat, times, without):
    """Times [ms] by (key, GPU) from models trained without the GPUs named."""
    with tempfile.TemporaryDirectory() as folder:
        data = [str(ROOT / "data" / "measurements" / f"{name}_fp32.csv.gz") for name in ("gemm", "conv", "pointwise")]
        subprocess.run([habitat, "train", *data, "-o", folder, "--without", without, "--no-mlp"], check=True, capture_output=True)
        table, asked = pathlib.Path(folder) / "questions.csv", []
        with open(table, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["gpu", "op", "pass", "dtype", "shape", "timing", "source"])
            for key, found in times.items():
                row = question(key[0], key[3])
                for gpu in found if row else ():
                    writer.writerow([gpu, row[0], "forward", "fp32", row[1], "kernel", "question"])
                    asked.append((key, gpu))
        models = str(pathlib.Path(folder) / "operators.habitat-models")
        command = [habitat, "predict-ops", str(table), "--models", models, "--transfer"]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = csv.DictReader(out.splitlines())
        return {where: float(r["predicted_ms"]) for where, r in zip(asked, rows, strict=True) if r["method"] == "learned"}


EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
CHOSEN = {"gemm": 0.25, "bmm": 0.25}  # others 0.5; convolutions between Hopper and older GPUs 0


def by_models(habitat, times, gpus):
    """log(measured / M_d (T_o/M_o)^e) by e, class, origin, destination; the models know nothing of the destination."""
    errors = {e: collections.defaultdict(list) for e in EXPONENTS}
    for without in ("P4", "P100-PCIE-16GB", "V100-PCIE-32GB", "T4", "A100-PCIE-40GB,A100-PCIE-80GB"):
        model = modelled(habitat, times, without)
        for key, found in times.items():
            for origin, dest in itertools.permutations(found, 2):
                if dest not in without.split(",") or gpus[origin][2] == gpus[dest][2]:
                    continue
                if min(found[origin], found[dest]) < LEAST_MS or not {(key, origin), (key, dest)} <= model.keys():
                    continue
                for e in EXPONENTS:
                    predicted = model[key, dest] * (found[origin] / model[key, origin]) ** e
                    errors[e][key[0], origin, dest].append(math.log(found[dest] / predicted))
    return errors


def show_exponents(errors):
    print("mean error % by exponent of the origin's residual\nclass        " + "".join(f"{e:7.2f}" for e in EXPONENTS))
    for which in sorted({key[0] for key in errors[0.0]}):
        row = [numpy.concatenate([x for key, x in errors[e].items() if key[0] == which]) for e in EXPONENTS]
        print(f"{which:12s} " + "".join(f"{100 * numpy.mean(abs(numpy.exp(-x) - 1)):7.1f}" for x in row))


def show(errors):
    print("class        pairs  bias   row")
    for which in sorted({key[0] for key in errors}):
        pairs = [numpy.array(e) for key, e in errors.items() if key[0] == which and len(e) >= 10]
        bias = math.sqrt(numpy.mean([numpy.median(e) ** 2 for e in pairs]))
        row = numpy.mean([numpy.quantile(abs(e), 0.8) for e in pairs]) / 1.2816
        print(f"{which:12s} {len(pairs):5d} {bias:6.3f} {row:6.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("HABITAT_SHARED_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("bundle", nargs="?", default=default)
    parser.add_argument("--habitat", help="the command line, for the operator models")
    chosen = parser.parse_args()
    times = collections.defaultdict(dict)
    for key, r in operations(pathlib.Path(chosen.bundle)):
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
    print("by the rule")
    show(errors)
    if chosen.habitat:
        found = by_models(chosen.habitat, times, gpus)
        print("by operator models")
        chosen_errors = {k: x for e in EXPONENTS for k, x in found[e].items() if CHOSEN.get(k[0], 0.5) == e}
        show(chosen_errors)
        print("convolutions by the models alone")
        show({k: x for k, x in found[0.0].items() if k[0] == "conv"})
        show_exponents(found)


if __name__ == "__main__":
    main()
