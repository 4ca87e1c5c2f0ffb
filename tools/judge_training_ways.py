#!/usr/bin/env python3
"""Ways to train that nothing was chosen on (data/recordings/training_ways; tools/training_ways.py): docs/training-ways.md on standard output.

usage: judge_training_ways.py HABITAT [FOLDER]      the page; FOLDER: recordings of an H200, those without a GPU in
                                                     FOLDER/without_gpu, and measured_h100.csv
       judge_training_ways.py HABITAT --measured FOLDER     what FOLDER's recordings of an H100 took: measured_h100.csv
"""

import csv
import pathlib
import re
import sys

import judge_new_models as judge

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/training_ways"
OTHER = "H100-SXM5-80GB"
NAME = re.compile(r"(?P<model>\w+)_b(?P<batch>\d+)_(?P<gpu>h\d00)\.json\.gz")
MEASURED = ("way", "batch", "kernel_ms", "iteration_ms", "peak_bytes")
SAID = {"detector", "graphed", "decode", "compiled_words"}  # whose recordings do not tell their batch

TEXT = """# Ways to train, and to use a network

Made by `make eval` from `data/recordings/training_ways`; do not edit.

{ways} scripts that train (or use) a network as people do it (`tools/training_ways.py`): accumulated gradients, checkpoints, channels last, adapters beside frozen weights, experts, Trainers,
compilers, CUDA graphs, loaders. Each was recorded on one H200 and on one H100 (`measured_h100.csv`), with a small and a large batch, in the one format it uses.

What the rows say: [new-models.md](new-models.md#how-to-read-these-tables). What was chosen with these scripts in view: [below](#how-clean-this-test-is). Without a GPU nothing is compiled or
captured, and a step ends where its sizes depend on values: those ways have no answer there."""

CLEAN = """
## How clean this test is

Rules and constants were settled before the first look. What it found is in docs/decisions/0453. Since then:

| rows | seen? |
|---|---|
| H200 to H100, sum of kernels | clean: nothing that was mended moved them |
| H200 to H100, whole step bound by the CPU | the intervals of docs/decisions/0454 were not chosen on them. The two hosts differ, the H100's is the slower one |
| another batch; peak of memory | partly seen: batches that were carried wrongly (Lightning, Trainer, experts) and gradients that are let go late were mended (0453), then rows of sparse gradients (tables), samples in the third place (accumulate), and the interval where results are as long as values say (detector; 0457). What sums over images take was fitted on shapes of diffusion and VGG-16 (0480). How element-wise kernels, norms, layouts and attention grow with the batch was chosen on these ways among others (0530 to 0534) |
| without a GPU | partly seen: in loader, halves, two_kinds and experts, kernels were taken for others (0456; the norms' constants were chosen on other models); channels_last, decode and diffusion showed what 0471 to 0473 mended; constants of batch norms with channels last were chosen on ResNet-50 beside them (0524) |

Sums without a GPU leave out copies from the host: 2.0 of lightning's 20.6 ms, 0.35 of loader's 3.9 (docs/decisions/0461, 0621)."""


def parts(path):
    return NAME.match(path.name).groupdict()


def recordings(folder, gpu):
    """The small batch of each way first."""
    return sorted(folder.glob(f"*_{gpu}.json.gz"), key=lambda path: (parts(path)["model"], int(parts(path)["batch"])))


def said(way, batch):
    return ("--recorded-batch", batch) if way in SAID else ()


def measured(habitat, folder):
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(MEASURED)
    for path in recordings(folder, "h100"):
        name = parts(path)
        trace, found = judge.predict(habitat, path, gpu=OTHER)
        rows.writerow([name["model"], name["batch"], f"{found['kernel_ms']:.6f}", f"{trace['iteration_ms']:.6f}", found["memory_bytes"]])


def other_gpu(habitat, folder):
    with open(folder / "measured_h100.csv", newline="", encoding="utf-8") as file:
        truth = {(row["way"], row["batch"]): row for row in csv.DictReader(file)}
    for path in recordings(folder, "h200"):
        name = parts(path)
        row = truth.get((name["model"], name["batch"]))
        if row is None:
            continue
        _, guess = judge.predict(habitat, path, gpu=OTHER)
        yield judge.case("H200 to H100, sum of kernels", name["model"], guess["kernel_ms"], float(row["kernel_ms"]))
        bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
        kind = f"H200 to H100, whole step, said to be bound by the {bound}"
        yield judge.case(kind, name["model"], guess["iteration_ms"], float(row["iteration_ms"]), guess)


def other_batch(habitat, folder):
    found = [(path, parts(path)) for path in recordings(folder, "h200")]
    for path, a in found:
        for other, b in found:
            if a["model"] != b["model"] or path == other:
                continue
            way = a["model"]
            _, guess = judge.predict(habitat, path, "--batch", b["batch"], *said(way, a["batch"]))
            trace, truth = judge.predict(habitat, other)
            yield judge.case("another batch, sum of kernels", way, guess["kernel_ms"], truth["kernel_ms"])
            bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
            kind = f"another batch, whole step, said to be bound by the {bound}"
            yield judge.case(kind, way, guess["iteration_ms"], trace["iteration_ms"], guess)
            if guess["memory_bytes"] is not None:
                yield judge.case("another batch, peak of memory", way, guess["memory_bytes"], truth["memory_bytes"])


def without_gpu(habitat, folder):
    for path in sorted((folder / "without_gpu").glob("*.json.gz")):
        name = path.name[: -len(".json.gz")]
        _, truth = judge.predict(habitat, folder / f"{name}_h200.json.gz", "--by", "kernel")
        _, guess = judge.predict(habitat, path)
        way = name[: name.rindex("_b")]
        yield judge.case("without a GPU, sum of kernels", way, guess["kernel_ms"], judge.gpu_ms(truth))
        yield judge.case("without a GPU, peak of memory", way, guess["memory_bytes"], truth["memory_bytes"])


def page(habitat, folder):
    cases = [c for part in (other_gpu, other_batch, without_gpu) for c in part(habitat, folder)]
    cases.sort(key=lambda c: ("without a GPU" in c.kind, "another batch" in c.kind, "peak" in c.kind, "whole" in c.kind))
    print(TEXT.format(ways=len({c.model for c in cases})))
    print("\n" + "\n".join(judge.summary(cases)))
    print("\n## By way\n\n" + "\n".join(judge.signed(cases)))
    print("\n## What they do\n\n" + "\n".join(judge.described("way", "WAYS", "tools/training_ways.py")))
    print(CLEAN)


if __name__ == "__main__":
    judge.measured_or_page(__doc__, FOLDER, measured, page)
