#!/usr/bin/env python3
"""Prints docs/case-studies.md: five decisions, each with the numbers that Habitat gives and those that others measured.

Usage: case_studies.py [--check|--write] HABITAT     HABITAT: the command line to ask, as build/habitat
--write: writes docs/case-studies.md instead.
--check: prints nothing; fails if docs/case-studies.md is not what would be printed.

Every number of the page is an answer of HABITAT, a row of data/measurements, or one of the figures named below."""

import csv
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys

from case_studies_text import DOLLARS, HEAD, MISLED, RENT, UPGRADED, WORTH

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/case-studies.md"
SHARED = ROOT.parent / "shared/data/e2e_models.csv"
TODAY = 1795305600  # 2026-11-22, for the age of prices

# List prices of GPUs alone, Google Cloud us-central1, US dollars an hour: those of the paper, and of 2020 to 2025.
CLOUD_USD = {"P100-PCIE-16GB": 1.46, "T4": 0.35, "V100-SXM2-16GB": 2.48}
PAPER_GPUS = ("V100-SXM2-16GB", "RTX2080Ti", "RTX2070", "P100-PCIE-16GB", "T4", "P4000")
TODAY_GPUS = ("L40S", "A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM5-141GB", "B200-SXM-180GB", "RTX4090")
# GNMT, fp32, tokens/s at the largest batch that fits; lambdal/deeplearning-benchmark aa5addb6a536 (see NOTICE)
GNMT_TOKENS = {"RTX2080Ti": (15984, 108), "V100-SXM2-16GB": (21250, 184)}
# Llama-3.1-8B, 8192 tokens, one of 8 GPUs with ZeRO-2: stas00/ml-engineering 744d01e, insights/when-to-upgrade-gpus.
# TFLOP/s by its own convention: 6 operations a parameter and token, 6 s^2 d h L of causal attention.
UPGRADE = {"all": (461, 778, 1.69), "attention": (447, 834, 1.87), "the rest": (463, 771, 1.67)}
UPGRADE_FLOP = {"attention": 6 * 8192**2 * 128 * 32 * 32, "the rest": 6 * 8.03e9 * 8192}
LLAMA = "data/recordings/without_gpu/llama_8b_b1_s8192_bf16.json.gz"


