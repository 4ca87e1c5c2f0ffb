#!/usr/bin/env python3
"""Prints how two recordings of one model, on GPUs of two vendors, predict each other: class by class, and the sum.

Usage: two_vendors.py HABITAT TRACE1 TRACE2
"""

import json
import subprocess
import sys


def ask(habitat, *words):
    done = subprocess.run([habitat, *words, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def row(what, recorded, answer, measured):
    inside = "inside" if answer["low_ms"] <= measured <= answer["high_ms"] else "outside"
    error = 100 * (answer["ms"] / measured - 1)
    interval = f"{answer['low_ms']:.3f} to {answer['high_ms']:.3f}"
    return f"| {what} | {recorded:.3f} | {answer['ms']:.3f} | {interval} | {measured:.3f} | {error:+.0f} % | {inside} |"


def table(habitat, trace, other):
    """Predictions of `trace` for the GPU of `other`, beside the times of `other`."""
    there = ask(habitat, "info", other)
    told = ask(habitat, "explain", trace, "--to", there["trace"]["gpu"], "--by", "class")
    measured = {one["class"]: one["ms"] for one in there["by_class"]}
    rows = [one for one in told["rows"] if one["class"] in measured]
    print(f"\nFrom {told['trace']['gpu']} to {there['trace']['gpu']}:\n")
    print("| class | recorded, ms | predicted, ms | interval, ms | measured there, ms | error | measured is |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for one in rows:
        print(row(one["class"], one["origin_ms"], one, measured[one["class"]]))
    whole = {key: sum(one[key] for one in rows) for key in ("origin_ms", "ms", "low_ms", "high_ms")}
    print(row("**all**", whole["origin_ms"], whole, sum(measured[one["class"]] for one in rows)))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    habitat, first, second = sys.argv[1:]
    table(habitat, first, second)
    table(habitat, second, first)


if __name__ == "__main__":
    main()
