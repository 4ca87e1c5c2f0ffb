#!/usr/bin/env python3
"""What copies between the host's memory and the GPU carry, by size, as CSV: data/measurements/host_copies.csv (docs/decisions/0263).

Pinned memory is copied by the link alone; pageable memory goes through the driver's own buffer, which the CPU fills. Each row is the best
of 20 copies, timed by events on the GPU; a pageable copy starts when the CPU calls it, so its wait for pages is in it.
Needs PyTorch and a GPU.
usage: measure_copies.py GPU_NAME     columns: gpu, memory, direction, bytes, gb_per_s
"""

import sys

import torch

SIZES = [2**16, 2**18, 2**20, 7225344, 2**24, 2**26, 2**28]  # 7225344: 12 images of 224 x 224 in fp32
TIMES = 20


def fastest_s(target, source, pinned):
    """Seconds of the fastest of TIMES copies."""
    best = float("inf")
    for _ in range(TIMES):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        target.copy_(source, non_blocking=pinned)
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) * 1e-3)
    return best


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    print("gpu,memory,direction,bytes,gb_per_s")
    for size in SIZES:
        device = torch.empty(size, dtype=torch.uint8, device="cuda")
        for memory in ("pinned", "pageable"):
            host = torch.ones(size, dtype=torch.uint8, pin_memory=memory == "pinned")
            for direction, target, source in (("to_gpu", device, host), ("to_host", host, device)):
                seconds = fastest_s(target, source, memory == "pinned")
                print(f"{sys.argv[1]},{memory},{direction},{size},{size / seconds * 1e-9:.2f}", flush=True)


if __name__ == "__main__":
    main()
