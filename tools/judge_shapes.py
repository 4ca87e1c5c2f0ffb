#!/usr/bin/env python3
"""Kernels whose time their shapes tell (docs/decisions/0452, 0480) against recordings: operations over lists, sums by column, gradients of a bias.

Works the formulas of src/work/lists.c and src/kernels/sums.c out anew with the constants of src/base/constants_kernels.h. The constants were fitted on
the H200's recordings; the H100's are the test. Errors are means of |log(predicted / recorded)|.

usage: judge_shapes.py      (no arguments; reads data/recordings)
"""

import collections
import gzip
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONSTANT = re.compile(r"CONSTANT\(\w+, (\w+), ([\d.]+),")
C = {name: float(value) for name, value in CONSTANT.findall((ROOT / "src/base/constants_kernels.h").read_text())}
SMS, CLOCK, FLOOR_US = 132, 1980.0, 1.4  # of both GPUs; cycles a microsecond; the shortest kernel
BYTES_PER_US = {"h200": 4228e3, "h100": 2950e3}
L2_BYTES = {"h100": 50 * 2**20, "h200": 60 * 2**20}
LAUNCH_TENSORS = (110, 110, 64, 48, 36, 30)
STREAMS = {"mul_": 2, "lerp_": 3, "addcmul_": 4, "sqrt": 2, "div_": 2, "add_": 2, "addcdiv_": 4}
LISTS = {"mul_": 1, "lerp_": 2, "addcmul_": 3, "sqrt": 2, "div_": 1, "add_": 1, "addcdiv_": 3}
WIDTH = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2}


def launches(sizes, lists):
    """The pieces of each launch, in elements."""
    found, pieces, tensors = [], [], 0
    for size in filter(None, sizes):
        for first in range(0, size, 65536):
            pieces.append(min(65536, size - first))
            whole = first + 65536 >= size
            tensors += whole
            if len(pieces) == 320 or (whole and tensors == LAUNCH_TENSORS[lists]):
                found, pieces, tensors = [*found, pieces], [], 0
    return [*found, pieces] if pieces else found


def list_us(gpu, name, begun, elements):
    cycles = C["list_quick_cycles"] if name in ("add_", "addcmul_") else C["list_slow_cycles"]
    rounds_us = sum(map(max, begun)) / C["list_round"] * cycles / CLOCK
    return len(begun) * FLOOR_US + math.hypot(rounds_us, elements * 4 * STREAMS[name] / BYTES_PER_US[gpu] / C["list_share"])


def power_of_two(most):
    return 2 ** int(math.log2(max(most, 1)))


