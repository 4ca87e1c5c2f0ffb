#!/usr/bin/env python3
"""Predictions from GPUs that nobody recorded on, by operations that others timed: a part of docs/accuracy.md (docs/decisions/0410).

usage: other_origins.py HABITAT [FOLDER]      FOLDER: operator lists; left out, data/measurements/e2e_ops
"""

import ast
import collections
import csv
import gzip
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "data/measurements/e2e_ops"
LAYERS = {"bert_large": 24, "gpt2_large": 36, "opt_13": 24}  # a list holds one layer
# What times of single operations hold besides their kernel: what a list says of views, which run none.
EAGER_MS = 0.006
LEAST_MS = 0.03  # shorter rows are mostly that
HEATED = "P4"  # docs/modelling.md: its times are those of a hot card
DOUBTED = "A100-PCIE-40GB"  # its lists contradict their own source, but for OPT's (docs/modelling.md)
SOUND = "opt_13"

INTRODUCTION = """## From other GPUs

Recordings of this repository are of an H100 and an H200. Users have other GPUs. Others timed the operations of language models one by one on
four more ([dataset.md](dataset.md)): what one GPU took, operation by operation, is made a recording of (a whole forward pass in fp32: layers as
often as the network has them; operations of 0.03 ms and more) and predicted for each of the others, where the same operations were timed. The
operator models were trained on single operations of these GPUs, so this does not say what a GPU gets that they never saw; what it says is
that an origin need not be a Hopper. Single operations do not heat a T4 as a whole pass does: its lists are quicker than its passes. Lists of the A100
contradict their own source, but for OPT's: pairs with them stand apart, as those with the hot P4 do."""

Operation = collections.namedtuple("Operation", "name ms aten inputs types concrete kernel blocks times")
Case = collections.namedtuple("Case", "model origin gpu measured_ms ms low_ms high_ms")


def rows_of(shape):
    return math.prod(shape[:-1])


def products(result):
    """Blocks of a product in fp32: tiles of 128 x 64."""
    return math.ceil(math.prod(result[:-1]) / 128) * math.ceil(result[-1] / 64)


def module(target, inputs, result):
    """(operation, inputs, types, concrete inputs, kernel, blocks) of a module; None of those that run no kernel or an unknown one."""
    name = target.lower()
    wide = inputs[0][-1]
    if re.search(r"norm|ln_\w$", name):
        dims, types = [inputs[0], [], [wide], [wide], []], ["float", "ScalarList", "float", "float", "Scalar"]
        return "aten::native_layer_norm", dims, types, ["", f"[{wide}]", "", "", "1e-05"], "vectorized_layer_norm_kernel", rows_of(inputs[0])
    if re.search(r"embed|w[tp]e$", name):  # a table of any length: what is read of it is the result
        return "aten::embedding", [[result[-1], result[-1]], inputs[0]], ["float", "long int"], [], "indexSelectLargeIndex", rows_of(result)
    if re.search(r"drop|activation", name):
        return None
    return "aten::linear", [inputs[0], [result[-1], wide], [result[-1]]], ["float"] * 3, [], "sgemm_128x64_tn", products(result)


def function(target, inputs, result):
    """The same of a function."""
    if "addmm" in target:
        return "aten::addmm", inputs, ["float"] * 3, [], "sgemm_128x64_nn", products(result)
    if "matmul" in target or "bmm" in target:
        flat = [[rows_of(shape[:-1]), *shape[-2:]] for shape in inputs]
        return "aten::bmm", flat, ["float"] * 2, [], "sgemm_128x64_nn", flat[0][0] * products(result[-2:])
    if "softmax" in target:
        return "aten::_softmax", [inputs[0], [], []], ["float", "Scalar", "Scalar"], ["", "-1", "False"], "softmax_warp_forward", rows_of(result)
    found = re.search(r"\b(gelu|relu|truediv|add|mul|tanh|pow)\b", target)
    if not found:
        return None
    name = "aten::" + found.group().replace("true", "")
    return name, inputs, ["float"] * len(inputs), [], "vectorized_elementwise_kernel", math.ceil(math.prod(result) / 512)


def read_list(lines, layers):
    """The operations of a list; those of its one layer stand for all."""
    found = []
    for row in csv.DictReader(lines):
        ms = float(row["fw_ms"] or 0)
        inputs, result = (list(map(list, ast.literal_eval(row["input_shapes"]))), list(ast.literal_eval(row["output_shape"] or "()")))
        if ms < LEAST_MS or not inputs or not inputs[0] or not result:
            continue
        told = (module if row["op"] == "call_module" else function)(row["target"], inputs, result)
        if told:
            found.append((row["name"], ms - EAGER_MS, *told))
    inside = [i for i, row in enumerate(found) if re.search(r"_h_0_|layers?_0_", row[0])]
    last = inside[-1] + 1 if inside else 0
    if inside and last < len(found) and found[last][0].startswith("add"):
        last += 1  # the layer's own sum ends it
    return [Operation(*row, layers if inside and inside[0] <= i < last else 1) for i, row in enumerate(found)]


