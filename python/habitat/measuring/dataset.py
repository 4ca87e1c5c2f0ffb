"""The dataset file: one measured operation a row (docs/dataset.md). Appended to while measuring, so that a sweep that is
stopped goes on where it was."""

from __future__ import annotations

import csv
import gzip
import os
from typing import Any, Dict, List, Tuple

# A row: every column's text, or number before it is written. Sizes of an operation by the names of its parameters.
Row = Dict[str, Any]
Shape = Dict[str, int]
# What is measured: operation, pass, number format, sizes.
Point = Tuple[str, str, str, Shape]

COLUMNS = ("gpu", "op", "pass", "dtype", "shape", "latency_ms", "min_ms", "repeats", "timing", "source")


def shape_text(shape: Shape) -> str:
    """`{"m": 16, "k": 8}` as `m=16 k=8`: the order of the generator, one blank between."""
    return " ".join(f"{key}={value}" for key, value in shape.items())


def shape_of(text: str) -> Shape:
    return {key: int(value) for key, _, value in (part.partition("=") for part in text.split())}


def read(path: str) -> List[Row]:
    """All rows as dictionaries; [] if there is no such file. A last line cut short by a stop is dropped."""
    if not os.path.exists(path):
        return []
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return [row for row in rows if row.get("source")]


def key_of(row: Row) -> Tuple[str, str, str, str, str]:
    return row["gpu"], row["op"], row["pass"], row["dtype"], row["shape"]


def write(path: str, rows: List[Row]) -> None:
    """All rows at once, sorted, through a temporary file; gzip without a time stamp where the name ends in .gz."""
    temporary = f"{path}.partial"
    rows = sorted(rows, key=key_of)
    raw = open(temporary, "wb")
    try:
        packed = gzip.GzipFile("", "wb", 9, raw, mtime=0) if path.endswith(".gz") else raw
        lines = [",".join(COLUMNS)] + [",".join(str(row[column]) for column in COLUMNS) for row in rows]
        packed.write(("\n".join(lines) + "\n").encode())
        if packed is not raw:
            packed.close()
        raw.close()
        os.replace(temporary, path)
    except BaseException:
        raw.close()
        os.unlink(temporary)
        raise
