#!/usr/bin/env python3
"""Prints the section "In one screen" of docs/accuracy.md, computed from the tables below it.

Usage: accuracy_summary.py TABLES     TABLES: what `habitat eval ops`, `e2e`, `cnn` and `pairs` printed, one after the other.

Every number comes from a cell of those tables or from data/gpus. A table that is missing is an error: a summary must not
leave out what it did not find. What a table cannot know is said in words (UNCHECKED)."""

import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {"inference": "forward alone", "training_fwd_bwd": "forward and backward"}
UNCHECKED = "several nodes, and power limits other than the factory's"

PAIRS = "Pairs: the same steps recorded on two GPUs"
NEW_PAIRS = "Pairs: other models"
FORMATS = ("tf32", "fp16", "bf16", "fp8")
NETWORKS = "End to end: convolutional networks"
HOSTS = "What their hosts take"
ORIGINS = "From other GPUs"
SHAPES = "From shapes alone"
AMD = "End to end: GPUs of AMD"
OPERATION_TABLES = ("Per operation", "Convolutions and recurrent layers")

HEAD = """## In one screen

How far is `auto` off? The error of a case is predicted / measured - 1, without its sign. The interval is the range that `auto`
prints beside its answer; it is meant to hold the truth in 80 % of cases.

Whole steps, recorded on one GPU, predicted for another and measured there, too. No whole step was trained on; what else was seen
of these GPUs (rates, single operations) stands beside each table below:

| what | cases | mean error % | worst error % | inside the interval |
|---|--:|--:|--:|--:|"""

OPERATIONS = """
Single operations, predicted from their sizes alone. *Seen*: the models were trained on other rows of the same GPU. *Left out*: on
no row of it (in the last three classes: of no GPU of its compute capability), its two sustained rates known. Mean over GPUs; the
worst GPU in brackets:

| class | GPUs | rows | seen, error % | left out, error % | left out, inside the interval % |
|---|--:|--:|--:|--:|--:|"""


class Missing(Exception):
    """The outputs lack a table or a row."""


def cells(line):
    return [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]


def tables_of(text):
    """[(heading path, last line of text before it, [row as dict])]: every table of a Markdown text."""
    found, path, said, header, lines = [], [], "", None, []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            lines.append(cells(line))
            continue
        if lines:
            header = lines[0]
            found.append((tuple(path), said, [dict(zip(header, row)) for row in lines[2:]]))
            lines = []
        level = len(line) - len(line.lstrip("#"))
        if level >= 2:
            path = path[: level - 2] + [line[level:].strip()]
            said = ""
        elif line.strip():
            said = line.strip()
    return found


class Report:
    """What `habitat eval` printed: its tables, and the text under each heading of level 2."""

    def __init__(self, text):
        self.tables = tables_of(text)
        self.text = {part.split("\n", 1)[0].strip(): part for part in re.split(r"(?m)^## ", text)[1:]}

    def under(self, *path):
        # what intervals held is a table of its own, of no GPU and no method
        rows = [rows for at, _, rows in self.tables if at == path and "iterations of mostly" not in rows[0]]
        if not rows:
            raise Missing("no table under " + " / ".join(path))
        return rows


def row_of(rows, column, value):
    for row in rows:
        if row.get(column) == value:
            return row
    raise Missing(f"no row with {column} = {value}")


def number(cell):
    return float(re.match(r"[-+]?[\d.]+", cell).group())


def known(rows, column):
    return [number(row[column]) for row in rows if row[column] != "-"]


def mean(values):
    return sum(values) / len(values)


def inside(row):
    low, high = row["low..high ms"].split("..")
    return float(low) <= number(row["measured ms"]) <= float(high)


def of_cases(name, rows):
    """A line of the first table from single cases."""
    errors = [abs(number(row["error %"])) for row in rows]
    share = 100 * mean([inside(row) for row in rows])
    return f"| {name} | {len(rows)} | {mean(errors):.1f} | {max(errors):.1f} | {share:.0f} % |"


def of_method(name, rows, method):
    row = row_of(rows, "method", method)
    return f"| {name} | {row['cases']} | {row['mean %']} | {row['worst %']} | {row['within low..high']} |"