class Habitat:
    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())

    def text(self, *arguments):
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(TODAY), NO_COLOR="1", COLUMNS="80")
        done = subprocess.run([self.program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"case_studies: habitat {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def predict(self, trace, gpus, *more):
        """Rows of `predict --json` by GPU."""
        answer = json.loads(self.text("predict", recording(trace), "--to", ",".join(gpus), "--json", *more))
        return {row["gpu"]: row for row in answer["predictions"]}

    def judged(self, part, **wanted):
        """Rows of `eval PART --csv` whose columns are as wanted."""
        rows = csv.DictReader(io.StringIO(self.text("eval", part, "--csv")))
        return [row for row in rows if all(row[key] == value for key, value in wanted.items())]

    def peak(self, gpu, *path):
        value = json.loads(self.text("gpus", gpu, "--json"))["gpus"][0]
        for key in path:
            value = value[key]
        return value


def recording(name):
    return name if "/" in name else f"data/recordings/{name}.json.gz"


def digits(value, count=3):
    """`value` with `count` digits and no exponent."""
    whole = f"{value:.{count - 1}e}"
    decimals = max(0, count - 1 - int(whole.partition("e")[2]))
    return f"{float(whole):.{decimals}f}"


def times(value):
    return digits(value) + "x"


def percent(value):
    return f"{100 * value:+.0f} %"


def table(*lines):
    """Markdown: the first line is the head, columns from the second on are numbers."""
    head = [f"| {' | '.join(lines[0])} |", "|---|" + "--:|" * (len(lines[0]) - 1)]
    return "\n".join(head + [f"| {' | '.join(line)} |" for line in lines[1:]]) + "\n"


def interval(row):
    return f"{digits(row['low_ms'])} to {digits(row['high_ms'])}"


def agrees(yes):
    return "agrees" if yes else "does not agree"


# ---- the cases ----


def rent(habitat):
    """GNMT on a P4000: which GPU of a cloud to rent?"""
    prices = [word for gpu, usd in CLOUD_USD.items() for word in ("--price", f"{gpu}={usd}")]
    lines, best, fastest = [], set(), set()
    for batch in (16, 32, 48):
        rows = habitat.predict(f"gnmt_b{batch}_fp32_h200", ("P4000", *CLOUD_USD), *prices)
        most = max(rows[gpu]["samples_per_usd"] for gpu in CLOUD_USD)
        for gpu in ("P4000", *CLOUD_USD):
            row, rented = rows[gpu], gpu in CLOUD_USD
            lines.append((
                f"{batch}", gpu, digits(row["iteration_ms"]), interval(row), digits(row["samples_per_s"]),
                times(row["samples_per_s"] / rows["P4000"]["samples_per_s"]),
                f"{CLOUD_USD[gpu]:.2f}" if rented else "owned",
                f"{row['samples_per_usd'] / 1000:.0f}" if rented else "-",
                f"{row['samples_per_usd'] / most:.2f}" if rented else "-",
            ))  # fmt: skip
        best.add(max(CLOUD_USD, key=lambda gpu: rows[gpu]["samples_per_usd"]))
        fastest.add(max(CLOUD_USD, key=lambda gpu: rows[gpu]["samples_per_s"]))
    pair = habitat.predict("gnmt_b48_fp32_h200", ("RTX2080Ti", "V100-SXM2-16GB"))
    predicted = pair["RTX2080Ti"]["iteration_ms"] / pair["V100-SXM2-16GB"]["iteration_ms"]
    measured = GNMT_TOKENS["V100-SXM2-16GB"][0] / GNMT_TOKENS["RTX2080Ti"][0]
    return RENT.format(
        table=table(("batch", "GPU", "ms", "80 % interval", "samples/s", "to the P4000", "$/hour", "1,000 samples/$", "of the best"), *lines),
        best=", ".join(sorted(best)), best_agrees=agrees(best == {"T4"}),
        fastest=", ".join(sorted(fastest)), fastest_agrees=agrees(fastest == {"V100-SXM2-16GB"}),
        predicted=times(predicted), measured=times(measured),
        old=GNMT_TOKENS["RTX2080Ti"][1], new=GNMT_TOKENS["V100-SXM2-16GB"][1], **dollars_measured(),
    )  # fmt: skip


def dollars_measured():
    """How often the T4 gave the most for a dollar on steps that others measured on all three cards."""
    usd = {"P100-PCIE-16GB": CLOUD_USD["P100-PCIE-16GB"], "T4": CLOUD_USD["T4"], "V100-PCIE-32GB": CLOUD_USD["V100-SXM2-16GB"]}
    steps = [{gpu: ms[gpu] * usd[gpu] for gpu in usd} for ms in measured_language().values() if all(gpu in ms for gpu in usd)]
    leads = [min(cost for gpu, cost in step.items() if gpu != "T4") / step["T4"] for step in steps]
    return {"steps": len(steps), "t4_best": sum(lead > 1 for lead in leads), "t4_lead": times(sum(leads) / len(leads))}


def worth(habitat):
    """DCGAN on a 2080 Ti: is a V100 worth its price?"""
    lines, ratios = [], []
    for batch in (64, 128):
        rows = habitat.predict(f"dcgan_b{batch}_fp32_h200", ("RTX2080Ti", "V100-SXM2-16GB"))
        own, new = rows["RTX2080Ti"], rows["V100-SXM2-16GB"]
        ratios.append(own["iteration_ms"] / new["iteration_ms"])
        lines.append((f"{batch}", *(cell for row in (own, new) for cell in (digits(row["iteration_ms"]), interval(row))), times(ratios[-1])))
    resnet = habitat.predict("resnet50_b64_fp32_h200", ("RTX2080Ti", "V100-SXM2-16GB"))
    with open(ROOT / "tests/golden/measured_iterations.csv", encoding="utf-8") as file:
        golden = {(row[0], row[1]): float(row[2]) for row in csv.reader(file) if len(row) == 4 and not row[0].startswith("#") and row[2][:1].isdigit()}
    measured = golden["resnet50_b64_fp32_h200", "RTX2080Ti"] / golden["resnet50_b64_fp32_h200", "V100-SXM2-16GB"]
    return WORTH.format(
        table=table(("batch", "RTX2080Ti, ms", "80 % interval", "V100-SXM2-16GB, ms", "80 % interval", "faster"), *lines),
        low=times(min(ratios)), high=times(max(ratios)), agrees=agrees(max(ratios) < 1.2),
        peak=times(peak_fp32(habitat, "V100-SXM2-16GB") / peak_fp32(habitat, "RTX2080Ti")),
        bandwidth=times(bandwidth(habitat, "V100-SXM2-16GB") / bandwidth(habitat, "RTX2080Ti")),
        resnet=times(resnet["RTX2080Ti"]["iteration_ms"] / resnet["V100-SXM2-16GB"]["iteration_ms"]), measured=times(measured),
    )  # fmt: skip


def peak_fp32(habitat, gpu):
    return habitat.peak(gpu, "peak", "plain_flop_per_s", "fp32") / 1e12


def bandwidth(habitat, gpu):
    return habitat.peak(gpu, "memory_bandwidth_bytes_per_s") / 1e9


def peak_bf16(habitat, gpu):
    return habitat.peak(gpu, "peak", "matrix_flop_per_s", "bf16") / 1e12


def measured_language():
    """{(model, batch, mode, length): {gpu: ms}} of whole language models that others measured uncompiled."""
    found = {}
    with open(ROOT / "data/measurements/e2e_models.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["source"] == "neusight" and not row["options"]:
                key = row["model"], row["global_batch"], row["mode"], row["seq_len"]
                found.setdefault(key, {})[row["gpu"]] = float(row["e2e_ms"])
    return found


def from_t4(habitat):
    """Measured on a T4 and elsewhere: the T4's time scaled by peak FLOP/s, beside `auto` from our own recording."""
    auto = {(row["model"], row["batch"], row["mode"], row["seq_len"], row["gpu"]): float(row["predicted_ms"])
            for row in habitat.judged("e2e", method="auto")}  # fmt: skip
    lines, by_peak, by_auto = [], [], []
    for key, times_of in sorted(measured_language().items()):
        for gpu in ("P100-PCIE-16GB", "V100-PCIE-32GB", "A100-PCIE-40GB"):
            if "T4" not in times_of or gpu not in times_of or (*key, gpu) not in auto:
                continue
            scaled = times_of["T4"] * peak_fp32(habitat, "T4") / peak_fp32(habitat, gpu)
            by_peak.append(scaled / times_of[gpu] - 1)
            by_auto.append(auto[(*key, gpu)] / times_of[gpu] - 1)
            lines.append((f"{key[0]}, batch {key[1]}", gpu, digits(times_of["T4"]), digits(times_of[gpu]), digits(scaled),
                          percent(by_peak[-1]), percent(by_auto[-1])))  # fmt: skip
    return lines, by_peak, by_auto


def mean_and_worst(errors):
    sizes = [abs(error) for error in errors]
    return f"{100 * sum(sizes) / len(sizes):.0f} %", f"{100 * max(sizes):.0f} %"


def judged_errors(habitat, part, method, models):
    rows = habitat.judged(part, method=method, recorded="fp32")
    return [float(row["predicted_ms"]) / float(row["measured_ms"]) - 1 for row in rows
            if row["gpu"] != "P4" and (not models or row["model"] in models)]  # fmt: skip


def misled(habitat):
    """Scaling by peak FLOP/s on measured rows, beside `auto`."""
    lines, by_peak, by_auto = from_t4(habitat)
    kinds = []
    for name, part, models in (("language models, 25 rows", "e2e", ()), ("ResNet-50 and VGG-16, 16 rows", "cnn", ("resnet50", "vgg16"))):
        errors = {method: judged_errors(habitat, part, method, models) for method in ("flops", "auto")}
        if len(errors["auto"]) != int(name.split()[-2]):
            sys.exit(f"case_studies: {name}: {len(errors['auto'])} were found")
        kinds.append((name, *mean_and_worst(errors["flops"]), *mean_and_worst(errors["auto"])))
    gans = []
    flops = habitat.predict("dcgan_b64_fp32_h200", PAPER_GPUS, "--method", "flops")
    auto = habitat.predict("dcgan_b64_fp32_h200", PAPER_GPUS)
    for gpu in PAPER_GPUS:
        gans.append((gpu, digits(flops[gpu]["iteration_ms"]), digits(auto[gpu]["iteration_ms"]), interval(auto[gpu]),
                     percent(flops[gpu]["iteration_ms"] / auto[gpu]["iteration_ms"] - 1)))  # fmt: skip
    over = sum(abs(error) > 0.4 for error in by_peak)
    return MISLED.format(
        t4=table(("measured", "onto", "T4, ms", "measured, ms", "by peak FLOP/s, ms", "error", "`auto` from the H200, error"), *lines),
        over=over, of=len(by_peak), peak=" ".join(mean_and_worst(by_peak)[:1]), auto=mean_and_worst(by_auto)[0], agrees=agrees(over > 0),
        kinds=table(("from the H200", "by peak FLOP/s, mean", "worst", "`auto`, mean", "worst"), *kinds),
        dcgan=table(("DCGAN, batch 64, from the H200", "by peak FLOP/s, ms", "`auto`, ms", "80 % interval", "apart"), *gans),
    )  # fmt: skip


def dollars(habitat):
    """A bf16 Llama-style step of today, by cost."""
    trace = "llama_b4_bf16_h200"
    rows = habitat.predict(trace, TODAY_GPUS)
    origin = rows["H200-SXM5-141GB"]
    lines = []
    for gpu in sorted(TODAY_GPUS, key=lambda gpu: rows[gpu]["usd_per_1000_iterations"]):
        row = rows[gpu]
        by_peak = origin["iteration_ms"] * peak_bf16(habitat, "H200-SXM5-141GB") / peak_bf16(habitat, gpu)
        lines.append((gpu, digits(row["iteration_ms"]), interval(row), digits(by_peak), digits(row["samples_per_s"]), f"{row['usd_per_hour']:.2f}",
                      f"{row['usd_per_1000_iterations']:.3f}", f"{row['samples_per_usd']:,.0f}", f"{row['headroom_bytes'] / 1e9:.1f}"))  # fmt: skip
    choice = json.loads(habitat.text("choose", recording(trace), "--to", ",".join(TODAY_GPUS), "--json"))
    h100 = json.loads(habitat.text("info", recording("llama_b4_bf16_h100"), "--json"))["trace"]["iteration_ms"]
    predicted = rows["H100-SXM5-80GB"]["iteration_ms"]
    return DOLLARS.format(
        table=table(("GPU", "ms", "80 % interval", "by peak FLOP/s, ms", "samples/s", "$/hour", "$ for 1,000 iterations", "samples/$", "GB left"), *lines),
        recommended=choice["recommended"], reason=choice["reason"].removeprefix(choice["recommended"] + ": ").rstrip("."), pareto=", ".join(choice["pareto"]),
        left=f"{rows[choice['recommended']]['headroom_bytes'] / 1e9:.0f}",
        predicted=digits(predicted, 4), measured=digits(h100, 4), error=f"{100 * (predicted / h100 - 1):+.1f} %",
    )  # fmt: skip


def part_ms(row):
    """Milliseconds of attention and of the rest, kernels alone."""
    attention = sum(part["ms"] for part in row["by_class"] if part["class"] == "attention")
    return {"attention": attention, "the rest": row["iteration_ms"] - attention, "all": row["iteration_ms"]}


def upgraded(habitat):
    """H200 to B200: 2.28x by peak FLOP/s, 1.69x measured."""
    rows = habitat.predict(LLAMA, ("H200-SXM5-141GB", "B200-SXM-180GB"))
    old, new = part_ms(rows["H200-SXM5-141GB"]), part_ms(rows["B200-SXM-180GB"])
    flop = dict(UPGRADE_FLOP, all=sum(UPGRADE_FLOP.values()))
    lines, ratio = [], {}
    for part, (old_rate, new_rate, published) in UPGRADE.items():
        ratio[part] = old[part] / new[part]
        lines.append((part, f"{published:.2f}x", times(ratio[part]), percent(ratio[part] / published - 1),
                      digits(flop[part] / old_rate / 1e9), digits(old[part]), digits(flop[part] / new_rate / 1e9), digits(new[part])))  # fmt: skip
    peak = peak_bf16(habitat, "B200-SXM-180GB") / peak_bf16(habitat, "H200-SXM5-141GB")
    small = habitat.predict("llama_b4_bf16_h200", ("H200-SXM5-141GB", "B200-SXM-180GB"))
    classes = {part["class"]: part["ms"] for part in rows["H200-SXM5-141GB"]["by_class"]}
    faster = {part["class"]: classes[part["class"]] / part["ms"] for part in rows["B200-SXM-180GB"]["by_class"] if part["ms"] > 0}
    measured = UPGRADE["all"][2]
    dearer = float(price(habitat, "B200-SXM-180GB")) / float(price(habitat, "H200-SXM5-141GB"))
    return UPGRADED.format(
        table=table(("part of the step", "measured", "predicted", "apart", "H200, measured ms", "predicted ms", "B200, measured ms", "predicted ms"), *lines),
        peak=times(peak), bandwidth=times(bandwidth(habitat, "B200-SXM-180GB") / bandwidth(habitat, "H200-SXM5-141GB")),
        ratio=times(ratio["all"]), error=percent(ratio["all"] / measured - 1), peak_error=percent(peak / measured - 1),
        gemm=times(faster["gemm"]), elementwise=times(faster["elementwise"]), optimizer=times(faster["optimizer"]),
        attention=times(ratio["attention"]), attention_agrees=agrees(abs(ratio["attention"] / UPGRADE["attention"][2] - 1) < 0.05),
        rest=times(ratio["the rest"]), rest_agrees=agrees(abs(ratio["the rest"] / UPGRADE["the rest"][2] - 1) < 0.05),
        slow_old=f"{-100 * (old['all'] / (flop['all'] / UPGRADE['all'][0] / 1e9) - 1):.0f}",
        slow_new=f"{-100 * (new['all'] / (flop['all'] / UPGRADE['all'][1] / 1e9) - 1):.0f}",
        small=times(small["H200-SXM5-141GB"]["iteration_ms"] / small["B200-SXM-180GB"]["iteration_ms"]),
        old_price=price(habitat, "H200-SXM5-141GB"), new_price=price(habitat, "B200-SXM-180GB"),
        dearer=times(dearer), gain_measured=times(measured / dearer), gain_predicted=times(ratio["all"] / dearer), gain_peak=times(peak / dearer),
    )  # fmt: skip


def price(habitat, gpu):
    return f"{habitat.predict('llama_b4_bf16_h200', (gpu,))[gpu]['usd_per_hour']:.2f}"


def check_figures():
    """The figures named above against the bundle of measurements, where it lies beside the checkout."""
    if not SHARED.is_file():
        print(f"case_studies: {SHARED.parent} is not there: figures of GNMT not compared with their source (skipped)")
        return
    with open(SHARED, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["source"], row["model"], row["dtype"], row["num_gpus"]) == ("lambda", "gnmt", "fp32", "1")]
    for gpu, (tokens, batch) in GNMT_TOKENS.items():
        if not any(row["gpu"] == gpu and float(row["throughput"]) == tokens and row["global_batch"] == str(batch) for row in rows):
            sys.exit(f"case_studies: {SHARED} has no GNMT of {tokens} tokens/s on {gpu}")


def check(made):
    """Fails with the first line of the page that is not as made."""
    check_figures()
    page = PAGE.read_text(encoding="utf-8").splitlines()
    for number, (want, have) in enumerate(itertools.zip_longest(made.splitlines(), page), 1):
        if want != have:
            sys.exit(
                f"{PAGE}:{number}: is not what tools/case_studies.py prints; build the target docs-regenerate if predictions moved, "
                f"and read what changed:\n  is        {have}\n  should be {want}"
            )


def main():
    form = sys.argv[1] if sys.argv[1:2] in (["--check"], ["--write"]) else ""
    if len(sys.argv) != 2 + bool(form):
        sys.exit(__doc__)
    habitat = Habitat(sys.argv[-1])
    made = "\n".join([HEAD, rent(habitat), worth(habitat), misled(habitat), dollars(habitat), upgraded(habitat)])
    if form == "--write":
        PAGE.write_text(made, encoding="utf-8")
    elif form == "--check":
        check(made)
    else:
        sys.stdout.write(made)


if __name__ == "__main__":
    main()
