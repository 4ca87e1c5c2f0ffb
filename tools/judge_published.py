#!/usr/bin/env python3
"""Whole steps from shapes alone, for GPUs that others measured them on: a part of docs/accuracy.md (docs/decisions/0625).

Predicts data/recordings/published/without_gpu (tools/published_steps.py), GPU time alone, beside data/measurements/e2e_models.csv.

usage: judge_published.py HABITAT [--csv]      --csv: every case
"""

import ast
import collections
import csv
import functools
import gzip
import io
import json
import pathlib
import statistics
import subprocess
import sys

import cnn_hosts
import published_steps

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/published/without_gpu"
LANGUAGE = "language models"
HEATED = "P4"  # docs/modelling.md

INTRODUCTION = """## From shapes alone

The same steps, and {networks} convolutional networks of torchvision, as `habitat record --no-gpu` has them: no GPU, no recorded time, each operation predicted from its
sizes (`tools/published_steps.py`); GPU time alone (`--assemble sum`) beside what others measured. *From an H200*: the same cases predicted from recordings of an H200 (End to end, above).

**What was seen.** No constant of any operator model was chosen on these steps. How wide intervals are was: on an H100 and an H200 by steps recorded with and without a GPU (docs/decisions/0625),
elsewhere beside these tables, where a class of operations is as far off as between two architectures and convolutions by all that one of them is.
Convolutional networks were measured by the wall clock under PyTorch 1.4 and older: those of which the host may be two thirds (above) stand apart, of a machine that nobody measured small networks on all do."""

Case = collections.namedtuple("Case", "name gpu measured_ms host_ms ms low_ms high_ms")


def layers(path):
    """Convolutions forward."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return sum(event["name"] == "aten::convolution" for event in json.load(stream)["traceEvents"])


def predict(habitat, name, gpus):
    command = [habitat, "predict", FOLDER / f"{name}.json.gz", "--to", ",".join(gpus), "--assemble", "sum", "--json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {row["gpu"]: row for row in answer["predictions"]}


def hosts_per_layer(times, counted):
    """{(GPU, mode, machine): least ms a convolution of the witnesses of cnn_hosts.py}"""
    least = {}
    for (case, gpu, machine), ms in times.items():
        if case.count("-") == 2 and case.split("-")[0] in cnn_hosts.WITNESSES:
            key = gpu, case.split("-")[1], machine
            least[key] = min(least.get(key, float("inf")), ms / counted(case))
    return least


def cases(habitat):
    times = {(case, gpu, machine): ms for case, _, gpu, machine, ms in published_steps.measured()}
    counted = functools.cache(lambda case: layers(FOLDER / f"{case}.json.gz"))
    least = hosts_per_layer(times, counted)
    found = collections.defaultdict(list)
    for (case, gpu, machine), ms in times.items():
        found[case, gpu].append((machine, ms))
    for case in dict.fromkeys(case for case, _ in found):
        gpus = [gpu for other, gpu in found if other == case]
        answers = predict(habitat, case, gpus)
        for gpu in gpus:
            mode = case.split("-")[1]
            hosts = [least[gpu, mode, machine] * counted(case) for machine, _ in found[case, gpu] if (gpu, mode, machine) in least]
            host = 0.0 if case.count("-") != 2 else statistics.median(hosts) if hosts else float("inf")
            row = answers[gpu]
            measured = statistics.median(ms for _, ms in found[case, gpu])
            yield Case(case, gpu, measured, host, row["iteration_ms"], row["low_ms"], row["high_ms"])


def error(case):
    return 100 * (case.ms / case.measured_ms - 1)


def figures(some):
    """cases | mean | worst | bias | inside | median high over low"""
    errors = [error(case) for case in some]
    inside = statistics.fmean(case.low_ms <= case.measured_ms <= case.high_ms for case in some)
    wide = statistics.median(case.high_ms / case.low_ms for case in some)
    worst = max(errors, key=abs)
    return f"{len(some)} | {statistics.fmean(map(abs, errors)):.1f} | {worst:+.1f} | {statistics.fmean(errors):+.1f} | {100 * inside:.0f} % | {wide:.2f}"


HEAD = "cases | mean error % | worst | bias % | inside the interval | median high over low"


def scaled(habitat):
    """{(case, GPU): error %} of `habitat eval e2e`: the same from recordings of an H200."""
    text = subprocess.run([habitat, "eval", "e2e", "--csv"], check=True, capture_output=True, text=True).stdout
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["method"] == "auto":
            case = f"{published_steps.LANGUAGE[row['model']]}-{published_steps.MODES[row['mode']]}-{row['seq_len']}-{row['batch']}"
            rows[case, row["gpu"]] = 100 * (float(row["predicted_ms"]) / float(row["measured_ms"]) - 1)
    return rows


def language_table(some, beside):
    yield f"| {LANGUAGE}, fp32 | {HEAD} | from an H200: mean error % |\n|---|" + "--:|" * 7
    for gpu in [*dict.fromkeys(case.gpu for case in some), None]:
        of = [case for case in some if (case.gpu == gpu if gpu else case.gpu != HEATED)]
        same = statistics.fmean(abs(beside[case.name, case.gpu]) for case in of)
        yield f"| {gpu or f'**all but {HEATED}**'} | {figures(of)} | {same:.1f} |"


def network_table(some):
    yield f"\n| convolutional networks | {HEAD} | where the host may be most: cases | their mean error % |\n|---|" + "--:|" * 8
    for form in ("fp32", "fp16"):
        of_form = [case for case in some if case.name.endswith(form)]
        for gpu in [*dict.fromkeys(case.gpu for case in of_form), None]:
            of = [case for case in of_form if gpu in (None, case.gpu)]
            long = [case for case in of if case.host_ms < cnn_hosts.MOSTLY * case.measured_ms]
            short = [case for case in of if case not in long]
            apart = f"{len(short)} | {statistics.fmean(abs(error(case)) for case in short):.1f}" if short else "0 | -"
            yield f"| {form}, {gpu or '**all**'} | {figures(long) if long else '0 | - | - | - | - | -'} | {apart} |"


def kinds_table(some):
    """By network, those that the GPU binds."""
    long = [case for case in some if case.host_ms < cnn_hosts.MOSTLY * case.measured_ms]
    yield "\n| fp32, not bound by the host | cases | mean error % | bias % |\n|---|--:|--:|--:|"
    for family in dict.fromkeys(case.name.split("-")[0] for case in sorted(long)):
        errors = [error(case) for case in long if case.name.split("-")[0] == family and case.name.endswith("fp32")]
        if errors:
            yield f"| {family} | {len(errors)} | {statistics.fmean(map(abs, errors)):.1f} | {statistics.fmean(errors):+.1f} |"


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--csv"]):
        print(ast.get_docstring(ast.parse(pathlib.Path(__file__).read_text(encoding="utf-8"))), file=sys.stderr)
        return 2
    found = list(cases(arguments[0]))
    if arguments[1:]:
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerow(Case._fields)
        rows.writerows(found)
        return 0
    networks = [case for case in found if case.name.count("-") == 2]
    print(INTRODUCTION.format(networks=len({case.name.split("-")[0] for case in networks})) + "\n")
    print("\n".join([*language_table([case for case in found if case not in networks], scaled(arguments[0])), *network_table(networks), *kinds_table(networks)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
