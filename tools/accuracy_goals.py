#!/usr/bin/env python3
"""Prints the section "What was asked, and what came out" of docs/accuracy.md, computed from the tables below it and from those of
docs/accuracy-bundle.md.

usage: accuracy_goals.py TABLES BUNDLE     TABLES: what `habitat eval ops`, `e2e`, `cnn` (with tools/ordered_bound.py) and `pairs` printed
"""

import pathlib
import re
import sys

from accuracy_summary import NETWORKS, NEW_PAIRS, PAIRS, Missing, Report, mean, number, row_of
from goals import line

HEAD = """## What was asked, and what came out

Each line stands beside what was asked of it before it was measured. *Left out*: without the GPU; for iterations: constants chosen without the
case's GPU and model. *Partly seen*: the form of a rule, or some of its constants, were settled with these cases in view.

| what | asked | got | |
|---|---|---|---|"""

INTERVALS = """
80 % intervals of single operations on left-out GPUs, two rates known: asked are 75 to 90 % of all rows inside, no GPU under 50 %, and as median
high over low at most 1.5 for products, 2 for convolutions. The rule that makes them was chosen among a few with such figures in view
([decision 0248](decisions/0248-intervals-by-kinds-of-gpu.md)). *Floor*: rows whose interval is the least that is given:

| class | inside, all rows % | mean over GPUs % | least GPU % | median high over low | floor | |
|---|--:|--:|---|--:|--:|---|"""

PRODUCTS = ("gemm", "bmm", "bmm, 64-wide heads", "gemm-matrix", "gemm-fp8", "products")
CONVOLUTIONS = ("conv2d", "conv2d-other", "conv2d-matrix", "convolutions")
LANGUAGE = "End to end"


def found(pattern, text, what):
    match = re.search(pattern, text, re.S)
    if not match:
        raise Missing(f"no {what}")
    return match.groups()


# ---- pairs ----


def both_ways(report, heading):
    """Of `auto`, H100 to H200 and back: steps each way, lines of the three errors with what is the most of each."""
    ways = [row_of(rows, "method", "auto") for at, said, rows in report.tables if at == (heading,) and said.startswith("From ") and "method" in rows[0]]
    if len(ways) != 2:
        raise Missing(f"no pairs both ways: {heading}")
    return {column: [row[column] for row in ways] for column in ("steps", "mean", "worst", "bias")}


def pair_lines(what, ways, seen):
    asked = (("mean", "mean error, each way", 2), ("worst", "worst", 6), ("bias", "bias", 1))
    yield line(what, "at least 20 each way", " and ".join(ways["steps"]), min(map(number, ways["steps"])) >= 20)
    for column, said, most in asked:
        right = max(abs(number(value)) for value in ways[column]) <= most
        yield line(f"The same, {said}", f"{most} % at most", f"{' and '.join(ways[column])} %", right, seen)


def pairs(report):
    halves = next((rows for at, said, rows in report.tables if at == (PAIRS,) and "in two halves" in said), None)
    if not halves:
        raise Missing("no halves of the models")
    yield from pair_lines("H100 <-> H200, steps recorded on both", both_ways(report, PAIRS), "partly seen")
    yield line("The same, each half of the models: mean", "2 % at most", " and ".join(row["mean"] for row in halves) + " %",
               max(number(row["mean"]) for row in halves) <= 2, "partly seen")  # fmt: skip
    yield from pair_lines("H100 <-> H200, other models", both_ways(report, NEW_PAIRS), "partly seen")
    yield line("Calibrating a GPU makes no pair worse", "by half a point at most", "test `cli.eval_pairs_calibrated`", None)
    yield line("A GPU that dominates another, each of the first 139 recordings, every GPU, busy time and iteration", "never more than 2 % slower", "test `prop.order`", None)
    yield line("The same, other recordings", "never", "a few pairs are ([limits.md](limits.md))", False)


# ---- others' throughput, two vendors ----