def sum_us(gpu, sums, each, width_bytes, along):
    """src/kernels/sums.c; along: threads beside each other take one sum together."""
    vector = 1 if along else next(v for v in (4, 2, 1) if sums % v == 0)
    threads = C["sum_threads"] / vector
    beside = power_of_two(min(each if along else sums / vector, threads))
    below = power_of_two(min(sums if along else each, threads))
    width = min(beside, 32)
    height = min(below, threads / width)
    width = min(beside, threads / height)
    values, taken = (math.ceil(each / width), 1) if along else (each, width * vector)
    together = values >= min(C["sum_least_rows"] * height, C["sum_long_rows"])
    values, taken = (math.ceil(values / height), taken) if together else (values, taken * height)
    blocks, parts, resident = math.ceil(sums / taken), 1, SMS * (2048 // (width * height))
    if together and values >= C["sum_long_rows"] and blocks <= resident:
        parts = max(min(math.ceil(resident / blocks), math.ceil(values / C["sum_least_rows"])), math.ceil(values / C["sum_long_rows"]))
    kind = "bias" if along else "sum"
    moved, rounds = sums * each * width_bytes, math.ceil(math.ceil(values / parts) / C["sum_vector"])
    missed = min(moved / (C["sum_held"] * L2_BYTES[gpu]), 1)
    waited = rounds * (C[f"{kind}_near_cycles"] + (C[f"{kind}_missed_cycles"] - C[f"{kind}_near_cycles"]) * missed)
    issued = rounds * max(blocks * parts * width * height / 32 / SMS, 1) * C[f"{kind}_issue_cycles"]
    gathers = math.ceil(parts / (width * height if along else height))
    gathered = C["sum_gather_cycles"] + gathers * C["sum_part_cycles"] if parts > 1 else 0
    cycles = C[f"{kind}_start_cycles"] + gathered + math.hypot(waited, issued, missed * moved / BYTES_PER_US[gpu] * CLOCK)
    return C["kernel_floor_cycles"] / CLOCK + cycles / CLOCK


def sum_case(gpu, args):
    """(kind, predicted us, key of the shape) of an aten::sum; None where its sizes are not all known."""
    dims, kind = args["Input Dims"][0], (args.get("Input type") or [""])[0]
    strides, given = (args.get("Input Strides") or [None])[0], (args.get("Concrete Inputs") or ["", ""])[1]
    if kind not in WIDTH or not dims or not strides or not re.fullmatch(r"\[[-\d, ]+\]", given):
        return None
    gone = [d % len(dims) for d in json.loads(given)]
    inner = min((i for i, size in enumerate(dims) if size > 1), key=lambda i: strides[i], default=None)
    rows = math.prod(dims[i] for i in gone)
    kept = math.prod(dims) // rows
    key = (gpu, tuple(dims), tuple(strides), given, kind)
    if inner is not None and inner not in gone and rows > 1:
        return "sums by column", sum_us(gpu, kept, rows, WIDTH[kind], False), key
    if gone == [0, 2, 3]:
        return "gradients of a bias", sum_us(gpu, kept, rows, WIDTH[kind], True), key
    return None


def cases(path):
    """(kind, GPU, predicted us, recorded us, key): key None for what counts each time."""
    gpu = "h200" if "_h200" in path.name else "h100"
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    kernels = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "kernel":
            kernels[event["args"].get("External id")].append(event)
    for event in events:
        own = kernels.get(event.get("args", {}).get("External id")) if event.get("cat") == "cpu_op" else None
        dims = event["args"].get("Input Dims") if own else None
        if not dims:
            continue
        took, name = sum(k["dur"] for k in own), event["name"].removeprefix("aten::_foreach_")
        if name in LISTS and dims[0] and isinstance(dims[0][0], list):
            sizes = [math.prod(one) for one in dims[0]]
            begun = launches(sizes, LISTS[name])
            same = [len(pieces) for pieces in begun] == [k["args"]["grid"][0] for k in own]
            yield "lists, launched as worked out" if same else "lists, launched otherwise", gpu, list_us(gpu, name, begun, sum(sizes)), took, None
        elif event["name"] == "aten::sum" and dims[0]:
            found = sum_case(gpu, event["args"])
            if found:
                yield found[0], gpu, found[1], took, found[2]


def main():
    folder = ROOT / "data/recordings"
    paths = [*folder.glob("*_h[12]00.json.gz"), *folder.glob("new_models/*_h200.json.gz"), *folder.glob("new_models/on_h100/*.json.gz")]
    errors, shapes = collections.defaultdict(list), collections.defaultdict(list)
    for path in sorted(paths):
        for kind, gpu, predicted, took, key in cases(path):
            if key:
                shapes[kind, gpu, key].append((predicted, took))
            else:
                errors[kind, gpu].append(math.log(predicted / took))
    for (kind, gpu, _), found in shapes.items():
        errors[kind, gpu].append(math.log(found[0][0] / statistics.median(took for _, took in found)))
    print("| what | GPU | cases | error % | bias % |\n|---|---|--:|--:|--:|")
    for (kind, gpu), found in sorted(errors.items()):
        print(f"| {kind} | {gpu} | {len(found)} | {100 * statistics.fmean(map(abs, found)):.1f} | {100 * statistics.fmean(found):+.1f} |")
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit("usage: judge_shapes.py")
    sys.exit(main())
