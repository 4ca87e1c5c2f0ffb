#!/usr/bin/env python3
"""How the rate of large matrix products falls with the length of the run, as CSV: what a "short run" is worth (docs/gpus.md).

Alone: products back to back after a pause of half a second. Step: as many products as take the same time, each followed by a copy
that takes as long as one; only the products are timed, by events. Needs PyTorch and a GPU.
usage: matrix_rate_by_length.py [SIZE]     columns: dtype, how, seconds, tflop_per_s, watt, sm_mhz
"""

import subprocess
import sys
import time

import torch


def state():
    """Power [W] and SM clock [MHz] now, as nvidia-smi prints them."""
    query = ["nvidia-smi", "-i", "0", "--query-gpu=power.draw,clocks.sm", "--format=csv,noheader,nounits"]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip().replace(" ", "")


def events(count):
    return [torch.cuda.Event(enable_timing=True) for _ in range(count)]


def alone(product, calls):
    begin, end = events(2)
    begin.record()
    for _ in range(calls):
        product()
    end.record()
    now = state() if calls > 300 else ","
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / calls, now


def between(product, copy, calls):
    marks = [events(2) for _ in range(calls)]
    for begin, end in marks:
        begin.record()
        product()
        end.record()
        copy()
    now = state() if calls > 300 else ","
    torch.cuda.synchronize()
    return sum(b.elapsed_time(e) for b, e in marks) * 1e-3 / calls, now


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
    print("dtype,how,seconds,tflop_per_s,watt,sm_mhz")
    for dtype in ("bf16", "fp16", "tf32"):
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        number = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(dtype, torch.float32)
        a, b = (torch.randn(size, size, device="cuda").to(number) for _ in range(2))
        c = torch.empty_like(a)
        product = lambda a=a, b=b, c=c: torch.mm(a, b, out=c)  # noqa: E731
        once, _ = alone(product, 10)
        source = torch.randn(2**28, device="cuda")
        target = torch.empty_like(source)
        whole, _ = alone(lambda: target.copy_(source), 10)
        part = max(1, min(source.numel(), int(source.numel() * once / whole)))
        copy = lambda: target[:part].copy_(source[:part])  # noqa: E731, B023
        for seconds in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0):
            calls = max(3, int(seconds / once))
            for how, run in (("alone", lambda: alone(product, calls)), ("step", lambda: between(product, copy, calls))):  # noqa: B023
                torch.cuda.synchronize()
                time.sleep(0.5)
                took, now = run()
                print(f"{dtype},{how},{seconds},{2 * size**3 / took / 1e12:.1f},{now}", flush=True)


if __name__ == "__main__":
    main()