# No rate was fitted to the suite, but it told where to look for more cards to fit on (decision 0244).
def others(bundle):
    rows = bundle.under("Throughput of one suite (lambda)")[0]
    row = row_of(rows, "what", "those of them that ran batches of 64 or more")
    order = found(r"\(([\d.]+) %\)", row["faster of two right, where more than 10 % apart"], "share of pairs called right")[0]
    pairs_of = f"{row['pairs']} pairs"
    yield line("Throughput of one suite, batches of 64 and more: ratio of two GPUs, mean", "7 % at most", f"{row['mean error %']} % of {pairs_of}",
               number(row["mean error %"]) <= 7, "partly seen")  # fmt: skip
    yield line("The same: the faster of two, more than 10 % apart", "right in 98 %", f"{order} %", float(order) >= 98, "partly seen")
    both = [(said, row_of(rows, "class", "all")) for at, said, rows in bundle.tables if at == ("Two vendors",)]
    if len(both) != 2:
        raise Missing("no two vendors, both ways")
    got = "; ".join(f"{said.rstrip(':')[0].lower()}{said.rstrip(':')[1:]} {row['error']}" for said, row in both)
    yield line("BERT-small between an H100 and an MI300X (AMD)", "both ways, and what is unknown", f"{got} (accuracy-bundle.md)", None)


# ---- language models ----


def language(report):
    rows = report.under(LANGUAGE)
    known, estimated = row_of(rows[0], "method", "auto"), row_of(rows[0], "method", "auto, estimated rates")
    got = f"{estimated['mean %']} % of {estimated['cases']} (measured rates {known['mean %']})"
    yield line("Language models, rates estimated: mean", "5.8 % as when asked", got, number(estimated["mean %"]) <= 5.8)
    row = row_of(rows[1], "GPU", "P4")
    error, worst = found(r"^([\d.]+),.*\(([\d.]+)\)", row["auto, estimated rates"], "error on the P4")
    yield line("The same onto the P4, which heat slows", "a line of its own", f"{error} %, worst {worst}, of {row['cases']}", None)


# ---- operations ----


def per_operation(report, name):
    rows = next((rows for at, _, rows in report.tables if at == ("Per operation", name)), None)
    if not rows:
        raise Missing(f"no table of {name}")
    return row_of(rows, "GPU", "mean"), [row for row in rows if row["rows"]]


def scatter(report, worst):
    """What the rows of that GPU scatter by themselves, beside its error."""
    for row in report.under("How far measurements scatter")[0]:
        if row["GPU"] != worst["GPU"]:
            continue
        got = f"{row['one row, mean %']} % of {row['threes, 64-wide heads']} threes"
        yield line(f"What rows of the {worst['GPU']} scatter by themselves, by their neighbours in batch size", "-", got, None)


def operations(report):
    column = "left out, two rates"
    for name, title, most in (("attention", "Attention", 15), ("gemm-matrix", "16-bit products", 11), ("bmm, 64-wide heads", "bmm with 64-wide heads", 15)):
        middle, rows = per_operation(report, name)
        worst = max(rows, key=lambda row: number(row[column]))
        yield line(f"{title}, left-out GPU: mean", f"{most} % at most", f"{middle[column]} %", number(middle[column]) <= most)
        yield line("The same, each GPU", f"{most} % at most", f"worst {worst[column]} % ({worst['GPU']})", number(worst[column]) <= most)
        if any(row["GPU"] == "P4" for row in rows):
            rest = mean([number(row[column]) for row in rows if row["GPU"] != "P4"])
            yield line("The same, mean without the P4", f"{most} % at most", f"{rest:.1f} %", rest <= most)
        if name.startswith("bmm"):
            yield from scatter(report, worst)


def asked_width(name):
    return 1.5 if name in PRODUCTS else 2.0 if name in CONVOLUTIONS else None