def recording(operations):
    """The trace of an iteration: each operation, its launch and its kernel."""
    events, now, number = [], 1000.0, 0
    for operation in operations:
        for _ in range(operation.times):
            number += 1
            args = {"External id": number, "Input Dims": operation.inputs, "Input type": operation.types}
            if operation.concrete:
                args["Concrete Inputs"] = operation.concrete
            us = round(1000 * operation.ms, 3)
            here = {"ph": "X", "pid": 1, "tid": 1}
            events.append({**here, "cat": "cpu_op", "name": operation.aten, "ts": now, "dur": 20, "args": args})
            launch = {"correlation": number, "External id": number}
            events.append({**here, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": now + 5, "dur": 5, "args": launch})
            grid = {"device": 0, "stream": 7, "grid": [operation.blocks, 1, 1], "block": [128, 1, 1], "registers per thread": 64}
            kernel = {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": operation.kernel, "ts": now + 30, "dur": us}
            events.append({**kernel, "args": {**launch, **grid, "shared memory": 0}})
            now = round(now + max(us, 20) + 40, 3)
    return {"traceEvents": events}


def predicted(habitat, origin, operations, gpus, folder):
    """{GPU: its prediction}"""
    path = pathlib.Path(folder) / "step.json.gz"
    path.write_bytes(gzip.compress(json.dumps(recording(operations)).encode(), mtime=0))
    command = [habitat, "predict", path, "--from", origin, "--to", ",".join(gpus), "--assemble", "sum", "--json"]
    run = subprocess.run(command, check=True, capture_output=True)
    return {row["gpu"]: row for row in json.loads(run.stdout)["predictions"]}


def read_lists(folder):
    """{model: {GPU: its operations}} of forward passes."""
    models = collections.defaultdict(dict)
    for path in sorted(pathlib.Path(folder).glob("*.csv.gz")):
        gpu, model = path.name[: -len(".csv.gz")].split("__")
        if "-inf-" in model:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                models[model][gpu] = read_list(lines, LAYERS[model.split("-")[0]])
    return models


def judged(habitat, models, folder):
    for model, lists in models.items():
        for origin, all_of_it in lists.items():
            for gpu in lists:
                ms = {operation.name: operation.ms for operation in lists[gpu]}
                both = [operation for operation in all_of_it if operation.name in ms]
                if gpu == origin or not both:
                    continue
                said = predicted(habitat, origin, both, [gpu], folder)[gpu]
                measured = sum(operation.times * ms[operation.name] for operation in both)
                yield Case(model, origin, gpu, measured, said["iteration_ms"], said["low_ms"], said["high_ms"])


def off(case):
    return 100 * (case.ms / case.measured_ms - 1)


def line(name, cases):
    errors = [off(case) for case in cases]
    worst = max(errors, key=abs)
    held = statistics.mean(case.low_ms <= case.measured_ms <= case.high_ms for case in cases)
    wide = statistics.median(case.high_ms / case.low_ms for case in cases)
    middle = statistics.mean(abs(error) for error in errors)
    return f"| {name} | {len(cases)} | {middle:.1f} | {worst:+.1f} | {statistics.mean(errors):+.1f} | {100 * held:.0f} % | {wide:.2f} |"


def why_apart(case):
    if HEATED in (case.origin, case.gpu):
        return f"from or onto the {HEATED}"
    if DOUBTED in (case.origin, case.gpu) and not case.model.startswith(SOUND):
        return f"others from or onto the {DOUBTED}"
    return None


def section(cases):
    yield INTRODUCTION
    yield "\n| from, onto | cases | mean % | worst % | signed % | inside | high over low |\n|---|--:|--:|--:|--:|--:|--:|"
    counted = [case for case in cases if not why_apart(case)]
    yield line("all", counted)
    for gpu in sorted({case.origin for case in counted}):
        yield line(f"from {gpu}", [case for case in counted if case.origin == gpu])
    for gpu in sorted({case.gpu for case in counted}):
        yield line(f"onto {gpu}", [case for case in counted if case.gpu == gpu])
    for reason in sorted({why_apart(case) for case in cases} - {None}):
        yield line(f"apart: {reason}", [case for case in cases if why_apart(case) == reason])


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(section(list(judged(arguments[1], read_lists(arguments[2] if len(arguments) == 3 else LISTS), folder)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
