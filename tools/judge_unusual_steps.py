#!/usr/bin/env python3
"""Steps of operations that no other recording holds (data/recordings/unusual; tools/unusual_steps.py): docs/unusual-steps.md on standard output.

usage: judge_unusual_steps.py HABITAT [FOLDER]      the page; FOLDER: recordings of an H100, those without a GPU in FOLDER/without_gpu, and
                                                     measured_h200.csv
       judge_unusual_steps.py HABITAT --measured FOLDER     what FOLDER's recordings of an H200 took: measured_h200.csv
"""

import csv
import gzip
import itertools
import json
import pathlib
import sys
import tempfile

import judge_new_models as judge

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/unusual"
OTHER = judge.GPUS["h200"]
MEASURED = ("recording", "kernel_ms", "iteration_ms")

TEXT = """# Steps of unusual operations

Made by `make eval` from `data/recordings/unusual`; do not edit.

{steps} training steps of operations that no other recording here holds (`tools/unusual_steps.py`): Fourier transforms, factorisations of matrices, products in fp8, sparse matrices, sorted
neighbours, volumes, sampled pictures, equations solved within a step, loops of Python. Each was recorded on one H100 with a small and a large batch in fp32 and, where it can be, with a small one in
autocast to bf16. What the same steps took on one H200 is in `measured_h200.csv`.

What the rows say: [new-models.md](new-models.md#how-to-read-these-tables). Look for your own operations in the table by step. Errors are large where

* cuDNN chooses other convolutions in strict fp32 at another batch,
* the work depends on values (eigenvalues, choices),
* a kernel waits for itself.

**What was seen.** Constants and rules were settled before the first look (docs/decisions/0466). What it found was mended with these recordings in view (0463 to 0465 and others named in 0466), so all rows
but "H100 to H200" are partly seen, those of another format also by 0550 (waves); no constant was fitted on them. Whole steps that the CPU binds are of two hosts. Without a GPU, a step of which some work is not known has an answer that says *at
least* (0463); such steps are in these rows, too.

## All steps
"""


AGAIN = """
## Clean test

{steps} other steps whose operations go the same ways, of other networks and sizes (`tools/unusual_again.py`), recorded on one H100 after all of that. What they
found was mended since (docs/decisions/0468): groups of samples by weights that are as large as some parameter by chance, such groups in 16 bit, and the calls they
take; so mixed_weights is partly seen, and of another format long_waves and large_vocabulary (0550); the other rows are not."""


def measured(habitat, folder):
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(MEASURED)
    for path in sorted(folder.glob("*_h200.json.gz")):
        trace, found = judge.predict(habitat, path)
        name = path.name[: -len("_h200.json.gz")]
        rows.writerow([name, f"{found['kernel_ms']:.6f}", f"{trace['iteration_ms']:.6f}"])


def other_gpu(habitat, folder):
    with open(folder / "measured_h200.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            path = folder / f"{row['recording']}_h100.json.gz"
            if not path.exists():  # no room for it on an H100
                continue
            _, guess = judge.predict(habitat, path, gpu=OTHER)
            step = judge.parts(row["recording"])["model"]
            yield judge.case("H100 to H200, sum of kernels", step, guess["kernel_ms"], float(row["kernel_ms"]))
            bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
            kind = f"H100 to H200, whole step, said to be bound by the {bound}"
            yield judge.case(kind, step, guess["iteration_ms"], float(row["iteration_ms"]), guess)


def withheld(habitat, folder):
    """Steps replayed without their own time: as an export of torch.profiler, which has no `habitat` object."""
    with tempfile.TemporaryDirectory() as temporary:
        bare = pathlib.Path(temporary) / "bare_h100.json"
        for path in sorted(folder.glob("*_h100.json.gz")):
            recording = json.loads(gzip.decompress(path.read_bytes()))
            measured_ms = recording.pop("habitat")["iteration_ms"]
            bare.write_text(json.dumps(recording))
            answer = json.loads(judge.run(habitat, "predict", bare, "--from", judge.GPUS["h100"], "--to", judge.GPUS["h100"], "--json"))
            guess = answer["predictions"][0]
            bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
            step = judge.parts(path.name)["model"]
            yield judge.case(f"own time withheld, bound by the {bound}", step, guess["iteration_ms"], measured_ms, guess)


def known(cases):
    """Those with an answer."""
    return (c for c in cases if c.error == c.error)


def cases_of(habitat, folder, parts):
    """In the order of the page: sums, whole steps, without a GPU, memory."""
    cases = [*itertools.chain(*(known(part(habitat, folder)) for part in parts)), *judge.without_gpu(habitat, folder, "h100")]
    return sorted(cases, key=lambda c: ("memory" in c.kind, "without a GPU" in c.kind, "withheld" in c.kind, "whole" in c.kind))


def is_shown(kind):
    return "sum of kernels" in kind or kind.endswith("another batch")


def page(habitat, folder):
    parts = (judge.scaled, withheld, judge.memory)
    cases, again = cases_of(habitat, folder, (other_gpu, *parts)), cases_of(habitat, folder / "again", parts)
    print(TEXT.format(steps=len({c.model for c in cases})))
    print("\n".join(judge.summary(cases)))
    print("\n## By step\n\n" + "\n".join(judge.signed(cases, is_shown)))
    print(AGAIN.format(steps=len({c.model for c in again})))
    print("\n" + "\n".join(judge.summary(again)) + "\n\n" + "\n".join(judge.signed(again, is_shown)))
    print("\n## What they do\n\n" + "\n".join(judge.described("step", "STEPS", "tools/unusual_steps.py", "tools/unusual_again.py")))


if __name__ == "__main__":
    judge.measured_or_page(__doc__, FOLDER, measured, page)
