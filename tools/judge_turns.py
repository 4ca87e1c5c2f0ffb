#!/usr/bin/env python3
"""Steps that one process timed in turns (data/recordings/in_turns, in_turns_again: tools/measure_turns.py), against what some of their recordings say.

From each recording: the other batch size of the same format; from those in fp32 the other formats of the same batch size. Each once as
recorded and once with the time of the recorder's clock (`cpu_ms`) left out. Prints a section of docs/iteration-figures.md: sums first, then a
line a step; tools/iteration_goals.py reads both.

usage: judge_turns.py HABITAT
"""

import csv
import gzip
import math
import os
import statistics
import sys
import tempfile

from judge_precision import GPUS, RECORDINGS, predict, spread

FOLDERS = [os.path.join(RECORDINGS, name) for name in ("in_turns", "in_turns_again")]  # a run each, on one H100 and one H200
UNEVEN = 0.1  # groups of a step, or of the step it is predicted from, that differ by more: listed apart
BOUND = 1.1  # an iteration more than so many times its busy time is bound by the CPU (src/replay)
TEXT = """
### In turns, by one process

**A test written down before it was measured** ([decision 433](decisions/0433-the-cpus-side-by-the-clock.md)), twice, on an H100's and an H200's host each: each of eight scripts was run by one process, two batch sizes in four formats in turns, three times round; then three of these eight steps were
recorded there. *Another batch*: from each recording the other batch size of its format; *amp-bf16*, *amp-fp16*, *tf32*: from each recording in fp32 that format of its batch size. Truth is the median of the three groups, whose spread (or that of the groups of the
step it is predicted from) above 10 % is listed apart. *Without the clock*: the same recordings, `cpu_ms` taken out, so that where the GPU bound the recorded step the CPU's side is by rule. *Sum*: the kernels alone. Times in ms, errors in %. (2): of the second run.

**What was seen**: how much the clock's word counts beside the rule's, and how far it may be off, were chosen on these runs and a first one ([decision 447](decisions/0447-the-clock-beside-the-rule.md) has the errors with each host left out).
"""
SUMS = ("in turns", "steps", "mean", "worst", "bias", "inside the interval", "without the clock: mean", "worst", "inside", "sum: mean")
HEAD = ("step, in turns by one process", "from", "measured", "spread", "predicted", "interval", "bound by", "CPU", "error %", "without the clock %", "sum %", "CPU-bound")  # fmt: skip
KINDS = (("another batch", lambda row: row["kind"] == "batch"), *((name, lambda row, name=name: row["kind"] == name) for name in ("amp-bf16", "amp-fp16", "tf32")))


def without_clock(path, folder):
    out = os.path.join(folder, os.path.basename(path))
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        text = stream.read()
    if text.count('"cpu_ms":') != 1:
        sys.exit(f"judge_turns: {path} notes no time of the clock, or several")
    with gzip.open(out, "wt", encoding="utf-8", compresslevel=1) as stream:
        stream.write(text.replace('"cpu_ms":', '"cpu_ms_withheld":'))
    return out


def pairs(rows):
    """(recorded step, step to be predicted from it, kind of the difference, options of predict)"""
    for origin in rows:
        for target in rows if origin["recorded"] else ():
            same = {key: origin[key] == target[key] for key in ("gpu", "script", "precision", "batch")}
            if not (same["gpu"] and same["script"]) or same["precision"] == same["batch"]:
                continue
            if same["precision"]:
                yield origin, target, "batch", ["--batch", target["batch"]]
            elif origin["precision"] == "fp32":
                yield origin, target, target["precision"], ["--precision", target["precision"]]


def error(guess, key, measured):
    return 100 * (guess[key] / measured - 1)


