#!/usr/bin/env python3
"""How narrow intervals of the convolutional networks' iterations can be at all, where the measurements contradict the cards:
a part of docs/accuracy.md. The argument is in INTRODUCTION and in docs/decisions/0249.

usage: ordered_bound.py HABITAT [CASES]      CASES: what `habitat eval cnn --csv` prints, `-` = standard input; left out, it is asked
"""

import collections
import csv
import io
import itertools
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOOR = 1.03**2  # no iteration's interval is narrower
SLACK = 1.02  # by how much a dominating GPU may be called slower
SHARES = (0.75, 0.80)
ASKED = 1.3  # the median high over low that was asked of iterations
UNITS = ("matrix_flop_per_s", "plain_flop_per_s")

INTRODUCTION = """### What no predictor can do here

GPU A *dominates* GPU B when it has at least as much of everything. In the first 139 recordings `auto` never calls A more than 2 % slower than B (test `prop.order`), but
some of these cards were measured so. What does that cost? Who believes that A takes no longer than B expects each end of A's interval at or
below the same end of B's. If both intervals hold what was measured, a on A and b on B with a > b, then both begin at b or below and end at a
or above: high over low is a / b at least, on both (less the 2 %). A case that may lie outside needs nothing. So for every step each choice of
cards to hold was tried, and the steps put together so that as many intervals as asked hold and the median is the least. That predictor knows
the measurements beforehand. The last column asks for one width for all cases, which is nearer to what a rule can know."""


def facts(gpu, every):
    """What two GPUs are compared by: everything (as tests/prop/prop_order.c does), or what a data sheet says that these steps use."""
    of = [gpu[key] for key in ("sm_count", "boost_clock_hz", "l2_bytes", "memory_bandwidth_bytes_per_s")]
    if not every:
        return [x or 0 for x in of + [gpu["peak"][unit][dtype] for unit in UNITS for dtype in ("fp32", "fp16")]]
    of.append(gpu["sustained"]["bandwidth_bytes_per_s"])
    of += [rate for kind in ("peak", "sustained") for unit in UNITS for _, rate in sorted(gpu[kind][unit].items())]
    return [x or 0 for x in of]


def dominated(gpus, every):
    """{(A, B)}: A dominates B."""
    of = {name: facts(gpu, every) for name, gpu in gpus.items()}
    return {(a, b) for a in of for b in of if a != b and all(x >= y for x, y in zip(of[a], of[b], strict=True))}


def inverted(steps, above):
    """(a / b, step, A, B) of the pairs whose dominating GPU was measured slower by more than 2 %."""
    return sorted((step[a] / step[b], name, a, b) for name, step in steps.items() for a, b in above if a in step and b in step and step[a] > SLACK * step[b])


def widths(step, held, above):
    """The least high over low of every card of a step (GPU: ms) whose intervals on the cards `held` hold."""
    found = []
    for gpu in step:
        highs = [step[other] / (1 if other == gpu else SLACK) for other in held if other == gpu or (other, gpu) in above]
        lows = [step[other] * (1 if other == gpu else SLACK) for other in held if other == gpu or (gpu, other) in above]
        found.append(max(FLOOR, max(highs) / min(lows) if highs and lows else FLOOR))
    return found


def choices(step, above):
    """(cards held, their widths) of every subset of the cards."""
    return [(k, widths(step, held, above)) for k in range(len(step) + 1) for held in itertools.combinations(step, k)]


def narrow_at_most(steps, held, width):
    """Most cases of width or less where at least `held` cases hold."""
    best = {0: 0}
    for step in steps:
        per = collections.defaultdict(int)
        for k, found in step:
            per[k] = max(per[k], sum(w <= width for w in found))
        after = collections.defaultdict(lambda: -1)
        for (count, n), (k, more) in itertools.product(best.items(), per.items()):
            after[count + k] = max(after[count + k], n + more)
        best = after
    return max(n for count, n in best.items() if count >= held)


def held_by_one_width(steps, width):
    return sum(max(k for k, found in step if max(found) <= width) for step in steps)


def least(candidates, holds):
    """The smallest candidate that holds; what holds for one holds for every larger one."""
    low, high = 0, len(candidates) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(candidates[middle]) else (middle + 1, high)
    return candidates[low]


def bounds(steps, above, share):
    """The least median of high over low, and the least width if all have one, where `share` of the cases hold."""
    cases = sum(map(len, steps.values()))
    held = math.ceil(share * cases - 1e-9)
    tried = [choices(step, above) for step in steps.values()]
    candidates = sorted({w for step in tried for _, found in step for w in found})
    # the median lies between the middle two and is at least their mean
    middle = [least(candidates, lambda w, need=need: narrow_at_most(tried, held, w) >= need) for need in ((cases + 1) // 2, cases // 2 + 1)]
    return held, sum(middle) / 2, least(candidates, lambda w: held_by_one_width(tried, w) >= held)


def spread_of_predictions(rows, share):
    """High over low of the narrowest band around all predictions, moved as one, that holds this share."""
    off = sorted(math.log(float(row["measured_ms"]) / float(row["predicted_ms"])) for row in rows)
    held = math.ceil(share * len(off) - 1e-9)
    return math.exp(min(off[i + held - 1] - off[i] for i in range(len(off) - held + 1)))


def percent(share):
    return f"{100 * share:.0f} %"


def page(rows, gpus):
    steps = collections.defaultdict(dict)
    for row in rows:
        steps[row["model"], row["mode"], row["recorded"]][row["gpu"]] = float(row["measured_ms"])
    yield INTRODUCTION
    yield ""
    yield "| GPUs compared by | dominated pairs | measured inverted | worst | cases held | least median high over low | with one width for all |"
    yield "|---|--:|--:|---|--:|--:|--:|"
    most = 0.0
    for every, title in ((True, "everything, sustained rates too"), (False, "what data sheets say, fp32 and fp16")):
        above = dominated(gpus, every)
        pairs = sum(a in step and b in step for step in steps.values() for a, b in above)
        wrong = inverted(steps, above)
        ratio, name, a, b = wrong[-1] if wrong else (1.0, ("-",), "-", "-")
        for share in SHARES:
            held, median, width = bounds(steps, above, share)
            most = max(most, median, width)
            yield (f"| {title} | {pairs} | {len(wrong)} | {ratio:.2f}: {a} over {b}, {' '.join(name)} | {held} of {len(rows)} ({percent(share)}) | "
                   f"{median:.2f} | {width:.2f} |")
    spreads = " and ".join(f"{spread_of_predictions(rows, share):.2f} for {percent(share)}" for share in SHARES)
    yield ""
    said = "None of these is above" if most <= ASKED else "Not all of these are within"
    yield f"{said} the {ASKED} that was asked of the median: " + (
        "that the measurements contradict the cards does not excuse the intervals." if most <= ASKED else "where they are not, no honest predictor can meet it.")
    yield (f"With the predictions as they are, one width for all cases must be {spreads}, wherever its middle is put: how far off single\npredictions are, "
           "their hosts included, not only how wide intervals are made.")


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    habitat = str(pathlib.Path(arguments[1]).resolve())

    def ask(*words):
        return subprocess.run([habitat, *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    text = ask("eval", "cnn", "--csv") if len(arguments) == 2 else sys.stdin.read() if arguments[2] == "-" else pathlib.Path(arguments[2]).read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["method"] == "auto"]
    gpus = {name: json.loads(ask("gpus", name, "--json"))["gpus"][0] for name in sorted({row["gpu"] for row in rows})}
    print("\n".join(page(rows, gpus)))


if __name__ == "__main__":
    main(sys.argv)
