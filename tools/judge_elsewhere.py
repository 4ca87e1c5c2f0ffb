#!/usr/bin/env python3
"""Whole steps on another GPU, which is in another host: from an H100's recording to an H200's iteration and back. A section of
docs/iteration-figures.md on standard output.

usage: judge_elsewhere.py HABITAT [RECORDINGS]      RECORDINGS: data/recordings, with new_models in it
"""

import collections
import math
import pathlib
import statistics
import sys

import judge_new_models as judge

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = {"h100": "H100-SXM5-80GB", "h200": "H200-SXM5-141GB"}

TEXT = """
## Another GPU is in another host

Whole iterations of the steps that were recorded on one H100 and one H200, predicted from one for the other and compared with what the other recorded. The two were machines of their own, each with its CPU. Where that sets the time,
the error is the difference of the hosts, which no recording can know; the interval has to hold it ([decision 454](decisions/0454-another-gpu-is-in-another-host.md)). *Factor*: 80 % of the iterations lie within it, either way.
The steps of `tools/steps.py` are those that the doubt about hosts was chosen on; on the models nothing was.
"""

Case = collections.namedtuple("Case", "steps bound origin error inside width")  # error: log(predicted / recorded); width: log(high / low)


def pairs(folder):
    """(whose steps, recording on an H100, the same on an H200), by name."""
    for steps, ours, theirs in (("tools/steps.py", folder, folder), ("models", folder / "new_models/on_h100", folder / "new_models")):
        for one in sorted(ours.glob("*_h100.json.gz")):
            other = theirs / one.name.replace("_h100", "_h200")
            if other.exists():
                yield steps, one, other


def cases(habitat, folder):
    for steps, *both in pairs(folder):
        recorded = dict(zip(NAMES, both))
        for gpu, other in (("h100", "h200"), ("h200", "h100")):
            _, guess = judge.predict(habitat, recorded[gpu], gpu=NAMES[other])
            measured_ms = judge.predict(habitat, recorded[other], gpu=NAMES[other])[0]["iteration_ms"]
            inside = guess["low_ms"] <= measured_ms <= guess["high_ms"]
            error, width = math.log(guess["iteration_ms"] / measured_ms), math.log(guess["high_ms"] / guess["low_ms"])
            yield Case(steps, guess["bound_by"].upper(), gpu, error, inside, width)


def factor(errors):
    """80 % of them lie within."""
    return math.exp(sorted(abs(e) for e in errors)[math.ceil(0.8 * len(errors)) - 1])


def rows(found):
    yield "| steps of | said to be bound by | from | cases | mean error % | worst % | factor | inside | high / low, median |\n|---|---|---|--:|--:|--:|--:|--:|--:|"
    for key in sorted({(c.steps, c.bound, c.origin) for c in found}, key=lambda k: (k[0] == "models", k[1], k[2])):
        some = [c for c in found if (c.steps, c.bound, c.origin) == key]
        errors = [c.error for c in some]
        mean = 100 * statistics.fmean(abs(math.expm1(e)) for e in errors)
        worst = 100 * math.expm1(max(errors, key=abs))
        inside = 100 * statistics.fmean(c.inside for c in some)
        width = math.exp(statistics.median(c.width for c in some))
        steps, bound, origin = key
        yield (
            f"| {steps} | the {bound} | {origin.upper()} | {len(some)} | {mean:.1f} | {worst:+.1f} | {factor(errors):.2f} | {inside:.0f} % "
            f"| {width:.2f} |"
        )


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "data/recordings"
    print(TEXT)
    print("\n".join(rows(list(cases(sys.argv[1], folder)))))


if __name__ == "__main__":
    main()
