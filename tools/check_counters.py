"""Compares counters in a trace with what the kernels of tools/known_work.cu must have done.

check_counters.py TRACE.json EXPECTED.tsv [--tolerance 0.05]: each line of EXPECTED is a kernel (a part of its name), a
counter and its value. Prints a table; exit 0 when all agree, 1 when not.
"""

import argparse
import json
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("expected")
    parser.add_argument("--tolerance", type=float, default=0.05)
    arguments = parser.parse_args()
    with open(arguments.trace, encoding="utf-8") as file:
        trace = json.load(file)
    print("counters:", json.dumps(trace["habitat"].get("counters")))
    kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    good = True
    with open(arguments.expected, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.count("\t") == 2]
    for part, counter, value in rows:
        found = [event["args"].get(counter) for event in kernels if part in event["name"]]
        got = found[0] if found and found[0] is not None else float("nan")
        ratio = got / float(value)
        agrees = abs(ratio - 1) <= arguments.tolerance
        good &= agrees
        print(f"{part:<24}{counter:<20}{float(value):>18.0f}{got:>18.0f}{ratio:>9.4f}   {'ok' if agrees else 'DIFFERENT'}")
    return 0 if good and rows else 1


if __name__ == "__main__":
    sys.exit(main())
