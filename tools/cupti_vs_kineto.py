"""Compares the traces of one program recorded by Kineto and by the CUDA recorder.

cupti_vs_kineto.py KINETO.json CUPTI.json [--tolerance 0.03]

Per stream: the same kernels in the same order, the same grid, block, registers and shared memory; over all: the sum of
durations within the tolerance. Streams are matched by their number. Prints a table; exit 0 when everything agrees, 1
when not, 3 when a trace cannot be read.
"""

import argparse
import gzip
import json
import sys
from collections import defaultdict

GEOMETRY = ("grid", "block", "registers per thread", "shared memory")


def kernels_by_stream(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        trace = json.load(file)
    streams = defaultdict(list)
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "kernel":
            streams[event["args"]["device"], event["args"]["stream"]].append(event)
    for events in streams.values():
        events.sort(key=lambda event: event["ts"])
    return streams


def geometry(event):
    return tuple(str(event["args"].get(key)) for key in GEOMETRY)


def first_difference(ours, theirs, what):
    for index, (a, b) in enumerate(zip(ours, theirs)):
        if what(a) != what(b):
            return index
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def row(label, kineto, cupti, agree):
    print(f"{label:<34}{kineto:>16}{cupti:>16}   {'ok' if agree else 'DIFFERENT'}")
    return agree


def compare(kineto, cupti, tolerance):
    good = True
    print(f"{'':<34}{'Kineto':>16}{'CUPTI':>16}")
    for stream in sorted(set(kineto) | set(cupti)):
        k, c = kineto.get(stream, []), cupti.get(stream, [])
        label = f"device {stream[0]} stream {stream[1]}: "
        good &= row(label + "kernels", len(k), len(c), len(k) == len(c))
        at = first_difference(k, c, lambda event: event["name"])
        good &= row(label + "order", "", "", at is None)
        if at is not None:
            for name, events in (("Kineto", k), ("CUPTI", c)):
                print(f"    {name} {at}: {events[at]['name'][:150] if at < len(events) else '(none)'}")
        at = first_difference(k, c, geometry)
        good &= row(label + "geometry", "", "", at is None)
        if at is not None and at < min(len(k), len(c)):
            print(f"    {at}: {geometry(k[at])} against {geometry(c[at])}")
    totals = [sum(event["dur"] for events in side.values() for event in events) for side in (kineto, cupti)]
    counts = [sum(map(len, side.values())) for side in (kineto, cupti)]
    good &= row("all kernels", counts[0], counts[1], counts[0] == counts[1] and counts[0] > 0)
    ratio = totals[1] / totals[0] if totals[0] else float("inf")
    good &= row("sum of durations [us]", f"{totals[0]:.1f}", f"{totals[1]:.1f}", abs(ratio - 1) <= tolerance)
    print(f"{'CUPTI / Kineto':<34}{ratio:>32.4f}   (within {1 - tolerance:g} .. {1 + tolerance:g})")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kineto")
    parser.add_argument("cupti")
    parser.add_argument("--tolerance", type=float, default=0.03)
    arguments = parser.parse_args()
    try:
        kineto, cupti = kernels_by_stream(arguments.kineto), kernels_by_stream(arguments.cupti)
    except (OSError, ValueError, KeyError) as error:
        print(f"cupti_vs_kineto: {error!r}", file=sys.stderr)
        return 3
    return 0 if compare(kineto, cupti, arguments.tolerance) else 1


if __name__ == "__main__":
    sys.exit(main())
