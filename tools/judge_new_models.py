#!/usr/bin/env python3
"""Models that nothing was chosen or fitted on (data/recordings/new_models; tools/new_models.py): docs/new-models.md on standard output.

usage: judge_new_models.py HABITAT [FOLDER]      FOLDER: recordings, and recordings without a GPU in FOLDER/without_gpu
"""

import ast
import collections
import csv
import functools
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/new_models"
GPU = "H200-SXM5-141GB"
GPUS = {"h100": "H100-SXM5-80GB", "h200": GPU}  # how names of recordings end
NAME = re.compile(r"(?P<model>\w+?)_b(?P<batch>\d+)_(?P<precision>fp32|tf32|amp_bf16|bf16|fp8)")

TEXT = """# New models

Made by `make eval` from `data/recordings/new_models`; do not edit.

{models} models of torchvision, Transformers, PyTorch Geometric and a few lines of PyTorch (`tools/new_models.py`). Each was recorded on one H200 in five steps: a small batch in fp32, TF32 and
autocast to bf16, a large one in fp32 and autocast. The rules were settled before anybody looked at these models, so what is worse here than in [iteration-figures.md](iteration-figures.md) and
[memory.md](memory.md) is what a network of your own has to expect. What has been seen since: [below](#how-clean-this-test-is).

## How to read these tables

Errors are the predicted value against the measured one: +10 % is a tenth too long (of memory: too much). "Inside the interval" is the share of cases whose measured time
lies in the 80 % interval.

| row | says |
|---|---|
| sum of kernels | GPU time: all kernels of a step added up |
| whole step | the time of an iteration, its waits for the CPU included. "Said to be bound by the CPU": the prediction says that the CPU sets it. Two processes of one host take different times there (docs/decisions/0427); sums of kernels do not change |
| another batch; amp-bf16 from fp32; H200 to H100 | predicted from the recording at the other batch size, in the other format, on the other GPU |
| own time withheld | the recorded step itself, without the time that the recorder noted |
| without a GPU | from shapes alone (`habitat record --no-gpu`). Its sum is compared with kernels, sets and copies within the GPU, since an answer stands for all that an operation launches; not with copies from the host (docs/decisions/0461) |
| peak of memory | what PyTorch's allocator holds at its most |

## All models
"""

CLEAN = """
## How clean this test is

No constant had been chosen on these models when they were first looked at; what that look gave stands in docs/decisions/0426. Since then they were in view when rules were changed, so these rows
are partly seen:

| rows | what was done with them in view |
|---|---|
| GIN, R3D, Mistral | docs/decisions/0430 to 0432 |
| without a GPU | 0452, 0456, 0470 to 0473 (R3D's films were fitted on kernels of images, of some of these models too) |
| another batch, another format | 0480 to 0482: constants were chosen on other models, but that recurrent layers follow their model alone was chosen on the GRU here |
| batch norms of GIN, Wide & Deep and DeepLab in bf16 | the cycles of norms with channels last were fitted on them; here one norm of a single pixel asks them, of DeepLab (0459) |
| norms of TCN, rows of GIN | how norms grow with the batch was chosen on them (0459) |
| another batch | how element-wise kernels, copies, batch norms with channels last and layouts of convolutions grow was chosen on these models among others (0530 to 0532) |
| another format | what 0511 says of kernels without vectors; 0550 (Mistral, Bloom); ResNeXt's groups 0535, whose constants are of measured layers |"""

Case = collections.namedtuple("Case", "kind model error inside")  # error: predicted / measured - 1; inside: of the interval, None if not judged


