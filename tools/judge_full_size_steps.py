#!/usr/bin/env python3
"""Steps of the sizes that people train (data/recordings/full_size; tools/full_size_steps.py): docs/full-size-steps.md on standard output.

usage: judge_full_size_steps.py HABITAT [FOLDER]      the page; FOLDER: recordings of an H100, those without a GPU in FOLDER/without_gpu and
                                                       FOLDER/parts_without_gpu, measured_ddp_h200.csv and measured_sharded_h200.csv
       judge_full_size_steps.py HABITAT --measured FOLDER     what FOLDER's recordings of an H200 took: measured_h200.csv
"""

import csv

import judge_new_models as judge
import judge_unusual_steps as unusual

FOLDER = judge.ROOT / "data/recordings/full_size"

TEXT = """# Steps of full size

Made by `make eval` from `data/recordings/full_size`; do not edit.

{steps} training steps of the sizes that people train (`tools/full_size_steps.py`): 0.02 to 7.6 billion parameters, large batches that take much of 80 GB, up to 1.3 s a step. (Most other recordings here
take less than 0.1 s.) Each was recorded on one H100 with a small and a large batch in autocast to bf16 (the adapters in bf16), and with the small one in TF32. What the same steps took on one H200 is in
`measured_h200.csv`, on two that share gradients in `measured_ddp_h200.csv` (`tools/measure_ddp_steps.py --full-size`), and on two that keep weights,
gradients and states in parts in `measured_sharded_h200.csv` and, in another session, `measured_sharded_h200_2.csv` (`--sharded`).

What the rows say: [new-models.md](new-models.md#how-to-read-these-tables). Batch 2 of long_words did not fit an H100 (`predict` says of batch 1: "may not fit").

**What was seen.** The table of the first look, before anything was mended, is in docs/decisions/0500. Decisions 0501 to 0534 were made with these recordings in view (constants and forms were chosen on older
recordings where these tell enough), so all rows are partly seen; the [clean test](#clean-test) has others. Two steps ran at a time, each on a GPU of its own, so whole steps that the CPU binds are of busy
hosts. Times of two GPUs were in view when docs/decisions/0536 was made, whose constants were chosen on other steps, and RegNet of the clean test when 0535 was. Those with weights in parts are seen, in the clean
test as well: the time of the CPU for each parameter, the widths and the form of the memory were chosen on them (docs/decisions/0556, with the first look). Those "from shapes alone" are a first look, nothing was chosen on them (0590); those "of the script in parts"
(`tools/sharded_steps.py`, in `parts_without_gpu`) too, but that all peaks of memory were in view when 0591 was made. "Two H200s again" are two of another host, measured after 0620 to 0623 (the CPU's table, for which no step of two GPUs counted): a clean test of those.

## All steps
"""

AGAIN = """
## Clean test

{steps} other steps of such sizes (`tools/full_size_again.py`), recorded beside that work and judged once, after all of it: a clean test of decisions 0501 to 0534, whose outcome is in docs/decisions/0500. What was found then carried over to
other batches, little to other formats and recordings without a GPU, and not to the other GPU, whose sums are too long since. Decisions 0535 (groups of channels: regnet) and 0550 to 0553 were made later, with these recordings in view, so
that rows of another batch, of another format and without a GPU are partly seen now. Times on two H200s were measured after 0536 (one of them alone took 2 % longer than said for vit_huge and words_3b with large batches).
"""


def plain(habitat, folder):
    return judge.scaled(habitat, folder, "tf32")


