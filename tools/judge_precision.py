#!/usr/bin/env python3
"""Autocast steps that were measured beside fp32 ones, in turns (data/recordings/measured_precision.csv), against what recordings in fp32
of the same scripts say of them.

Each step is predicted from the recording in fp32 of its batch size, else of the nearest below it with --batch. Prints the section of
docs/iteration.md: a line a step; tools/iteration_goals.py counts those of the recorded batch size.

usage: judge_precision.py HABITAT
"""

import csv
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDINGS = os.path.join(ROOT, "data", "recordings")
GPUS = {"h100": "H100-SXM5-80GB", "h200": "H200-SXM5-141GB"}
TEXT = """
### Another precision, measured in turns

Steps in fp32 and autocast measured one after the other, in three groups each, on one H100 and one H200 of other hosts and another day
than the recordings (`measured_precision.csv`), predicted from recordings in fp32. Names as of recordings; *from*: its batch size.
"""
HEAD = ("step, in turns", "from", "measured", "spread", "predicted", "interval", "bound by", "error %")


def groups_of(row):
    return [float(text) for text in row["group_ms"].split()]


def spread(row):
    """(largest - smallest median of a group) by the median of all iterations, as of recordings."""
    groups = groups_of(row)
    return (max(groups) - min(groups)) / float(row["iteration_ms"])


def recorded_batches(script, tag, names):
    found = (re.fullmatch(rf"{script}_b(\d+)_fp32_{tag}\.json\.gz", name) for name in names)
    return sorted(int(match.group(1)) for match in found if match)


def nearest(batch, recorded):
    """The batch size to predict from: the same, else the largest below it, else the smallest. None without recordings."""
    below = [b for b in recorded if b <= batch]
    return below[-1] if below else recorded[0] if recorded else None


def predict(habitat, path, gpu, *more):
    command = [habitat, "predict", path, "--to", gpu, "--json", *more]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["predictions"][0]


def judged(habitat, rows, names):
    """(row, batch size it is predicted from, prediction, error) of each autocast step."""
    for row in rows:
        tag, batch = row["gpu"], int(row["batch"])
        if not row["precision"].startswith("amp-"):
            continue
        source = nearest(batch, recorded_batches(row["script"], tag, names))
        if source is None:
            sys.exit(f"judge_precision: no recording of {row['script']} in fp32 on {tag}")
        path = os.path.join(RECORDINGS, f"{row['script']}_b{source}_fp32_{tag}.json.gz")
        more = [] if source == batch else ["--batch", str(batch)]
        guess = predict(habitat, path, GPUS[tag], "--precision", row["precision"], *more)
        yield row, source, guess, guess["iteration_ms"] / float(row["iteration_ms"]) - 1


def line(row, source, guess, error):
    name = f"{row['script']}_b{row['batch']}_{row['precision'].replace('-', '_')}_{row['gpu']}"
    cells = [name, str(source), f"{float(row['iteration_ms']):.2f}", f"{100 * spread(row):.0f} %", f"{guess['iteration_ms']:.2f}",
             f"{guess['low_ms']:.2f}..{guess['high_ms']:.2f}", guess["bound_by"], f"{100 * error:+.1f}"]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(os.path.join(RECORDINGS, "measured_precision.csv"), newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    print(TEXT)
    print(f"| {' | '.join(HEAD)} |\n|{'--|' * len(HEAD)}")
    for found in judged(sys.argv[1], rows, os.listdir(RECORDINGS)):
        print(line(*found))


if __name__ == "__main__":
    main()
