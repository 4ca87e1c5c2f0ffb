#!/usr/bin/env python3
"""What the hosts take of the convolutional networks' iterations that others measured: a part of docs/accuracy.md (docs/decisions/0362).

usage: cnn_hosts.py HABITAT [CASES]      CASES: what `habitat eval cnn --csv` prints, `-` = standard input; left out, it is asked
"""

import collections
import csv
import io
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "data/measurements/e2e_models.csv"
SOURCE = "ryujaehun"
# Convolutions of a network. The last three are nobody's case: small ones, whose work per layer is a sixth to a third of the others'.
LAYERS = {
    "resnet50": 53, "vgg16": 13, "densenet121": 120, "mobilenet_v2": 52, "mnasnet0_5": 52, "shufflenet_v2_x0_5": 56, "squeezenet1_1": 26,
}  # fmt: skip
WITNESSES = ("mnasnet0_5", "shufflenet_v2_x0_5", "squeezenet1_1")
MOSTLY = 2 / 3  # of a measured time: more may be the host's

INTRODUCTION = """### What their hosts take

The times above are of PyTorch 1.4 and older by the wall clock, hosts and copies included; predicted is the GPU's busy time. How long a machine's
host takes shows in networks of many layers and hardly any work, measured on the same machine: MNASNet 0.5, ShuffleNet v2 0.5 and SqueezeNet 1.1. The
least time per convolution that any of them took, in either number format, times the case's convolutions is the host's time *at most*: their
GPUs worked, too. Neither our predictions nor the case's own time is in it. Cases of which this is two thirds or more need not be bound by their GPU at
all; no case is left out of any table above for it. *Replay* is what `habitat predict` says by default: the host is that of the recording,
a quicker one. *Longer*: the longer of sum and the measured machine's host."""


def read_measured(lines):
    """{(GPU, mode): {machine: {(model, format): ms}}}"""
    times = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in csv.DictReader(lines):
        if row["source"] == SOURCE and row["num_gpus"] == "1":
            times[row["gpu"], row["mode"]][row["suite"]][row["model"], row["dtype"]] = float(row["e2e_ms"])
    return times


def host_ms(machine, model):
    """The most that a machine's host takes for an iteration of a model; None where no witness ran there."""
    shares = [ms / LAYERS[name] for (name, _), ms in machine.items() if name in WITNESSES]
    return LAYERS[model] * min(shares) if shares else None


def case_of(machines, model, dtype):
    """(measured, the host's at most, fp16 over fp32) of a case, medians over the machines that ran it."""
    ran = [machine for machine in machines.values() if (model, dtype) in machine]
    hosts = [ms for ms in (host_ms(machine, model) for machine in ran) if ms is not None]
    ratios = [m[model, "fp16"] / m[model, "fp32"] for m in ran if (model, "fp16") in m and (model, "fp32") in m]
    return (
        statistics.median(machine[model, dtype] for machine in ran),
        statistics.median(hosts) if hosts else None,
        statistics.median(ratios) if ratios else None,
    )


def replayed(habitat, case):
    """What `habitat predict` says of a case, ms."""
    mode = case["mode"].split("_")[0]
    name = f"{case['model']}_{mode}_b{case['batch']}_{case['recorded']}_{case['origin'].split('-')[0].lower()}.json.gz"
    run = subprocess.run(
        [habitat, "predict", ROOT / "data/recordings" / name, "--to", case["gpu"], "--json"], check=True, capture_output=True
    )
    return json.loads(run.stdout)["predictions"][0]["iteration_ms"]


def judged(habitat, cases):
    """Rows of the table, as recorded in the measured format: (case, measured, sum, replay, host, ratio)."""
    times = read_measured(MEASURED.read_text(encoding="utf-8").splitlines())
    for case in cases:
        if case["method"] == "auto" and case["recorded"] == case["dtype"]:
            measured, host, ratio = case_of(times[case["gpu"], case["mode"]], case["model"], case["dtype"])
            yield case, measured, float(case["predicted_ms"]), replayed(habitat, case), host, ratio


def off(ms, measured):
    return 100 * (ms / measured - 1)


def summary(name, rows):
    def mean(values):
        values = [abs(value) for value in values]
        return f"{statistics.mean(values):.1f} ({max(values):.0f})"

    if rows:
        held = [float(case["low_ms"]) <= measured <= float(case["high_ms"]) for case, measured, *_ in rows]
        yield (
            f"| {name} | {len(rows)} | {mean(off(s, m) for _, m, s, *_ in rows)} | {statistics.mean(off(s, m) for _, m, s, *_ in rows):+.1f} | "
            f"{100 * statistics.mean(held):.0f} % | {mean(off(r, m) for _, m, _, r, *_ in rows)} | "
            f"{mean(off(max(s, h), m) for _, m, s, _, h, _ in rows)} |"
        )


def section(rows):
    hosts = [row for row in rows if row[4] >= MOSTLY * row[1]]
    others = [row for row in rows if row[4] < MOSTLY * row[1]]
    yield INTRODUCTION
    yield "\nMean error, the worst in brackets, per cent:\n"
    yield "| cases | number | sum | signed | inside | replay | longer |\n|---|--:|--:|--:|--:|--:|--:|"
    for dtype in ("fp32", "fp16"):
        yield from summary(f"{dtype}, the measured host may be most of it", [r for r in hosts if r[0]["dtype"] == dtype])
        yield from summary(f"{dtype}, others", [r for r in others if r[0]["dtype"] == dtype])
    yield "\nThose of which the host's may be most:\n"
    yield "| model | mode | format | GPU | measured ms | fp16 / fp32, measured | host, at most ms | sum ms | replay ms | longer, error % |"
    yield "|---|---|---|---|--:|--:|--:|--:|--:|--:|"
    for case, measured, total, replay, host, ratio in hosts:
        yield (
            f"| {case['model']} | {case['mode']} | {case['dtype']} | {case['gpu']} | {measured:.1f} | "
            f"{'-' if ratio is None else f'{ratio:.2f}'} | {host:.1f} | {total:.1f} | {replay:.1f} | {off(max(total, host), measured):+.1f} |"
        )


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    if len(arguments) == 3:
        text = sys.stdin.read() if arguments[2] == "-" else pathlib.Path(arguments[2]).read_text(encoding="utf-8")
    else:
        text = subprocess.run([arguments[1], "eval", "cnn", "--csv"], check=True, capture_output=True, text=True).stdout
    rows = list(judged(arguments[1], csv.DictReader(io.StringIO(text))))
    print("\n".join(section([row for row in rows if row[4] is not None])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