def other_gpu_and_batch(habitat, folder):
    """From the small step on an H100 to the large one on an H200: what a cloud is rented by."""
    with open(folder / "measured_h200.csv", newline="", encoding="utf-8") as file:
        measured = {row["recording"]: row for row in csv.DictReader(file)}
    for name, truth in measured.items():
        a = judge.parts(name)
        sizes = sorted((int(judge.parts(n)["batch"]), n) for n in measured if judge.parts(n) == {**a, "batch": judge.parts(n)["batch"]})
        if len(sizes) < 2 or sizes[-1][1] != name:
            continue
        _, guess = judge.predict(habitat, folder / f"{sizes[0][1]}_h100.json.gz", "--batch", a["batch"], gpu=unusual.OTHER)
        yield judge.case("large batch on an H200 from the small on an H100, sum of kernels", a["model"], guess["kernel_ms"], float(truth["kernel_ms"]))
        bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
        kind = f"large batch on an H200 from the small on an H100, whole step, said to be bound by the {bound}"
        yield judge.case(kind, a["model"], guess["iteration_ms"], float(truth["iteration_ms"]), guess)


def whole_step(what, row, guess):
    """A measured row; steps whose groups of iterations differ by more than 10 % stand apart."""
    groups = [float(ms) for ms in row["group_ms"].split()]
    uneven = ", spread above 10 %" if max(groups) - min(groups) > 0.1 * float(row["iteration_ms"]) else ""
    bound = "CPU" if guess["bound_by"] == "cpu" else "GPU"
    kind = f"{what}, whole step, said to be bound by the {bound}{uneven}"
    return judge.case(kind, row["model"], guess["iteration_ms"], float(row["iteration_ms"]), guess)


def measured_on_two(folder, name, words):
    """(row, recording, what it is) of each row and of each recording of its step. words: what they are, by the folder that they lie in."""
    with open(folder / name, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["gpus"] == "2"]
    for row in rows:
        for where, what in words.items():
            yield row, folder / where / f"{row['recording'] if not where else row['recording'].removesuffix('_h100')}.json.gz", what


def two_gpus(habitat, folder):
    """Gradients shared by two H200s, from a recording of one H100, and from one without a GPU."""
    words = {"": "two H200s from one H100", "without_gpu": "two H200s from shapes alone"}
    for row, path, what in measured_on_two(folder, "measured_ddp_h200.csv", words):
        _, guess = judge.predict(habitat, path, "--gpus", 2, gpu=unusual.OTHER)
        yield whole_step(what, row, guess)


def sharded(habitat, folder):
    """Weights, gradients and states in parts on two H200s: the step and the memory of one of them. From a recording of one H100, from one
    without a GPU, and from one without a GPU of the script that has them in parts (tools/sharded_steps.py)."""
    words = {"": "weights in parts on two H200s", "without_gpu": "weights in parts on two H200s, from shapes alone",
             "parts_without_gpu": "weights in parts on two H200s, from shapes of the script in parts"}  # fmt: skip
    for row, path, what in measured_on_two(folder, "measured_sharded_h200.csv", words):
        _, guess = judge.predict(habitat, path, "--gpus", 2, "--sharded", gpu=unusual.OTHER)
        yield whole_step(what, row, guess)
        yield judge.case(f"{what}, peak of memory", row["model"], guess["memory_bytes"], float(row["peak_bytes"]))
    for row, path, what in measured_on_two(folder, "measured_sharded_h200_2.csv", words):
        _, guess = judge.predict(habitat, path, "--gpus", 2, "--sharded", gpu=unusual.OTHER)
        yield whole_step(what.replace("two H200s", "two H200s again"), row, guess)


def page(habitat, folder):
    parts = (unusual.other_gpu, other_gpu_and_batch, plain, unusual.withheld, judge.memory, two_gpus, sharded)
    cases, again = (unusual.cases_of(habitat, of, parts) for of in (folder, folder / "again"))
    print(TEXT.format(steps=len({c.model for c in cases})))
    print("\n".join(judge.summary(cases)))
    print("\n## By step\n\n" + "\n".join(judge.signed(cases)))
    print(AGAIN.format(steps=len({c.model for c in again})))
    print("\n" + "\n".join(judge.summary(again)) + "\n\n" + "\n".join(judge.signed(again)))
    print("\n## What they do\n\n" + "\n".join(judge.described("step", "STEPS", "tools/full_size_steps.py", "tools/full_size_again.py")))


if __name__ == "__main__":
    judge.measured_or_page(__doc__, FOLDER, unusual.measured, page)
