"""`habitat collect`: measures a sweep of operations on the GPU at hand and writes a dataset (docs/dataset.md)."""

from __future__ import annotations

import argparse
import sys
import time
from typing import List, Optional, Tuple

from . import dataset
from .dataset import Point, Row
from .operations import build
from .sweep import sweep
from .timing import measure


def gpu_name() -> str:
    """Name of the GPU in use as CUDA gives it; `habitat train` maps it to the table's name."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def measure_point(point: Point, source: str, gpu: str) -> Optional[Row]:
    """One row of the dataset, or None if the shape does not run here (memory, an operation without a kernel)."""
    import torch

    op, which, dtype, shape = point
    try:
        # Nodes of a CUDA graph that copy are run by another engine than a step's copies: 2.7 for 4.2 TB/s on an H200.
        timing = measure(lambda: build(op, which, dtype, shape), graph=op != "copy")
    except (RuntimeError, NotImplementedError):
        if torch.cuda.is_available():
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        return None
    return {
        "gpu": gpu, "op": op, "pass": which, "dtype": dtype, "shape": dataset.shape_text(shape),
        "latency_ms": f"{timing.ms:.6g}", "min_ms": f"{timing.min_ms:.6g}", "repeats": timing.repeats,
        "timing": timing.how, "source": source,
    }  # fmt: skip


def _show(done: int, total: int, begun: float, end: float) -> None:
    if sys.stderr.isatty():
        now = time.monotonic()
        left = max(0.0, min(end - now, (now - begun) / max(done, 1) * (total - done)))
        filled = 30 * done // max(total, 1)
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}, {left:.0f} s left ", end="", file=sys.stderr)


def collect(
    path: str,
    count: int,
    budget_s: float,
    seed: int = 1,
    gpu: Optional[str] = None,
    source: Optional[str] = None,
    save_every_s: float = 30.0,
) -> Tuple[List[Row], int, int]:
    """Measures up to `count` points of the sweep into `path` within `budget_s`; returns (rows, new, failed)."""
    import torch

    gpu = gpu or gpu_name()
    source = source or f"habitat collect torch {torch.__version__}"
    rows = dataset.read(path)
    known = {dataset.key_of(row) for row in rows}
    points = [p for p in sweep(count, seed) if (gpu, *p[:3], dataset.shape_text(p[3])) not in known]
    begun = saved = time.monotonic()
    end, new, failed = begun + budget_s, 0, 0
    try:
        for number, point in enumerate(points):
            if time.monotonic() >= end:
                break
            row = measure_point(point, source, gpu)
            if row is None:
                failed += 1
            else:
                rows.append(row)
                new += 1
            if time.monotonic() - saved > save_every_s:
                dataset.write(path, rows)
                saved = time.monotonic()
            _show(number + 1, len(points), begun, end)
    finally:  # a sweep that is interrupted keeps what it has
        dataset.write(path, rows)
        if sys.stderr.isatty():
            print(file=sys.stderr)
    return rows, new, failed


def main(argv: Optional[List[str]] = None) -> int:
    p = argparse.ArgumentParser(
        prog="habitat collect", description="Measure a sweep of operations on this GPU into a dataset.",
        epilog="example: habitat collect -o my-gpu.csv.gz --budget 600    (run it again to go on where it stopped)",
    )  # fmt: skip
    p.add_argument("-o", "--output", required=True, help="dataset to write or continue (.csv or .csv.gz)")
    p.add_argument("--count", type=int, default=20000, help="points of the sweep (default: 20000)")
    p.add_argument("--budget", type=float, default=600, help="seconds to measure for (default: 600)")
    p.add_argument("--seed", type=int, default=1, help="which sweep; the same seed gives the same shapes (default: 1)")
    p.add_argument("--gpu", help="name to write in the column gpu (default: as CUDA names the device)")
    p.add_argument("--allow-cpu", action="store_true", help="measure the CPU where there is no GPU (tests)")
    chosen = p.parse_args(argv)
    try:
        import torch
    except ImportError:
        print("habitat: collect: PyTorch is not installed; install it in this Python environment", file=sys.stderr)
        return 1
    if not torch.cuda.is_available() and not chosen.allow_cpu:
        print("habitat: collect: no GPU that PyTorch can use; run this on the machine to be measured", file=sys.stderr)
        return 1
    try:
        rows, new, failed = collect(chosen.output, chosen.count, chosen.budget, chosen.seed, chosen.gpu)
    except OSError as error:
        print(f"habitat: {chosen.output}: {error.strerror}; choose another file with -o", file=sys.stderr)
        return 1
    print(f"{chosen.output}: {len(rows)} rows, {new} new, {failed} shapes did not run here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
