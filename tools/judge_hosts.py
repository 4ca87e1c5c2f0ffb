#!/usr/bin/env python3
"""What figures of a host tell of another: steps that the CPU binds and figures of two hosts, measured in turns in three processes each
(data/recordings/measured_hosts.csv). Prints the tables of decisions 0274 (one host from the other, scaled by figures of another process
than the steps) and 0275 (what autocast adds to a step), and how far apart the same step is in two processes of one host
(data/recordings/measured_twice.csv; decision 0341).

usage: judge_hosts.py
       judge_hosts.py --middle HABITAT      what `habitat calibrate` measures of the middle host of fit_cpu_table.py (decision 0623)
"""

import csv
import glob
import itertools
import json
import math
import os
import statistics
import subprocess
import sys

RECORDINGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "recordings")
BOUND = 1.1  # an iteration more than so many times its busy time is bound by the CPU (src/replay)
FIRST, SECOND = "h100", "h200"
LAYERS = 24  # of the measured figure "mlp"
NOTHING, OURS = "nothing", "geometric mean of launch, mlp_forward, backward"


def read(path):
    """({figure: {(host, process): us}}, the same of steps: (script, precision, batch size))."""
    figures, steps = {}, {}
    with open(path, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            into, name = (figures, row["name"]) if row["kind"] == "figure" else (steps, (row["name"], row["precision"], row["batch"]))
            into.setdefault(name, {})[row["host"], int(row["process"])] = float(row["us"])
    return figures, steps


def with_own(figures):
    """What calibrate writes: forward, and what a pass back takes beyond it; their mean with a launch; no figure at all."""
    places = figures["launch"]
    back = {place: figures["mlp"][place] - figures["mlp_forward"][place] for place in places}
    ours = {place: math.exp(statistics.mean(math.log(part[place]) for part in (figures["launch"], figures["mlp_forward"], back))) for place in places}
    return {NOTHING: dict.fromkeys(places, 1.0), **figures, "backward": back, OURS: ours}


def errors(figure, steps, here, there, processes=(0, 1, 2)):
    """Of steps on `there` from those on `here`, times the ratio of the figure: both of other processes than the figure is."""
    for a, b in itertools.product(processes, repeat=2):
        ratio = figure[there, b] / figure[here, a]
        for step in steps.values():
            for x, y in itertools.product(processes, repeat=2):
                if x != a and y != b:
                    yield step[here, x] * ratio / step[there, y] - 1


def moved(figure, steps, host, processes=(0, 1, 2)):
    """Of steps of a host from those of the same host in another process, times the ratio of the figure in these processes."""
    for a, b in itertools.permutations(processes, 2):
        for step in steps.values():
            yield step[host, a] * figure[host, b] / figure[host, a] / step[host, b] - 1


def mean_percent(values):
    return f"{100 * statistics.mean(map(abs, values)):.1f}"


def tables(figures, steps):
    figures = with_own(figures)
    ratios = [statistics.mean(step[FIRST, p] for p in range(3)) / statistics.mean(step[SECOND, p] for p in range(3)) for step in steps.values()]
    yield f"{len(steps)} steps take {min(ratios):.2f} to {max(ratios):.2f} times as long on {FIRST}, geometric mean {math.exp(statistics.mean(map(math.log, ratios))):.2f}"
    yield f"| scaled by the ratio of | {SECOND} from {FIRST}, mean error % | {FIRST} from {SECOND} |\n|---|--:|--:|"
    for name, figure in figures.items():
        yield f"| {name} | {mean_percent(errors(figure, steps, FIRST, SECOND))} | {mean_percent(errors(figure, steps, SECOND, FIRST))} |"
    far = sorted(abs(math.log1p(e)) for e in errors(figures[OURS], steps, FIRST, SECOND))
    yield f"80 % of {len(far)} within a factor of {math.exp(far[int(0.8 * len(far))]):.2f}"
    for host in (FIRST, SECOND):
        yield f"{host} at another time: {mean_percent(moved(figures[NOTHING], steps, host))}, scaled {mean_percent(moved(figures[OURS], steps, host))}"
    yield f"| autocast over fp32 | {FIRST} | {SECOND} |\n|---|--:|--:|"
    for name, precision, batch in steps:
        plain = [key for key in steps if key[:2] == (name, "fp32")]
        if precision != "fp32" and plain:
            both = [statistics.mean(steps[name, precision, batch][h, p] for p in range(3)) / statistics.mean(steps[plain[0]][h, p] for p in range(3)) for h in (FIRST, SECOND)]
            yield f"| {name} {precision} (batch {batch}, fp32 {plain[0][2]}) | {both[0]:.2f} | {both[1]:.2f} |"


def read_twice(path):
    """{step: [(iteration [ms], busy [ms], spread of its timed groups [%]) of each process]}."""
    steps = {}
    with open(path, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            steps.setdefault(row["step"], []).append(tuple(float(row[name]) for name in ("iteration_ms", "busy_ms", "spread_percent")))
    return steps


def twice(steps):
    """How far the second process of a step is from its first, where the CPU binds in both and where it does not."""
    slow = [all(time > BOUND * busy for time, busy, _ in both) for both in steps.values()]
    for what, side in (("the CPU binds", True), ("others", False)):
        apart = [both[1][0] / both[0][0] - 1 for both, bound in zip(steps.values(), slow) if bound == side]
        yield f"the same step in another process, {what}: {mean_percent(apart)} % of {len(apart)}, worst {100 * max(map(abs, apart)):.1f}"


def said_us(habitat, script, precision):
    """What the table says that the CPU needs for a step of this script, whatever its batch; None without a recording."""
    found = sorted(glob.glob(os.path.join(RECORDINGS, "without_gpu", f"{script}_b*_{precision.replace('-', '_')}.json.gz")))
    if not found:
        return None
    command = [habitat, "predict", found[0], "--to", "H100-SXM5-80GB", "--json"]
    return 1e3 * json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["predictions"][0]["cpu_ms"]


def middle(habitat, figures, steps):
    """Each figure over how much longer than the table says the steps take there."""
    said = {key: said_us(habitat, key[0].split()[0], key[1]) for key in steps}
    places = figures["launch"]
    longer = {place: statistics.median(steps[key][place] / us for key, us in said.items() if us) for place in places}
    yield f"{sum(map(bool, said.values()))} steps take {min(longer.values()):.2f} to {max(longer.values()):.2f} of the table"
    back = {place: figures["mlp"][place] - figures["mlp_forward"][place] for place in places}
    for name, figure, many in (("a launch", places, 1), ("a layer forward", figures["mlp_forward"], LAYERS), ("a layer backward", back, LAYERS)):
        of = sorted(figure[place] / many / longer[place] for place in places)
        yield f"{name}: {statistics.median(of):.2f} us ({of[0]:.2f} to {of[-1]:.2f})"


def main():
    measured = read(os.path.join(RECORDINGS, "measured_hosts.csv"))
    if len(sys.argv) == 3 and sys.argv[1] == "--middle":
        print("\n".join(middle(sys.argv[2], *measured)))
        return
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    lines = [*tables(*measured), *twice(read_twice(os.path.join(RECORDINGS, "measured_twice.csv")))]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
