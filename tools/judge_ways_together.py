#!/usr/bin/env python3
"""Ways to train on several GPUs (data/recordings/ways_together; tools/ways_together.py): docs/ways-together.md on standard output.

usage: judge_ways_together.py HABITAT [FOLDER]              the page; FOLDER: recordings, and measured.csv
       judge_ways_together.py HABITAT --measured FOLDER..   measured.csv of recordings, a folder of each host
"""

import collections
import csv
import gzip
import json
import pathlib
import re
import statistics
import sys
import tempfile

import judge_new_models as judge

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/ways_together"
NAME = re.compile(r"(?P<way>\w+)_b(?P<batch>\d+)_(?P<gpus>\d)x(?P<gpu>h\d00)(\.rank(?P<rank>\d))?\.json\.gz")
MEASURED = ("host", "way", "batch", "gpus", "iteration_ms", "spread")
OWN_TIME = ("iteration_ms", "iteration_spread", "cpu_ms")  # how what a recording knows of its time begins
OTHERS = ("H100-SXM5-80GB", "A100-SXM4-80GB")
MUCH_SPREAD = 0.1  # of groups of iterations
NOT_MODELLED = {"compressed": "sent in bf16", "states": "states in parts", "synchronised": "norms of all GPUs"}

TEXT = """# Ways to train on several GPUs

Made by `make eval` from `data/recordings/ways_together`; do not edit.

{ways} ways to train on several H200s of one host as people do it (`tools/ways_together.py`). Each rank was recorded and timed by the recorder itself; ways that share gradients alone were recorded
on one GPU, too. There were three hosts. The CPU sets the time of many of these steps; where the groups of iterations that were timed differ by more than {spread:.0f} % (column "spread"), it moved while they were timed.
An error of -30 % is a prediction 30 % too short.

* **Clean**: "From a recording of one GPU" (`--gpus`). Nothing was changed with it in view.
* **Seen**: all tables that begin with recorded ranks. The first look found that kernels beside a waiting message were taken as they were, and that ranks could wait for kernels that they never
  met (docs/decisions/0455). Both were mended with these recordings in view. The width of intervals where weights or work are in parts, and how much waiting one rank's file by itself is believed, were
  chosen on them."""

Row = collections.namedtuple("Row", "way what gpus host measured_ms spread guess")


def parts(path):
    return NAME.match(path.name).groupdict()


def ranks(folder):
    """(way, number of GPUs): files of a step, in the order of the ranks."""
    found = collections.defaultdict(list)
    for path in sorted(folder.glob("*.json.gz")):
        name = parts(path)
        found[name["way"], int(name["gpus"])].append(path)
    return found


def notes(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)["habitat"]


def measured(folders):
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(MEASURED)
    for host, folder in enumerate(folders, 1):
        for (way, gpus), files in sorted(ranks(pathlib.Path(folder)).items()):
            said = [notes(path) for path in files]
            spread = max((one["iteration_spread"] for one in said if one.get("iteration_spread") is not None), default="")
            took = statistics.median(one["iteration_ms"] for one in said)
            rows.writerow([host, way, parts(files[0])["batch"], gpus, f"{took:.4f}", spread])


