#!/usr/bin/env python3
"""Prints how far predictions of single operations are off on a GPU that no operator model was trained on.

Usage: unseen_gpu.py HABITAT OPERATIONS.csv.gz

OPERATIONS are rows of `habitat collect`; each is predicted from its sizes alone (`habitat predict-ops`).
"""

import collections
import csv
import statistics
import subprocess
import sys

LONG_MS = 0.010  # from here on the work counts for more than the launch


def predicted(habitat, path):
    done = subprocess.run([habitat, "predict-ops", path], stdout=subprocess.PIPE, text=True, check=True)
    return [row for row in csv.DictReader(done.stdout.splitlines()) if row["predicted_ms"]]


def figures(rows):
    """Mean error [%], mean signed error [%] and share of rows inside the interval [%]; "-" where there are none."""
    if not rows:
        return ["-", "-", "-"]
    errors = [float(row["predicted_ms"]) / float(row["latency_ms"]) - 1 for row in rows]
    inside = [float(row["low_ms"]) <= float(row["latency_ms"]) <= float(row["high_ms"]) for row in rows]
    return [
        f"{100 * statistics.mean(map(abs, errors)):.1f}",
        f"{100 * statistics.mean(errors):+.1f}",
        f"{100 * statistics.mean(inside):.0f}",
    ]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = predicted(sys.argv[1], sys.argv[2])
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["op"]].append(row)
    print("| operation | rows | mean error % | mean signed % | inside % | rows of 10 us and more | mean error % | inside % |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, of in [*sorted(groups.items()), ("**all**", rows)]:
        long = [row for row in of if float(row["latency_ms"]) >= LONG_MS]
        error, _, inside = figures(long)
        print(f"| {name} | {len(of)} | {' | '.join(figures(of))} | {len(long)} | {error} | {inside} |")


if __name__ == "__main__":
    main()