def language_models(report):
    by_method, by_gpu, cases, _ = report.under("End to end")
    # The tables count the cases of some GPUs apart and say so in a sentence; so does the summary.
    apart = re.findall(r"cases are on an? (\S+) and counted apart", report.text["End to end"])
    gpus = ", ".join(row["GPU"] for row in by_gpu if row["GPU"] not in apart)
    yield of_method(f"language models, fp32, onto {gpus}", by_method, "auto")
    yield of_method("the same, with rates estimated instead of measured", by_method, "auto, estimated rates")
    for gpu in apart:
        yield of_cases(f"the same models onto {gpu}, counted apart", [row for row in cases if row["GPU"] == gpu])


def amd(report):
    by_method, by_gpu, _ = report.under(AMD)
    yield of_method(f"language models, fp32, onto AMD's {', '.join(row['GPU'] for row in by_gpu)}", by_method, "auto")


def networks(report):
    for at, said, rows in report.tables:
        match = re.match(r"Recorded in (\w+), (.*):$", said)
        if at == (NETWORKS,) and match:
            yield of_method(f"{match.group(2)}, {match.group(1)}", rows, "auto")


def hosts(report):
    """The networks whose measured time may be the host's, and the others."""
    for row in report.under(NETWORKS, HOSTS)[0]:
        middle, worst = re.match(r"([\d.]+) \((\d+)\)", row["sum"]).groups()
        told = "" if row["cases"].endswith("others") else f" (the longer of sum and that host: {row['longer'].split()[0]})"
        yield f"| these networks, {row['cases']}{told} | {row['number']} | {middle} | {worst} | {row['inside']} |"


def other_origins(report):
    rows = report.under(ORIGINS)[0]
    row = row_of(rows, "from, onto", "all")
    gpus = ", ".join(re.findall(r"^from (\S+)$", "\n".join(row["from, onto"] for row in rows), re.MULTILINE))
    worst = row["worst %"].lstrip("+-")
    yield f"| operations of language models, fp32, timed by others on {gpus}, onto each other | {row['cases']} | {row['mean %']} | {worst} | {row['inside']} |"


def shapes(report):
    """Steps that nobody recorded on any GPU."""
    language, networks, *_ = report.under(SHAPES)
    first, second = list(language[0])[0], list(networks[0])[0]
    rows = [(f"{first}, no recording at all (shapes alone), {apart} left out", row) for row in language for apart in re.findall(r"all but (\S+?)\*?$", row[first])]
    rows += [(f"{second}, {form}, not bound by the host, shapes alone", row_of(networks, second, f"{form}, **all")) for form in ("fp32", "fp16")]
    for name, row in rows:
        yield f"| {name} | {row['cases']} | {row['mean error %']} | {row['worst'].lstrip('+-')} | {row['inside the interval']} |"


def pairs(report):
    for at, said, rows in report.tables:
        match = re.match(r"From (\S+) to (\S+):$", said)
        if at in ((PAIRS,), (NEW_PAIRS,)) and match:
            row = row_of(rows, "method", "auto")
            which = "training steps with optimiser" if at == (PAIRS,) else "the same of other models"
            yield (
                f"| {which}, from {match.group(1)} to {match.group(2)} | {row['steps']} | {row['mean']} | "
                f"{row['worst']} | {row['inside the interval']} |"
            )


def step_formats(rows):
    """Number formats of recorded steps, from their names: bert_b2_amp_bf16 ran under autocast in bf16."""
    found = {re.search(r"((amp_)?[a-z]+\d+)$", row["step"]).group() for row in rows}
    return {name.replace("amp_", "autocast to ") for name in found}


def operation_line(name, per_gpu, means, left, share):
    def cell(column):
        values = known(per_gpu, column)
        # The tables' own mean, where they have one: a mean of rounded cells is off in the last digit.
        middle = means[column] if means and means[column] != "-" else f"{mean(values):.1f}"
        return f"{middle} ({max(values):.1f})"

    count = sum(int(row["rows"]) for row in per_gpu)
    gpus = len({row["GPU"] for row in per_gpu})
    inside_share = means[share] if means else f"{mean(known(per_gpu, share)):.1f}"
    return f"| {name} | {gpus} | {count} | {cell('seen')} | {cell(left)} | {inside_share} |"


def operations(report):
    """Lines of the classes whose GPUs were left out in turn, and (class, GPU, seen error) of those measured on one GPU."""
    lines, alone = [], []
    for at, _, rows in report.tables:
        if len(at) != 2 or at[0] not in OPERATION_TABLES:
            continue
        kinds = at[0] == OPERATION_TABLES[1]
        left, share = ("left out", "interval, left out") if kinds else ("left out, two rates", "interval, two rates")
        per_gpu = [row for row in rows if row["rows"]]
        means = None if kinds else row_of(rows, "GPU", "mean")
        if known(per_gpu, left):
            lines.append(operation_line(at[1], per_gpu, means, left, share))
        else:
            alone.append((at[1], per_gpu[0]["GPU"], mean(known(per_gpu, "seen"))))
    if not lines:
        raise Missing("no table of operations")
    return lines, alone