def without_time(path, folder):
    """A copy of a recording that does not know how long its step takes."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    trace["habitat"] = {key: value for key, value in trace["habitat"].items() if not key.startswith(OWN_TIME)}
    made = pathlib.Path(folder) / path.name
    with gzip.open(made, "wt", encoding="utf-8", compresslevel=1) as file:
        json.dump(trace, file)
    return made


def together(habitat, files, *more):
    answer = json.loads(judge.run(habitat, "predict", "--ranks", *files, "--to", judge.GPU, "--json", *more))
    return answer["predictions"][0]


def truths(folder):
    with open(folder / "measured.csv", newline="", encoding="utf-8") as file:
        found = collections.defaultdict(list)
        for row in csv.DictReader(file):
            found[row["way"], int(row["gpus"])].append(row)
    return found


def row(way, what, gpus, truth, guess):
    return Row(way, what, gpus, truth["host"], float(truth["iteration_ms"]), float(truth["spread"] or "nan"), guess)


def own_gpu(habitat, folder):
    """Each step on its own GPU, its time left aside; of the host that recorded it."""
    for (way, gpus), files in ranks(folder).items():
        if gpus == 1:
            continue
        took = statistics.median(notes(path)["iteration_ms"] for path in files)
        truth = min(truths(folder)[way, gpus], key=lambda one: abs(float(one["iteration_ms"]) - took))
        with tempfile.TemporaryDirectory() as made:
            guess = together(habitat, [without_time(path, made) for path in files])
        yield row(way, "its time left aside", gpus, truth, guess)


def more_gpus(habitat, folder):
    """Two ranks, as four; those whose work another number divides otherwise are refused."""
    for (way, gpus), files in ranks(folder).items():
        for truth in truths(folder)[way, 4] if gpus == 2 and way not in refused(habitat, folder) else ():
            yield row(way, "from the ranks of two", 4, truth, together(habitat, files, "--gpus", "4"))


def refused(habitat, folder):
    """Ways that `--gpus` refuses, because more than gradients is shared."""
    said = {}
    for (way, gpus), files in ranks(folder).items():
        if gpus == 2:
            done = judge.subprocess.run(
                [habitat, "predict", "--ranks", *map(str, files), "--to", judge.GPU, "--gpus", "4"], capture_output=True, text=True, check=False
            )
            if done.returncode:
                said[way] = done.stderr.strip().rsplit(": ", 1)[-1]
    return said


def one_gpu(habitat, folder):
    for (way, gpus), files in ranks(folder).items():
        for count in (2, 4) if gpus == 1 else ():
            for truth in truths(folder)[way, count]:
                _, guess = judge.predict(habitat, files[0], "--gpus", str(count))
                yield row(way, NOT_MODELLED.get(way, "gradients alone"), count, truth, guess)


def alone(habitat, folder):
    """One rank's file by itself, on other GPUs, against what all ranks together say there."""
    for (way, gpus), files in ranks(folder).items():
        for gpu in OTHERS if gpus > 1 else ():
            answer = json.loads(judge.run(habitat, "predict", "--ranks", *files, "--to", gpu, "--json"))["predictions"][0]
            for path in files:
                _, guess = judge.predict(habitat, path, gpu=gpu)
                yield judge.case(f"one rank alone, on {gpu}, against all together", way, guess["iteration_ms"], answer["iteration_ms"], None)


def lines(rows):
    yield "| way | what | GPUs | host | measured ms | spread % | predicted ms | interval | error % | bound by |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
    for r in sorted(rows, key=lambda r: (r.way, r.gpus, r.host)):
        guess = r.guess
        inside = guess["low_ms"] <= r.measured_ms <= guess["high_ms"]
        spread = f"{100 * r.spread:.1f}" if r.spread == r.spread else "-"
        yield (
            f"| {r.way} | {r.what} | {r.gpus} | {r.host} | {r.measured_ms:.2f} | {spread} | {guess['iteration_ms']:.2f} | "
            f"{guess['low_ms']:.1f}..{guess['high_ms']:.1f}{'' if inside else ' (outside)'} | "
            f"{100 * (guess['iteration_ms'] / r.measured_ms - 1):+.1f} | {guess['bound_by'].upper()} |"
        )


def summary(rows, kind_of):
    """Cases by kind, those of a host that moved apart."""
    cases = [
        judge.case(
            kind_of(r) + (", spread above 10 % or not known" if not r.spread <= MUCH_SPREAD else ""), r.way, r.guess["iteration_ms"], r.measured_ms, r.guess
        )
        for r in rows
    ]
    return "\n".join(judge.summary(sorted(cases, key=lambda c: c.kind)))


def bound(r):
    return f"said to be bound by the {r.guess['bound_by'].upper()}"


def described():
    yield "| way | what it does | batch of a GPU |\n|---|---|--:|"
    for name, text, (batch, _) in judge.steps_of("tools/ways_together.py", "WAYS"):
        yield f"| {name} | {text} | {batch} |"


def page(habitat, folder):
    print(TEXT.format(ways=len(list(described())) - 1, spread=100 * MUCH_SPREAD))
    for title, some, kind_of in (
        ("Ranks on their own GPU, their time left aside", own_gpu, bound),
        ("Two ranks, as four", more_gpus, lambda r: r.what),
        ("From a recording of one GPU", one_gpu, lambda r: "gradients alone are shared" if r.what == "gradients alone" else "more than is modelled"),
    ):
        rows = list(some(habitat, folder))
        print(f"\n## {title}\n\n{summary(rows, kind_of)}\n\n" + "\n".join(lines(rows)))
    print("\n## One rank alone\n\nWhat others made it wait under the profiler is left out as far as its recorded time has no room for it.\n")
    print("\n".join(judge.summary(list(alone(habitat, folder)))))
    print("\nRefused with another number of GPUs:\n")
    for way, why in sorted(refused(habitat, folder).items()):
        print(f"- {way}: {why}")
    print("\n## What they do\n\n" + "\n".join(described()))


def main():
    arguments = sys.argv[1:]
    if len(arguments) > 2 and arguments[1] == "--measured":
        measured(arguments[2:])
    elif len(arguments) in (1, 2):
        page(arguments[0], pathlib.Path(arguments[1]) if len(arguments) == 2 else FOLDER)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
