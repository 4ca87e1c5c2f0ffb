"""`habitat calibrate`: half a minute on a GPU gives the rates it sustains, for `--gpu-file` and for data/gpus, and what its host takes.

A matrix rate is that of a short run (docs/gpus.md, "What a rate means"): 30 products back to back after a pause, of five
sizes, the fastest size. So most published rates were measured, and so products run between the other kernels of a step;
seconds of products alone run into the power limit, 10 to 15 % lower. Inputs are random: zeros run faster than real data does.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import os
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from .collect import gpu_name, measure_point
from .dataset import Point, Row
from .host import measure as measure_host
from .host import told
from .timing import measure

MATRIX_SIZES = (1024, 2048, 4096, 8192, 10240)
MATRIX_CALLS = 30  # products of one run
RUN_SECONDS = 0.5  # a run that took longer is the last: larger products would only meet the power limit
PAUSE_SECONDS = 0.25  # before each run, for clocks to come back
COPY_BYTES = 2**31
# Shapes as layers have them, for `operations` of the calibration: of each class at least five, long against their launch on
# the fastest GPU and spread in size. Row and element-wise operations move 268 MB and more: below twice the last-level cache
# they would be measured from it (126 MB is the largest). Predictions move by their median: docs/modelling.md.
PRODUCTS = ((1024, 1024, 1024), (2048, 1024, 1024), (4096, 4096, 1024), (4096, 1024, 4096), (8192, 2048, 2048))
MATRIX_PRODUCTS = ((2048, 4096, 4096), (8192, 4096, 4096), (4096, 11008, 4096), (4096, 4096, 11008), (8192, 8192, 8192))
BATCHED = ((64, 512, 512, 64), (128, 512, 64, 512), (40, 1024, 1024, 64), (16, 1024, 1024, 128), (512, 128, 128, 64))
IMAGES = ((64, 56, 3), (256, 56, 1), (128, 28, 3), (256, 14, 3), (512, 7, 3))  # channels, size, kernel
ATTENTIONS = ((8, 1024, 64, 1), (2, 4096, 128, 1), (16, 512, 64, 1), (16, 512, 64, 0), (4, 2048, 128, 1))
ROWS = ((131072, 512), (32768, 1024), (32768, 2048), (8192, 8192), (262144, 256))
NORMED_IMAGES = ((64, 64, 112), (64, 256, 56), (256, 512, 28))
FLAT = (("add", 25), ("add", 27), ("mul", 26), ("relu", 26), ("gelu", 27))


def _operations() -> Iterator[Point]:
    """(op, pass, number format, shape) of everything that is timed."""
    for dtype, products in (("fp32", PRODUCTS), ("bf16", MATRIX_PRODUCTS), ("fp16", MATRIX_PRODUCTS[:3]), ("tf32", MATRIX_PRODUCTS[:3])):
        for m, n, k in products:
            yield "linear", "forward", dtype, {"m": m, "n": n, "k": k}
    for b, m, n, k in BATCHED:
        yield "bmm", "forward", "fp32", {"b": b, "m": m, "n": n, "k": k}
    for which in ("forward", "backward_input", "backward_weight"):
        for dtype in ("fp32", "tf32"):
            for c, size, kernel in IMAGES:
                yield "conv2d", which, dtype, {"batch": 16, "c_in": c, "c_out": c, "in": size, "kernel": kernel, "stride": 1,
                                               "padding": kernel // 2, "groups": 1}  # fmt: skip
    for op in ("softmax", "layer_norm"):
        for rows, columns in ROWS:
            yield op, "forward", "fp32", {"rows": rows, "columns": columns}
        for rows, columns in ROWS[:3]:
            yield op, "backward", "fp32", {"rows": rows, "columns": columns}
    for which in ("forward", "backward"):
        for batch, channels, size in NORMED_IMAGES:
            yield "batch_norm", which, "fp32", {"batch": batch, "c_in": channels, "in": size}
    for op, bits in FLAT:
        yield op, "forward", "fp32", {"columns": 2**bits}
    for which in ("forward", "backward"):
        for batch, length, head_dim, causal in ATTENTIONS:
            yield "attention", which, "bf16", {"batch": batch, "heads": 16, "kv_heads": 16, "q_len": length, "kv_len": length,
                                               "head_dim": head_dim, "causal": causal}  # fmt: skip


OPERATIONS = list(_operations())


def runs_on(point: Point, capability: Tuple[int, int]) -> bool:
    """What libraries have kernels for: bf16 and tf32 came with compute capability 8.0."""
    return point[2] not in ("bf16", "tf32") or capability >= (8, 0)


def as_operation(row: Row) -> Dict[str, Any]:
    """A row of the dataset as an entry of `operations`."""
    return {"op": row["op"], "pass": row["pass"], "dtype": row["dtype"], "shape": row["shape"], "latency_ms": float(row["latency_ms"]),
            "timing": row["timing"]}  # fmt: skip


def run_rate(size: int, seconds: float) -> float:
    """FLOP/s of a run of MATRIX_CALLS products of this size that took so long."""
    return 2.0 * size**3 * MATRIX_CALLS / seconds


def best_run(run: Callable[[int], Optional[float]], sizes: Sequence[int] = MATRIX_SIZES) -> Optional[float]:
    """Highest rate over sizes; `run(size)` gives the seconds of a run, or None where it cannot run. None without any."""
    best = None
    for size in sizes:
        seconds = run(size)
        if seconds is None:
            break
        best = max(best or 0.0, run_rate(size, seconds))
        if seconds > RUN_SECONDS:
            break
    return best


def matrix_run(dtype: str, size: int) -> Optional[float]:
    """Seconds of MATRIX_CALLS products of size x size after a pause; None where format or memory do not allow them."""
    import torch

    from .operations import set_precision, torch_dtype

    set_precision("tf32" if dtype == "tf32" else "fp32")
    try:
        number = torch.float64 if dtype == "fp64" else torch_dtype(dtype)
        a, b = (torch.randn(size, size, device="cuda").to(number) for _ in range(2))
        for _ in range(3):  # the library chooses its kernel in the first
            c = torch.mm(a, b)
    except RuntimeError:
        return None
    torch.cuda.synchronize()
    time.sleep(PAUSE_SECONDS)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(MATRIX_CALLS):
        torch.mm(a, b, out=c)
    end.record()
    end.synchronize()
    ms: float = begin.elapsed_time(end)
    return ms * 1e-3


def copy_bandwidth() -> float:
    """B/s of a device-to-device copy, bytes read and bytes written counted."""
    import torch

    free = torch.cuda.mem_get_info()[0]
    size: int = min(COPY_BYTES, free // 4) // 4
    source = torch.randn(size, device="cuda")
    target = torch.empty_like(source)
    return 2.0 * size * 4 / (measure(lambda: lambda: target.copy_(source), graph=False).min_ms * 1e-3)


def launch_floor_ns() -> float:
    """Time between the starts of consecutive tiny kernels of one stream, launched as a graph."""
    import torch

    x = torch.zeros(1, device="cuda")
    return measure(lambda: lambda: x.add_(1.0)).ms * 1e6


def calibrate(gpu: str, progress: Callable[[str], Any] = lambda text: None) -> Dict[str, Any]:
    """The calibration as the object that `--gpu-file` reads."""
    import torch

    plain: Dict[str, float] = {}
    matrix: Dict[str, float] = {}
    for dtype in ("fp32", "tf32", "bf16", "fp16", "fp64"):
        progress(f"matrix product {dtype}")
        if dtype == "tf32" and torch.cuda.get_device_capability() < (8, 0):
            continue
        if dtype == "bf16" and torch.cuda.get_device_capability() < (8, 0):
            continue
        rate = best_run(functools.partial(matrix_run, dtype))
        if rate:
            unit = plain if dtype == "fp32" or (dtype == "fp64" and torch.cuda.get_device_capability() < (8, 0)) else matrix
            unit[dtype] = round(rate / 1e12, 4)
    progress("launches and layers on this CPU")
    host = measure_host()
    progress("copy bandwidth")
    bandwidth = copy_bandwidth()
    floor = launch_floor_ns()
    operations = []
    for point in OPERATIONS:
        if not runs_on(point, torch.cuda.get_device_capability()):
            continue
        progress(f"{point[0]} {point[1]} {point[2]}")
        row = measure_point(point, "calibrate", gpu)
        if row:
            operations.append(as_operation(row))
    today = datetime.date.today().isoformat()
    return {
        "schema": 1,
        "calibration_of": gpu,
        "sustained": {
            "matrix_tflop_per_s": matrix,
            "plain_tflop_per_s": plain,
            "dram_gb_per_s": round(bandwidth / 1e9, 2),
        },
        "launch_floor_ns": round(floor, 1),
        "operations": operations,
        **({"host": host} if host else {}),
        "sources": {
            "calibration": {
                "kind": "measured",
                "covers": ["sustained", "launch_floor_ns", "operations", *(["host"] if host else [])],
                "title": f"habitat calibrate, PyTorch {torch.__version__}, {torch.cuda.get_device_name()}",
                "publisher": "measured by the user of this file",
                "date": today,
                "note": "matrix products on random data, best of short runs; copy counts bytes read and written; host: sums over a second each",
            }
        },
    }


def main(argv: Optional[List[str]] = None) -> int:
    p = argparse.ArgumentParser(
        prog="habitat calibrate",
        description="Measure in half a minute the rates this GPU sustains; use the result with --gpu-file.",
        epilog="example: habitat calibrate -o my-h100.json && habitat predict step.json.gz --gpu-file my-h100.json",
    )
    p.add_argument("-o", "--output", required=True, help="JSON file to write")
    p.add_argument("--gpu", help="name in the GPU table (default: as CUDA names the device)")
    chosen = p.parse_args(argv)
    try:
        import torch
    except ImportError:
        print("habitat: calibrate: PyTorch is not installed; install it in this Python environment", file=sys.stderr)
        return 1
    if not torch.cuda.is_available():
        print("habitat: calibrate: no GPU that PyTorch can use; run this on the machine to be measured", file=sys.stderr)
        return 1
    show = sys.stderr.isatty()
    begun = time.monotonic()
    result = calibrate(chosen.gpu or gpu_name(), lambda text: show and print(f"\r\x1b[K{text}", end="", file=sys.stderr))
    if show:
        print("\r\x1b[K", end="", file=sys.stderr)
    temporary = f"{chosen.output}.partial"
    try:
        with open(temporary, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=2)
            out.write("\n")
        os.replace(temporary, chosen.output)
    except OSError as error:
        print(f"habitat: {chosen.output}: {error.strerror}; choose another file with -o", file=sys.stderr)
        return 1
    print(f"{chosen.output}: calibration of {result['calibration_of']} in {time.monotonic() - begun:.0f} s")
    print(told(result.get("host", {})))
    return 0


if __name__ == "__main__":
    sys.exit(main())