def gpu_files():
    return [json.loads(path.read_text()) for path in sorted((ROOT / "data/gpus").glob("*.json"))]


def architecture_name(gpu):
    own = gpu["architecture"]
    return own if gpu["vendor"] == "NVIDIA" else f"{gpu['vendor']}'s {own}"


def unchecked_gpus(report, judged):
    files = gpu_files()
    measured = judged | {row["GPU"] for at, _, rows in report.tables for row in rows if at[:1] != ("Rank",) and "GPU" in row}
    reached = [gpu for gpu in files if gpu["name"] in judged]
    never = {architecture_name(gpu) for gpu in files} - {architecture_name(gpu) for gpu in reached}
    yield (
        f"**GPUs.** Whole steps were judged on {len(reached)} of the {len(files)} GPUs that are described. None of them is of "
        f"these architectures: {', '.join(sorted(never))}."
    )
    silent = {gpu["vendor"] for gpu in files} - {gpu["vendor"] for gpu in files if gpu["name"] in measured}
    if silent:
        yield f"**Vendors.** No measurement, of a step or of an operation, is of a GPU of {' or '.join(sorted(silent))}."


def unchecked(report, alone):
    networks_cases = report.under(NETWORKS)[-1]
    paired = report.under(PAIRS)[-1]
    across = report.under("End to end")[2] + report.under(AMD)[2] + networks_cases
    yield from unchecked_gpus(report, {row["GPU"] for row in across} | {row["to"] for row in paired})
    origins = re.findall(r"recordings of the (\S+)", report.text["End to end"] + report.text[NETWORKS])
    origins += [row["from"] for row in paired]
    yield (
        f"**Origins.** All recordings that were judged are of: {', '.join(sorted(set(origins)))}. Of other GPUs, operations that were "
        "timed one by one stand for recordings (From other GPUs, below): forward passes in fp32."
    )
    formats = {row["recorded in"] for row in networks_cases} | {"fp32"}
    within = step_formats(paired)
    yield (
        f"**Number formats.** Across architectures language models were judged in fp32 alone, convolutional networks in "
        f"{', '.join(sorted(formats))}. In {', '.join(sorted(within - formats))} only the training steps of the pairs were judged. "
        f"No whole step was in {' or '.join(name for name in FORMATS if name not in formats | within)}."
    )
    modes = [MODES[mode] for mode in sorted({row["mode"] for row in across})]
    yield (
        f"**Steps.** Across architectures: {'; '.join(modes)}; no optimiser. These tables judge kernels: what "
        "the CPU adds, other batch sizes and several GPUs of one host are in docs/iteration.md. "
        f"Not judged anywhere: {UNCHECKED}."
    )
    if alone:
        errors = [error for _, _, error in alone]
        yield (
            f"**Operations measured on one GPU alone** ({', '.join(sorted({gpu for _, gpu, _ in alone}))}): "
            f"{', '.join(name for name, _, _ in alone)}. There they are {min(errors):.1f} to {max(errors):.1f} % off (seen). An H100 that "
            "no model saw checks them, too (last table); what other architectures get, nothing checks."
        )


def wrapped(line):
    return textwrap.fill(line, 120, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False)


def summary(text):
    report = Report(text)
    lines, alone = operations(report)
    nets = list(networks(report))
    if not nets:
        raise Missing("no table of convolutional networks")
    nets += hosts(report)
    nets += other_origins(report)
    nets += shapes(report)
    two_ways = list(pairs(report))
    if not two_ways:
        raise Missing("no table of pairs")
    return "\n".join([HEAD, *language_models(report), *amd(report), *nets, *two_ways, OPERATIONS, *lines, "", "What these tables do not check:", ""]
                     + [wrapped(line) for line in unchecked(report, alone)])


def main(arguments):
    if len(arguments) != 2:
        print("usage: accuracy_summary.py TABLES", file=sys.stderr)
        return 2
    try:
        print(summary(pathlib.Path(arguments[1]).read_text()))
    except (OSError, Missing, KeyError, ValueError) as why:
        print(f"accuracy_summary: {arguments[1]}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
