#!/usr/bin/env python3
"""Steps of operations that no other recording holds (data/recordings/unusual; tools/unusual_steps.py): docs/unusual-steps.md on standard output.

usage: judge_unusual_steps.py HABITAT [FOLDER]      the page; FOLDER: recordings of an H100, those without a GPU in FOLDER/without_gpu, and
                                                     measured_h200.csv
       judge_unusual_steps.py HABITAT --measured FOLDER     what FOLDER's recordings of an H200 took: measured_h200.csv
"""

import ast
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

Made by `make eval` from `data/recordings/unusual`; do not edit. {steps} training steps of operations that no other recording here holds (`tools/unusual_steps.py`): Fourier transforms, factorisations of matrices,
products in fp8, sparse matrices, sorted neighbours, volumes, sampled pictures, equations solved within a step, loops of Python. Each was recorded on one H100 with a small and a large batch in fp32 and, where it can be,
with a small one in autocast to bf16; what the same steps took on one H200 is in `measured_h200.csv`. **What was seen.** Constants and rules were settled before; the table of the first look is docs/decisions/0466. What was
found there was mended with these recordings in view (docs/decisions/0463 to 0465 and others named in 0466), so all rows but those of the other GPU are partly seen; no constant was fitted on them. What is left is large where cuDNN
chooses other convolutions in strict fp32 at another batch, where work hangs on values, and where a kernel waits for itself: look for your own operations below. Whole steps that the CPU binds are of two hosts.
Without a GPU, steps whose work is not known in part are answered as *at least* (docs/decisions/0463), and are in these rows, too."""


AGAIN = """
## Clean test

{steps} other steps whose operations go the same ways, of other networks and sizes (`tools/unusual_again.py`), recorded on one H100 after all of that. What they
found was mended since (docs/decisions/0468): groups of samples by weights that are as large as some parameter by chance, such groups in 16 bit, and the calls they
take; so mixed_weights is partly seen, the other rows are not."""


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
            _, guess = judge.predict(habitat, folder / f"{row['recording']}_h100.json.gz", gpu=OTHER)
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


def by_step(cases):
    """Signed errors of sums and peaks, of the small recording first."""
    kinds = [kind for kind in dict.fromkeys(c.kind for c in cases) if "sum of kernels" in kind or kind.endswith("another batch")]
    yield f"| error % | {' | '.join(kinds)} |\n|---{'|--:' * len(kinds)}|"
    for step in sorted({c.model for c in cases}):
        of = {kind: [f"{100 * c.error:+.1f}" for c in cases if (c.model, c.kind) == (step, kind)] for kind in kinds}
        yield f"| {step} | {' | '.join(', '.join(of[kind]) or '-' for kind in kinds)} |"


def described(tool):
    """What the tool's table says of each step, and its batches."""
    tree = ast.parse((ROOT / tool).read_text())
    texts = {f.name: ast.get_docstring(f) for f in tree.body if isinstance(f, (ast.FunctionDef, ast.ClassDef))}
    table = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "STEPS")
    yield "| step | what it does | batches |\n|---|---|---|"
    for key, value in zip(table.keys, table.values):
        text = texts[value.elts[0].id]
        yield f"| {key.value} | {text.splitlines()[0]} | {value.elts[1].value}, {value.elts[2].value} |"


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[1] == "--measured":
        return measured(arguments[0], pathlib.Path(arguments[2]))
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    habitat, folder = arguments[0], pathlib.Path(arguments[1]) if len(arguments) == 2 else FOLDER
    parts = (judge.scaled, withheld, judge.memory)
    cases, again = cases_of(habitat, folder, (other_gpu, *parts)), cases_of(habitat, folder / "again", parts)
    print(TEXT.format(steps=len({c.model for c in cases})))
    print("\n" + "\n".join(judge.summary(cases)))
    print("\n## By step\n\n" + "\n".join(by_step(cases)))
    print(AGAIN.format(steps=len({c.model for c in again})))
    print("\n" + "\n".join(judge.summary(again)) + "\n\n" + "\n".join(by_step(again)))
    print("\n## What they do\n\n" + "\n".join([*described("tools/unusual_steps.py"), *list(described("tools/unusual_again.py"))[1:]]))
    return None


if __name__ == "__main__":
    sys.exit(main())
