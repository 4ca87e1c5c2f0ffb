#!/usr/bin/env python3
"""Fits the constants of the rule for estimated rates (src/gpu/sustained.c, docs/gpus.md) on the rates of data/gpus.

Every second card fits, the others judge, both ways round; then all fit. Errors are means over cards of a card's mean error.
The constants of lanes in sustained.c are the fit on all, rounded; those of matrix units are such a fit on fewer cards, which this one confirms.
Last, where ../shared/data is: what copies reach on cards of 12 nm with GDDR6 and no ECC, from what a lattice-Boltzmann code reaches there.
usage: fit_rates.py
"""

import json
import math
import pathlib
import random
import statistics

import gpu_rates_table

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "gpus"
NODES = (12, 8, 6, 4, 0)  # least nm of a row of constants
JOULE = {"bf16": 1.0, "fp16": 0.92, "fp8": 1.8, "int8": 1.8, "tf32": 0.5, "fp32": 0.25, "fp64": 0.125}
MATRIX = {"share": 0.96, "other": 0.65, "gain": 1.1, "exponent": 0.43, "width": 0.38, "e12": 0.25, "e8": 0.37, "e6": 0.48, "e4": 0.54, "e0": 0.62}
PLAIN = {"half": 0.92, "two": 0.87, "pairs": 0.89, "hbm": 0.77, "gddr": 0.67, "gain": 1.04, "e12": 0.06, "e8": 0.08, "e6": 0.066, "e4": 0.135,
         "e0": 0.17}  # fmt: skip


def work_per_joule(p, gpu):
    return p["e%d" % next(nm for nm in NODES if gpu["process_nm"] >= nm)]


def rate(full, needed_w, gpu, exponent):
    return full * min(1.0, gpu["tdp_w"] / needed_w) ** exponent


def gain(p, gpu):
    return p["gain"] if gpu.get("memory_ecc") == "none" else 1.0


def matrix(p, gpu, dtype):
    peaks = gpu["peak_dense_tflop_per_s"]["matrix"]
    width = 2 ** round(math.log2(peaks["fp16"] * 1e6 / (2 * gpu["sm_count"] * gpu["boost_clock_mhz"])))
    full = (p["share"] if gpu["vendor"] == "NVIDIA" else p["other"]) * gain(p, gpu) * peaks[dtype]
    joule = work_per_joule(p, gpu) * (width / 512) ** p["width"] * JOULE[dtype]
    return rate(full, full / joule, gpu, p["exponent"])


def plain(p, gpu, dtype):
    lanes, cc = gpu["fp32_lanes_per_sm"], float(gpu.get("compute_capability", 0))
    hbm = gpu["memory_type"].startswith("HBM")
    slots = "half" if lanes <= 64 else "two" if gpu["process_nm"] >= 14 else "pairs" if 10 <= cc < 12 else "hbm" if hbm else "gddr"
    full = p[slots] * gain(p, gpu) * gpu["peak_dense_tflop_per_s"]["plain"][dtype]
    return rate(full, full / work_per_joule(p, gpu), gpu, 1.0)


def cards(unit, dtypes):
    """(GPU, [(dtype, measured)]) of every card that has any, by name."""
    for path in sorted(FOLDER.glob("*.json")):
        gpu = json.loads(path.read_text())
        held = gpu.get("sustained", {}).get(unit + "_tflop_per_s", {})
        rows = [(d, held[d]) for d in held if d in dtypes and d in gpu["peak_dense_tflop_per_s"].get(unit, {})]
        if rows and gpu["process_nm"] < 20:
            yield gpu, rows


def errors(p, rule, chosen):
    return [sum(abs(rule(p, g, d) / v - 1) for d, v in rows) / len(rows) for g, rows in chosen]


def fit(start, rule, chosen, steps=3000):
    """A random walk that keeps what is better, from the same seed each time."""
    draw, best = random.Random(1), dict(start)
    least = sum(errors(best, rule, chosen))
    for step in range(steps):
        tried = dict(best)
        tried[draw.choice(list(tried))] *= math.exp(draw.gauss(0, 0.1 * (1 - step / steps) + 1e-3))
        loss = sum(errors(tried, rule, chosen))
        if loss < least:
            best, least = tried, loss
    return best


COPIES = {"RTX3070Ti": 0.912, "RTX3060Ti": 0.924, "RTX3060": 0.933}  # of the nominal bandwidth (NvBench, docs/gpus.md)


def streams():
    """{GPU: share of the nominal bandwidth that the lattice-Boltzmann code reaches}, and the GPUs."""
    gpus = {gpu["name"]: {"aliases": [], **gpu} for gpu in map(json.loads, map(pathlib.Path.read_text, sorted(FOLDER.glob("*.json"))))}
    reached = {name: values for (name, column), values in gpu_rates_table.elsewhere(list(gpus.values())).items() if column == "dram"}
    return {name: max(values) / gpus[name]["memory_bandwidth_gb_per_s"] for name, values in reached.items()}, gpus


def memory():
    shares, gpus = streams()
    more = statistics.median(copy / shares[name] for name, copy in COPIES.items())
    known = sorted(shares[name] for name, gpu in gpus.items() if name in shares and gpu["memory_type"] == "GDDR6"
                   and 11.9 <= gpu["process_nm"] < 16 and gpu.get("memory_ecc") in ("none", "off"))  # fmt: skip
    middle = statistics.median(known)
    print(f"memory\n  GDDR6 at 12 nm, no ECC: the code reaches {middle:.3f} of nominal ({known[0]:.2f} to {known[-1]:.2f}, {len(known)} cards)")
    print(f"  copies reach {more:.3f} times as much where both are known: {more * middle:.3f}")


def told(title, found):
    print(f"  {title}: mean {100 * sum(found) / len(found):.1f} %, worst {100 * max(found):.0f} % of {len(found)} cards")


def main():
    for unit, rule, constants, dtypes in (("matrix", matrix, MATRIX, JOULE), ("plain", plain, PLAIN, ("fp32",))):
        known = list(cards(unit, dtypes))
        print(unit)
        told("as shipped, all", errors(constants, rule, known))
        for name, mine, others in (("first", known[::2], known[1::2]), ("second", known[1::2], known[::2])):
            found = fit(constants, rule, mine)
            told(f"{name} half fits, itself", errors(found, rule, mine))
            told(f"{name} half fits, the other", errors(found, rule, others))
        found = fit(constants, rule, known)
        told("all fit", errors(found, rule, known))
        print("  " + ", ".join(f"{k} {v:.3g}" for k, v in found.items()))
    if gpu_rates_table.SHARED.is_dir():
        memory()


if __name__ == "__main__":
    main()