def run(habitat, *arguments):
    return subprocess.run([habitat, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def table(habitat, folder, part):
    return list(csv.DictReader(io.StringIO(run(habitat, "eval", part, "--recordings", folder, "--csv"))))


def parts(name):
    return NAME.match(name).groupdict()


def gpu_of(path):
    """What a recording is of, as its name says; of those without a GPU the one that most were recorded on."""
    return GPUS.get(path.name[: -len(".json.gz")].rsplit("_", 1)[-1], GPU)


@functools.cache
def predict(habitat, path, *more, gpu=None):
    """(its trace, its prediction for a GPU, or for the one that it was recorded on)"""
    answer = json.loads(run(habitat, "predict", path, "--to", gpu or gpu_of(path), "--json", *more))
    return answer["trace"], answer["predictions"][0]


def case(kind, model, guess_ms, measured_ms, interval=None):
    inside = interval["low_ms"] <= measured_ms <= interval["high_ms"] if interval else None
    return Case(kind, model, guess_ms / measured_ms - 1, inside)


def pairs(folder, plain="fp32"):
    """(kind, path it is predicted from, path of the truth, options): every other batch of a format, every other format of a batch from the plain one."""
    found = [(path, parts(path.name)) for path in sorted(folder.glob("*.json.gz"))]
    for path, a in found:
        for other, b in found:
            if a["model"] != b["model"] or path == other:
                continue
            if a["precision"] == b["precision"]:
                yield "another batch", path, other, ("--batch", b["batch"])
            elif a["batch"] == b["batch"] and a["precision"] == plain:
                precision = b["precision"].replace("_", "-")
                yield f"{precision} from {plain}", path, other, ("--precision", precision)


def scaled(habitat, folder, plain="fp32"):
    """Cases of steps in another batch size or format: sums of their kernels, and whole steps with their intervals."""
    for kind, path, other, options in pairs(folder, plain):
        _, guess = predict(habitat, path, *options)
        trace, truth = predict(habitat, other)
        model = parts(path.name)["model"]
        yield case(f"{kind}, sum of kernels", model, guess["kernel_ms"], truth["kernel_ms"])
        bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
        yield case(f"{kind}, whole step, said to be bound by the {bound}", model, guess["iteration_ms"], trace["iteration_ms"], guess)


def withheld(habitat, folder):
    """Cases of steps replayed without their own time."""
    for row in table(habitat, folder, "replay"):
        if row["question"] == "withheld":
            measured = float(row["measured_ms"])
            interval = {key: float(row[key]) for key in ("low_ms", "high_ms")}
            bound = "GPU" if predict(habitat, folder / row["from"])[1]["bound_by"] == "gpu" else "CPU"
            yield case(f"own time withheld, bound by the {bound}", parts(row["from"])["model"], float(row["predicted_ms"]), measured, interval)


def memory(habitat, folder):
    for row in table(habitat, folder, "memory"):
        kind = "from shapes alone" if row["truth"] == "shapes" else "another batch" if row["same_format"] == "true" else "another format"
        yield Case(f"peak of memory, {kind}", row["script"], float(row["error"]), None)


def gpu_ms(truth):
    """What a step's operations take on the GPU: kernels, sets and copies, as an operation's answer stands for all that it launches. Not
    copies from the host, which go at the link's rate; what ran at the same time in several streams counts once. truth: --by kernel."""
    rows = truth["by_kernel"]
    from_host = sum(row["ms"] for row in rows if row["kernel"].startswith("Memcpy HtoD")) / (1 + max(row["iteration"] for row in rows))
    return min(truth["kernel_ms"] + truth["copy_ms"] - from_host, truth["busy_ms"])


def without_gpu(habitat, folder, suffix="h200"):
    for path in sorted((folder / "without_gpu").glob("*.json.gz")):
        name = path.name[: -len(".json.gz")]
        trace, truth = predict(habitat, folder / f"{name}_{suffix}.json.gz", "--by", "kernel")
        _, guess = predict(habitat, path, gpu=GPUS[suffix])
        yield case("without a GPU, sum of kernels", parts(name)["model"], guess["kernel_ms"], gpu_ms(truth))
        yield case("without a GPU, whole step", parts(name)["model"], guess["iteration_ms"], trace["iteration_ms"], guess)


def percent(values):
    return f"{100 * statistics.fmean(values):.1f}"


def worst(cases):
    far = max(cases, key=lambda c: abs(c.error))
    return f"{100 * far.error:+.1f} ({far.model})"


def summary(cases):
    yield "| what | cases | mean error % | median | worst | bias % | inside the interval |\n|---|--:|--:|--:|--:|--:|--:|"
    for kind in dict.fromkeys(c.kind for c in cases):
        some = [c for c in cases if c.kind == kind]
        sizes = [abs(c.error) for c in some]
        judged = [c.inside for c in some if c.inside is not None]
        share = f"{100 * statistics.fmean(judged):.0f} %" if judged else "-"
        bias = f"{100 * statistics.fmean(c.error for c in some):+.1f}"
        yield f"| {kind} | {len(some)} | {percent(sizes)} | {100 * statistics.median(sizes):.1f} | {worst(some)} | {bias} | {share} |"


def by_model(cases):
    kinds = [kind for kind in dict.fromkeys(c.kind for c in cases) if "sum of kernels" in kind or "memory" in kind]
    yield f"| mean error % | {' | '.join(kinds)} |\n|---{'|--:' * len(kinds)}|"
    for model in sorted({c.model for c in cases}):
        of = {kind: [abs(c.error) for c in cases if (c.model, c.kind) == (model, kind)] for kind in kinds}
        yield f"| {model} | {' | '.join(percent(of[kind]) if of[kind] else '-' for kind in kinds)} |"


def is_of_kernels_or_peak(kind):
    return "sum of kernels" in kind or "peak" in kind


def signed(cases, shown=is_of_kernels_or_peak):
    """A table of the errors of each model or step, of the small recording first; shown: whether a kind is a column."""
    kinds = [kind for kind in dict.fromkeys(c.kind for c in cases) if shown(kind)]
    yield f"| error % | {' | '.join(kinds)} |\n|---{'|--:' * len(kinds)}|"
    for model in sorted({c.model for c in cases}):
        of = {kind: [f"{100 * c.error:+.1f}" for c in cases if (c.model, c.kind) == (model, kind)] for kind in kinds}
        yield f"| {model} | {' | '.join(', '.join(of[kind]) or '-' for kind in kinds)} |"


def steps_of(tool, table):
    """(name, first line of its function, what stands behind it, two entries) of the steps in a tool's table, in its order."""
    tree = ast.parse((ROOT / tool).read_text())
    texts = {f.name: ast.get_docstring(f) for f in tree.body if isinstance(f, ast.FunctionDef)}
    rows = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == table)
    for key, value in zip(rows.keys, rows.values):
        yield key.value, texts[value.elts[0].id].splitlines()[0], [ast.literal_eval(element) for element in value.elts[1:3]]


def described(what, table, *tools):
    """A table of what the steps of tools do, and their batches."""
    yield f"| {what} | what it does | batches |\n|---|---|---|"
    for tool in tools:
        for name, text, (small, large) in steps_of(tool, table):
            yield f"| {name} | {text} | {small}, {large} |"


def measured_or_page(text, folder, measured, page):
    """What a tool with `text` for its usage is asked for: `HABITAT --measured FOLDER`, or `HABITAT [FOLDER]`."""
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[1] == "--measured":
        measured(arguments[0], pathlib.Path(arguments[2]))
    elif len(arguments) in (1, 2):
        page(arguments[0], pathlib.Path(arguments[1]) if len(arguments) == 2 else folder)
    else:
        sys.exit(text)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    habitat, folder = sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else FOLDER
    cases = [c for part in (scaled, withheld, memory, without_gpu) for c in part(habitat, folder)]
    cases.sort(key=lambda c: ("memory" in c.kind, "without a GPU" in c.kind, "withheld" in c.kind, "whole" in c.kind))
    print(TEXT.format(models=len({c.model for c in cases})))
    print("\n".join(summary(cases)))
    print("\n## By model\n\n" + "\n".join(by_model(cases)))
    print(CLEAN)


if __name__ == "__main__":
    main()
