#!/usr/bin/env python3
"""Writes the table of rates in docs/gpus.md: each GPU's rates, where each comes from, and what others measured.

Usage: gpu_rates_table.py [--check] HABITAT        HABITAT: the program, which knows the table and the estimates

What others measured is read from ../shared/data where that folder is there, else kept as the page has it. With --check
nothing is written: exit 1 if the page is not what the table says."""

import csv
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gpus.md"
SHARED = ROOT.parent / "shared/data"
BEGIN, END = "<!-- rates: made by tools/gpu_rates_table.py -->\n", "<!-- end of rates -->\n"
HEAD = "| GPU | peak fp32 | peak 16-bit | fp32, plain | tf32, matrix | 16-bit, matrix | fp8, matrix | DRAM |\n" + "|---" * 8 + "|\n"
BEYOND = "not reproduced by the rule: "
BEYOND_HEAD = "\nNot given by the rule within 25 % (`unit.gpu_check` holds all others to that):\n\n"
COLUMNS = ("fp32", "tf32", "half", "fp8", "dram")
# a rate of the matrix units and one of the plain lanes under the same name cannot be compared
MATMUL = {"fp32": ("fp32_tflops",), "tf32": ("tf32_tflops",), "half": ("bf16_tflops", "fp16_tflops")}


def normal(name):
    """As the library compares names: letters and digits, without the vendor in front."""
    text = re.sub("[^a-z0-9]", "", name.lower())
    for vendor in ("nvidia", "amd"):
        if text.startswith(vendor) and len(text) > len(vendor):
            return text[len(vendor):]
    return text