def width_line(row):
    name, inside, least, ratio = row["class"], number(row["inside, all rows %"]), number(row["inside, least GPU %"]), number(row["median high over low"])
    most = asked_width(name)
    wrong = ["too few inside"] if inside < 75 else ["too many inside"] if inside > 90 else []
    wrong += ["a GPU under 50"] if least < 50 else []
    wrong += [f"wider than {most:g}"] if most and ratio > most else []
    shown = [f"**{name}**" if name in ("products", "convolutions") else name]
    shown += [row[column] for column in ("inside, all rows %", "inside, mean over GPUs %", "inside, least GPU %", "median high over low", "at the least width")]
    return "| " + " | ".join([*shown, f"**missed**: {', '.join(wrong)}" if wrong else "met"]) + " |"


def widths(report):
    rows = report.under("Intervals on left-out GPUs")[0]
    return [width_line(row) for row in rows]


# ---- iterations ----


def iterations(report):
    for heading, title in ((LANGUAGE, "Language models"), (NETWORKS, "Convolutional networks"), (PAIRS, "Steps of H100 and H200")):
        tables = [rows for at, _, rows in report.tables if at == (heading,) and "iterations of mostly" in rows[0]]
        if not tables:
            raise Missing(f"no intervals of iterations under {heading}")
        yield from iteration_lines(title, tables[0], report.text[heading])


def iteration_lines(title, rows, text):
    families = [row for row in rows if row["iterations of mostly"] != "all" and not row["iterations of mostly"].startswith("of these")]
    whole = row_of(rows, "iterations of mostly", "all")
    out = re.search(r"intervals\s+hold (\d+) % of (\d+)(?: \(least on one GPU (\d+) %, (\S+);)?", text)
    if not out:
        raise Missing(f"no left-out intervals of {title}")
    share, cases, least, gpu = out.groups()
    got = f"{share} % of {cases}" + (f", least {least} % ({gpu})" if least else f", least {whole['least on one GPU']} as built")
    floor = [row for row in rows if row["iterations of mostly"].endswith("alone")]
    # The floor of 3 % was asked for, too: where it decides every case, more inside is no fault of the width.
    bounded = not floor or floor[0]["cases"] != whole["cases"]
    most, asked = (90, "75 to 90 %") if bounded else (100, "75 % at least (the floor of 3 % decides all)")
    right = 75 <= int(share) <= most and int(least or number(whole["least on one GPU"])) >= 50
    yield line(f"Intervals of iterations, left out: {title}", f"{asked.replace(' %', ' % inside', 1)}, no GPU under 50", got, right)
    shares = "; ".join(f"{row['iterations of mostly']} {row['within low..high']} of {row['cases']}" for row in families)
    judged = [number(row["within low..high"]) for row in families if number(row["cases"]) >= 20]
    yield line("The same as built, by what takes most of the time (those of 20 cases and more judged)", asked, shares,
               all(75 <= inside <= most for inside in judged) if judged else None, "partly seen")  # fmt: skip
    ratio = number(whole["median high over low"])
    yield line("The same, median high over low", "1.3 at most", whole["median high over low"], ratio <= 1.3)
    if floor:
        yield line("The same, those that only the floor of 3 % covers", "listed apart", f"{floor[0]['within low..high']} of {floor[0]['cases']}", None)


def bound(report):
    """Of the last two rows: GPUs compared by their data sheets, 75 and 80 % of the cases held."""
    rows = report.under(NETWORKS, "What no predictor can do here")[0][-2:]
    medians, alike = (" and ".join(row[column] for row in rows) for column in ("least median high over low", "with one width for all"))
    got = f"{medians}; with one width for all cases {alike}"
    return line("Convolutional networks: the least that times which contradict the cards allow, 75 and 80 % inside", "-", got, None)


def goals(tables, bundle):
    report, whole = Report(tables), Report(bundle)
    lines = [*pairs(report), *others(whole), *language(report), *operations(report), *iterations(report), bound(report)]
    return "\n".join([HEAD, *lines, INTERVALS, *widths(report)])


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    try:
        print(goals(*(pathlib.Path(name).read_text(encoding="utf-8") for name in arguments[1:])))
    except (OSError, Missing, KeyError, ValueError, IndexError) as why:
        sys.exit(f"accuracy_goals: {why}")


if __name__ == "__main__":
    main(sys.argv)