def judged(habitat, folder, run, scratch):
    """What is printed of each pair of a run's steps."""
    with open(os.path.join(folder, "measured_turns.csv"), newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    paths = {row["recorded"]: os.path.join(folder, f"{row['recorded']}.json.gz") for row in rows if row["recorded"]}
    bare = {name: without_clock(path, scratch) for name, path in paths.items()}
    gpu = {row["gpu"]: GPUS["h100" if "H100" in row["gpu"] else "h200"] for row in rows}
    busy = {name: predict(habitat, path, gpu[row["gpu"]])["busy_ms"] for row in rows for name, path in paths.items() if name == row["recorded"]}
    for origin, target, kind, more in pairs(rows):
        guess, plain = (predict(habitat, some[origin["recorded"]], gpu[origin["gpu"]], *more) for some in (paths, bare))
        measured = float(target["iteration_ms"])
        yield {
            "kind": kind, "script": target["script"], "gpu": target["gpu"], "over_clock": measured / float(target["cpu_ms"]), "name": f"{target['script']}_b{target['batch']}_{target['precision'].replace('-', '_')}",
            "run": run, "from": origin["recorded"] + (f" ({run})" if run > 1 else ""), "measured": measured, "spread": max(spread(target), spread(origin)), "guess": guess,
            "cpu_bound": measured > BOUND * busy.get(target["recorded"], guess["busy_ms"]), "error": error(guess, "iteration_ms", measured),
            "plain": error(plain, "iteration_ms", measured), "sum": error(guess, "busy_ms", measured),
            "inside": guess["low_ms"] <= measured <= guess["high_ms"], "plain_inside": plain["low_ms"] <= measured <= plain["high_ms"],
        }  # fmt: skip


def cells(*values):
    return f"| {' | '.join(values)} |"


def sums(name, some):
    errors, plain = [row["error"] for row in some], [row["plain"] for row in some]
    inside, plain_inside = (f"{100 * statistics.mean(row[key] for row in some):.0f} %" for key in ("inside", "plain_inside"))
    return cells(name, str(len(some)), f"{statistics.mean(map(abs, errors)):.2f}", f"{max(map(abs, errors)):.2f}", f"{statistics.mean(errors):+.2f}", inside,
                 f"{statistics.mean(map(abs, plain)):.2f}", f"{max(map(abs, plain)):.2f}", plain_inside, f"{statistics.mean(abs(row['sum']) for row in some):.2f}")  # fmt: skip


def line(row):
    guess = row["guess"]
    return cells(row["name"], row["from"], f"{row['measured']:.2f}", f"{100 * row['spread']:.0f} %", f"{guess['iteration_ms']:.2f}",
                 f"{guess['low_ms']:.2f}..{guess['high_ms']:.2f}", guess["bound_by"], guess["cpu_basis"], f"{row['error']:+.1f}", f"{row['plain']:+.1f}",
                 f"{row['sum']:+.1f}", "CPU" if row["cpu_bound"] else "")  # fmt: skip


def reach(ratios):
    """Within which factor, either way, 80 % of them lie."""
    far = sorted(abs(math.log(ratio)) for ratio in ratios)
    return math.exp(far[min(len(far) - 1, int(0.8 * len(far)))])


def clock_line(found):
    """Steps that the CPU binds, each once: as they take in a row, over what the clock says of them."""
    steps = {(row["run"], row["gpu"], row["name"]): row for row in found if row["cpu_bound"]}.values()
    left = {script: reach([row["over_clock"] for row in steps if row["script"] != script]) for script in sorted({row["script"] for row in steps})}
    ratios = [row["over_clock"] for row in steps]
    mean = math.exp(statistics.mean(map(math.log, ratios)))
    return (f"\nTimes in a row over the clock's, of the {len(ratios)} steps that the CPU binds: geometric mean {mean:.3f}, 80 % within a factor of {reach(ratios):.3f}; "
            f"each script left out {min(left.values()):.3f} to {max(left.values()):.3f}.")  # fmt: skip


def counting_line(found):
    """Steps that the CPU binds, predicted from recordings of which the clock says the CPU's side."""
    some = [row for row in found if row["cpu_bound"] and row["guess"]["cpu_basis"] == "clock"]
    means = [statistics.mean(abs(row[key]) for row in some) for key in ("error", "plain")]
    return f"\nOf {len(some)} predictions of steps that the CPU binds, from recordings whose clock counts: {means[0]:.1f} % off, without the clock {means[1]:.1f}."


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        found = [row for run, folder in enumerate(FOLDERS, 1) for row in judged(sys.argv[1], folder, run, scratch)]
    print(TEXT)
    print(f"{cells(*SUMS)}\n|{'--|' * len(SUMS)}")
    for name, belongs in KINDS:
        some = [row for row in found if belongs(row)]
        steady = [row for row in some if row["spread"] <= UNEVEN]
        parts = ((name, steady), (f"{name}, CPU-bound", [row for row in steady if row["cpu_bound"]]), (f"{name}, spread above 10 %", [row for row in some if row["spread"] > UNEVEN]),
                 (f"{name}, all", some))  # fmt: skip
        for title, part in parts:
            if part:
                print(sums(title, part))
    print(clock_line(found))
    print(counting_line(found))
    print(f"\n{cells(*HEAD)}\n|{'--|' * len(HEAD)}")
    for row in found:
        print(line(row))


if __name__ == "__main__":
    main()