def three(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def rows_of(file):
    with open(SHARED / file, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def elsewhere(gpus):
    """{(GPU, column): [values]} of the public tables; overclocked cards are left out."""
    names = {normal(name): gpu["name"] for gpu in reversed(gpus) for name in [*reversed(gpu["aliases"]), gpu["name"]]}
    found = {}

    def note(name, column, value):
        if normal(name) in names and value:
            found.setdefault((names[normal(name)], column), []).append(float(value))

    for row in rows_of("matmul_rates.csv"):
        for column, keys in MATMUL.items() if not row["overclocked"] else ():
            note(row["device"], column, next((row[key] for key in keys if row[key]), None))
    for row in rows_of("stream_rates.csv"):
        note(of_family(gpus, names, row), "dram", row["achieved_gb_per_s"])
    for row in rows_of("gpu_facts.csv"):
        note(row["gpu"], "half", row["measured_matmul_bf16_tflops"])
        note(row["gpu"], "fp8", row["measured_matmul_fp8_tflops"])
    for row in rows_of("reported_rates.csv"):
        if row["format"] in ("fp16", "bf16"):  # fp32 there is of matrix units, which has no column
            note(row["gpu"], "half", row["tflops"])
    return found


def of_family(gpus, names, row):
    """A row's card by its name; where the name is a family's, the part whose memory and lanes are as quick as the row says."""
    named = names.get(normal(row["device"]))
    if named is None:
        return row["device"]

    def off(gpu):
        memory = gpu["memory_bandwidth_bytes_per_s"] / (float(row["spec_gb_per_s"]) * 1e9)
        lanes = gpu["peak"]["plain_flop_per_s"]["fp32"] / (float(row["spec_fp32_tflops"]) * 1e12)
        return abs(math.log(memory)) + abs(math.log(lanes))

    itself = next(gpu for gpu in gpus if gpu["name"] == named)
    family = re.sub("-.*", "", named) + "-"
    kin = [gpu for gpu in gpus if gpu["name"].startswith(family)] if off(itself) > 0.05 else [itself]
    return min([itself, *kin], key=off)["name"]


def spread(values):
    low, high = three(min(values)), three(max(values))
    return f" [{low}]" if low == high else f" [{low}..{high}]"


def kept(page):
    """The spreads that the page has now."""
    found = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        for column, cell in zip(COLUMNS, cells[3:]) if len(cells) == 8 else ():
            bracket = re.search(r" \[[^]]*\]", cell)
            found[cells[0], column] = bracket.group() if bracket else ""
    return found


def source_of(gpu, key):
    """The source that covers most of the key."""
    covering = [s for s in gpu["sources"] if key == s["field"] or key.startswith(s["field"] + ".")]
    return max(covering, key=lambda s: len(s["field"])) if covering else None


def peak(gpu, unit, formats):
    for name in formats:
        rate = gpu["peak"][f"{unit}_flop_per_s"][name]
        if rate:
            source = source_of(gpu, f"peak_dense_tflop_per_s.{unit}.{name}")
            return three(rate / 1e12) + (" w" if source and source["kind"] == "derived" else "")
    return ""


def sustained(gpu, unit, formats):
    for name in formats:
        rate = gpu["sustained"][f"{unit}_flop_per_s"][name]
        if rate:
            source = source_of(gpu, f"sustained.{unit}_tflop_per_s.{name}")
            return marked(rate / 1e12, gpu["sustained"][f"{unit}_from"][name], source)
    return ""


def marked(value, origin, source):
    if origin == "estimated" or not source:
        return "~" + three(value)
    return three(value) + " " + source["id"].removeprefix("sustained-").split("-")[0]


def half_first(gpu):
    """bf16 unless fp16 alone was measured."""
    origin = gpu["sustained"]["matrix_from"]
    return ("fp16", "bf16") if origin["fp16"] == "measured" and origin["bf16"] != "measured" else ("bf16", "fp16")


def line_of(gpu, brackets):
    bandwidth = marked(gpu["sustained"]["bandwidth_bytes_per_s"] / 1e9, gpu["sustained"]["bandwidth_from"],
                       source_of(gpu, "sustained.dram_gb_per_s"))
    cells = [sustained(gpu, "plain", ("fp32",)), sustained(gpu, "matrix", ("tf32",)), sustained(gpu, "matrix", half_first(gpu)),
             sustained(gpu, "matrix", ("fp8",)), bandwidth]
    cells = [cell and cell + brackets.get((gpu["name"], column), "") for column, cell in zip(COLUMNS, cells)]
    return "| " + " | ".join([gpu["name"], peak(gpu, "plain", ("fp32",)), peak(gpu, "matrix", ("bf16", "fp16")), *cells]) + " |\n"


def beyond(gpus):
    """Measured rates that the rule of estimates is not meant to give: the note of their source says so, and why."""
    for gpu in gpus:
        for source in gpu["sources"]:
            if (source["note"] or "").startswith(BEYOND):
                _, unit, form = source["field"].split(".")
                reason = source["note"].removeprefix(BEYOND).split(". ")[0]
                yield f"* {gpu['name']}, {form} ({unit.split('_')[0]}): {reason}\n"


def load(habitat):
    every = json.loads(subprocess.run([habitat, "gpus", "--json"], check=True, capture_output=True, text=True).stdout)["gpus"]
    return [gpu for gpu in every if gpu["file"] == "built-in"]


def main():
    checking = sys.argv[1:2] == ["--check"]
    if len(sys.argv) != 2 + checking:
        sys.exit(__doc__)
    gpus, page = load(sys.argv[-1]), PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"{PAGE}: the lines that begin and end the table are missing")
    brackets = {at: spread(values) for at, values in elsewhere(gpus).items()} if SHARED.is_dir() else kept(rest)
    made = before + BEGIN + HEAD + "".join(line_of(gpu, brackets) for gpu in gpus)
    made += BEYOND_HEAD + "".join(beyond(gpus)) + END + after
    if checking and made != page:
        sys.exit(f"{PAGE}: the table of rates is not what data/gpus says; run tools/gpu_rates_table.py HABITAT")
    if not checking:
        PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
