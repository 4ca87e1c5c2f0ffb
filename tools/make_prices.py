#!/usr/bin/env python3
"""Makes data/prices.json from tables of prices per GPU-hour: every row with its source and its day.

usage: make_prices.py PRICES.csv LIST.csv > data/prices.json

PRICES.csv: provider, gpu_type, provisioning, usd_per_gpu_hour, min_gpus, product, source, checked_at, notes.
LIST.csv:   provider, gpu_type, provisioning, usd_per_gpu_hour, product, source, as_of, notes.
A row without a source or a date, or of a card that CARDS does not tell apart, is an error: nothing is guessed.
"""
import csv
import json
import re
import sys

# What the tables call a card, and what the product says of its form, where the name alone is not enough.
CARDS = [
    ("H100-80GB", "", "H100-SXM5-80GB"),  # its products are all SXM, HGX or Google's a3, which is SXM
    ("H100-PCIe-80GB", "", "H100-PCIE-80GB"),
    ("H100-NVL-94GB", "", "H100-NVL-94GB"),
    ("H200-141GB", "", "H200-SXM5-141GB"),
    ("B200-180GB", "", "B200-SXM-180GB"),
    ("GH200-96GB", "", "GH200-96GB"),
    ("A100-80GB", "SXM", "A100-SXM4-80GB"),
    ("A100-PCIe-80GB", "PCIe", "A100-PCIE-80GB"),
    ("A100-40GB", "SXM", "A100-SXM4-40GB"),
    ("L40S-48GB", "", "L40S"),
    ("A10-24GB", "", "A10"),
    ("RTX4090-24GB", "", "RTX4090"),
    ("T4-16GB", "", "T4"),
    ("P4-8GB", "", "P4"),
    ("P100-16GB", "", "P100-PCIE-16GB"),  # Google Cloud and the clouds of its time: the PCIe card
    ("V100-16GB", "", "V100-SXM2-16GB"),  # Google Cloud and AWS p3: SXM2
]
DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


def card(row):
    for name, form, gpu in CARDS:
        if row["gpu_type"] == name and form in row["product"]:
            return gpu
    sys.exit(f"{row['gpu_type']} ({row['product']}): which card is that?")


def price(row):
    # "2020-01 to 2025": it held from the one to the other
    dates = (row.get("checked_at") or row.get("as_of") or "").split(" to ")
    if not row["source"] or not all(DATE.fullmatch(date) for date in dates):
        sys.exit(f"{row['gpu_type']} of {row['provider']}: no source or no date")
    if row["provisioning"] not in ("on-demand", "spot"):
        sys.exit(f"{row['provisioning']}: neither on-demand nor spot")
    out = {"gpu": card(row), "usd_per_gpu_hour": float(row["usd_per_gpu_hour"])}
    out["provisioning"] = row["provisioning"]
    out["provider"] = row["provider"]
    out["product"] = row["product"]
    if int(row.get("min_gpus") or 1) > 1:
        out["min_gpus"] = int(row["min_gpus"])
    if row["product"] == "GPU alone":
        out["gpu_alone"] = True
    out["date"] = dates[-1]
    if len(dates) > 1:
        out["since"] = dates[0]
    out["source"] = row["source"]
    return out


def main():
    rows = []
    for path in sys.argv[1:]:
        with open(path, newline="", encoding="utf-8") as file:
            rows += [price(row) for row in csv.DictReader(file)]
    rows.sort(key=lambda row: (row["gpu"], row["provisioning"], row["usd_per_gpu_hour"], row["provider"], row["product"]))
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    print('{\n  "schema": 1,\n  "prices": [\n' + lines + "\n  ]\n}")


if len(sys.argv) < 2:
    sys.exit(__doc__)
main()
