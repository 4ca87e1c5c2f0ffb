#!/usr/bin/env python3
"""Autocast steps that were measured beside fp32 ones, in turns (data/recordings/measured_precision.csv), against what recordings in fp32
of the same scripts say of them; and those of data/recordings/one_host, which were recorded minutes before on the host that measured.

Each step is predicted from the recording in fp32 of its batch size, else of the nearest below it with --batch. Prints two sections of
docs/iteration-figures.md: a line a step; tools/iteration_goals.py counts those of the recorded batch size.

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
ONE_HOST = """
### Another precision, recorded and measured on one host

**A clean test**, made after all constants: one H200 of another host, each step recorded in fp32, then measured in bf16 and fp16 autocast in turns (three groups each) by another process, within a minute
(`data/recordings/one_host`). *CPU, clock*: from the step's beginning until Python goes on, the GPU idle before: what the CPU's side takes where no call waits and its queue of 1,000 launches is not full (not so: all steps in fp16, whose scaler
waits for the gradients; GNMT); *CPU, said*: of the prediction.
"""
ONE_HOST_HEAD = ("step, one host", "from", "measured", "spread", "predicted", "interval", "bound by", "error %", "CPU, clock", "CPU, said")
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


def judged(habitat, rows, folder):
    """(row, batch size it is predicted from, prediction, error) of each autocast step, from the recordings in a folder."""
    names = os.listdir(folder)
    for row in rows:
        tag, batch = row["gpu"], int(row["batch"])
        if not row["precision"].startswith("amp-"):
            continue
        source = nearest(batch, recorded_batches(row["script"], tag, names))
        if source is None:
            sys.exit(f"judge_precision: no recording of {row['script']} in fp32 on {tag}")
        path = os.path.join(folder, f"{row['script']}_b{source}_fp32_{tag}.json.gz")
        more = [] if source == batch else ["--batch", str(batch)]
        guess = predict(habitat, path, GPUS[tag], "--precision", row["precision"], *more)
        yield row, source, guess, guess["iteration_ms"] / float(row["iteration_ms"]) - 1


def line(row, source, guess, error):
    name = f"{row['script']}_b{row['batch']}_{row['precision'].replace('-', '_')}_{row['gpu']}"
    cells = [name, str(source), f"{float(row['iteration_ms']):.2f}", f"{100 * spread(row):.0f} %", f"{guess['iteration_ms']:.2f}",
             f"{guess['low_ms']:.2f}..{guess['high_ms']:.2f}", guess["bound_by"], f"{100 * error:+.1f}"]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def section(habitat, folder, text, head):
    with open(os.path.join(folder, "measured_precision.csv"), newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    print(text)
    print(f"| {' | '.join(head)} |\n|{'--|' * len(head)}")
    for row, source, guess, error in judged(habitat, rows, folder):
        more = f" {float(row['cpu_ms']):.2f} | {guess['cpu_ms']:.2f} |" if "cpu_ms" in row else ""
        print(line(row, source, guess, error) + more)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    section(sys.argv[1], RECORDINGS, TEXT, HEAD)
    section(sys.argv[1], os.path.join(RECORDINGS, "one_host"), ONE_HOST, ONE_HOST_HEAD)


if __name__ == "__main__":
    main()
