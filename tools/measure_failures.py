"""Runs training steps that do not fit and writes down what PyTorch says then: what was asked for, given out, and free.

Usage: PYTHONPATH=python python3 tools/measure_failures.py LIMITS.csv OUT.csv [--budget SECONDS]

LIMITS.csv is what `tools/measure_steps.py --limits` wrote on the same kind of GPU: of each script and format the
largest batch that ran and the smallest that failed are tried. Columns of OUT.csv, to 0.01 GiB as PyTorch prints them:
`pieces_bytes` is reserved by its allocator and not given out, `outside_bytes` free outside of it.
"""

import argparse
import csv
import os
import re
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from measure_steps import clean  # noqa: E402
from steps import load  # noqa: E402

COLUMNS = (
    "gpu", "framework", "script", "precision", "batch", "asked_bytes", "allocated_bytes", "pieces_bytes", "outside_bytes",
    "device_bytes",
)  # fmt: skip
SAID = {
    "asked_bytes": r"allocate ([\d.]+) (\wiB)", "outside_bytes": r"of which ([\d.]+) (\wiB) is free",
    "allocated_bytes": r"([\d.]+) (\wiB) is allocated by PyTorch", "pieces_bytes": r"([\d.]+) (\wiB) is reserved by PyTorch but",
}  # fmt: skip
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def amounts(message):
    """The amounts [bytes] that an out-of-memory error tells; None where it tells others."""
    found = {key: re.search(pattern, message) for key, pattern in SAID.items()}
    if not all(found.values()):
        return None
    return {key: round(float(match[1]) * UNITS[match[2]]) for key, match in found.items()}


def batches(path):
    """(script, precision, batch) around every limit of a table of measure_steps.py."""
    with open(path, encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for key in dict.fromkeys((row["script"], row["precision"]) for row in rows):
        mine = [row for row in rows if (row["script"], row["precision"]) == key]
        ran = [int(row["batch"]) for row in mine if row["fits"] == "True"]
        failed = [int(row["batch"]) for row in mine if row["fits"] != "True"]
        for batch in ([max(ran)] if ran else []) + ([min(failed)] if failed else []):
            yield (*key, batch)


def failure(script, precision, batch):
    """A row, or None if the step ran."""
    import torch

    try:
        with torch.device("cuda"):
            step = load(script, precision, batch)
        for _ in range(2):
            step()
        torch.cuda.synchronize()
    except torch.cuda.OutOfMemoryError as error:
        said = amounts(str(error))
        return said and {
            "gpu": torch.cuda.get_device_name(), "framework": f"torch {torch.__version__}", "script": script,
            "precision": precision, "batch": batch, "device_bytes": torch.cuda.mem_get_info()[1], **said,
        }  # fmt: skip
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("limits")
    p.add_argument("out")
    p.add_argument("--budget", type=float, default=300, help="seconds for everything (default: 300)")
    chosen = p.parse_args()
    end = time.monotonic() + chosen.budget
    with open(chosen.out, "w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        for step in batches(chosen.limits):
            if time.monotonic() > end:
                print(f"measure_failures: {step}: not run, the time budget is used up", file=sys.stderr)
                continue
            row = failure(*step)
            clean()
            if row:
                table.writerow(row)
                stream.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
