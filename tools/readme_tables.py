"""Tables of pages that come from others: docs/accuracy.md (what `make eval` wrote), published predictions, steps without a GPU."""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_no_gpu  # noqa: E402
import judge_waiting_steps  # noqa: E402
from accuracy_summary import NETWORKS, PAIRS, Report, inside, mean, number, row_of  # noqa: E402

RIVALS = (("neusight", "NeuSight (ASPLOS 2025)"), ("habitat", "the paper's Habitat, as re-implemented by NeuSight's authors"),
          ("li_et_al", "Li et al."), ("roofline", "roofline"))  # fmt: skip


def line(gpu, what, who, errors, held):
    return f"| {gpu} | {what} | {who} | {mean(errors):.1f} | {max(errors):.1f} | {held} |"


def by_gpu(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["GPU"], []).append(row)
    return sorted(groups.items())


def of_cases(rows, what, who):
    for gpu, group in by_gpu(rows):
        errors = [abs(number(row["error %"])) for row in group]
        yield line(gpu, f"{len(group)} {what}", who, errors, f"{sum(map(inside, group))} of {len(group)}")


def accuracy(_habitat):
    """Which GPUs whole steps were checked on, by whom, and how far off `auto` was."""
    report = Report((ROOT / "docs/accuracy.md").read_text(encoding="utf-8"))
    lines = ["| GPU | whole steps checked | measured by | mean error % | worst % | inside the interval |", "|---|---|---|--:|--:|--:|"]
    lines += of_cases(report.under("End to end")[2], "of language models, fp32", "others")
    lines += of_cases(report.under(NETWORKS)[-1], "of convolutional networks, fp16, tf32, fp32", "others")
    for at, said, rows in report.tables:
        if at == (PAIRS,) and said.startswith("From "):
            row = next(row for row in rows if row["method"] == "auto")
            gpu = said.rstrip(":").split()[-1]
            lines.append(f"| {gpu} | {row['steps']} training steps with optimiser, recorded on the other Hopper card | us | {row['mean']} | "
                         f"{row['worst']} | {row['inside the interval']} |")  # fmt: skip
    by_method = report.under("End to end")[0]
    auto, bare = (row_of(by_method, "method", name)["mean %"] for name in ("auto", "auto, estimated rates"))
    lines.append(f"\nSingle operations of the language models' GPUs were trained on, and their sustained rates are known; with the rates taken away "
                 f"the mean error there goes from {auto} to {bare} % (P4 left out).")  # fmt: skip
    return "\n".join(lines)


def rivals(_habitat):
    """Published predictions of the same measured steps."""
    cases = Report((ROOT / "docs/accuracy.md").read_text(encoding="utf-8")).under("End to end")[2]
    judged = {(row["model"], row["mode"], row["length"], row["batch"], row["GPU"]): abs(number(row["error %"])) for row in cases if row["GPU"] != "P4"}
    found = {name: [] for name, _ in RIVALS}
    with open(ROOT / "data/measurements/published_predictions.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["model"], row["mode"], row["seq_len"], row["batch"], row["gpu"])
            for name in found:
                if key in judged and not row["option"]:
                    found[name].append(100 * abs(float(row[f"{name}_e2e_ms"]) / float(row["measured_e2e_ms"]) - 1))
    lines = [f"| on {len(judged)} measured steps of language models | starts from | mean error % | worst % |", "|---|---|--:|--:|"]
    own = list(judged.values())
    lines.append(f"| Habitat `auto` | a recording of the step on an H200 | {mean(own):.1f} | {max(own):.1f} |")
    for name, words in RIVALS:
        if len(found[name]) != len(judged):
            sys.exit(f"readme_tables: {len(found[name])} published predictions of {name}, want {len(judged)}")
        start = {"neusight": "the model's graph", "roofline": "the model's graph"}.get(name, "see its publication")
        lines.append(f"| {words} | {start} | {mean(found[name]):.1f} | {max(found[name]):.1f} |")
    return "\n".join(lines)


TABLES = {"accuracy": accuracy, "rivals": rivals, "no_gpu": judge_no_gpu.table, "waiting": judge_waiting_steps.table}
