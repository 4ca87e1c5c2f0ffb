"""A small training loop to record with CUPTI and with Kineto: convolutions, batch norm, matrix products, Adam.

recorder_sample.py [--kineto FILE] [--iterations N]: with --kineto the loop's last iterations are recorded by
torch.profiler into FILE; without, they are marked by NVTX ranges named "iteration" for `habitat record -- python ...`.
Either way the same kernels run.
"""

import argparse

import torch
from torch import nn


def build(device):
    torch.manual_seed(0)
    convolutions = []
    width = 3
    for out in (32, 64, 128):
        convolutions += [nn.Conv2d(width, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU()]
        convolutions += [nn.MaxPool2d(2)]
        width = out
    head = [nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(width * 16, 1024), nn.GELU(), nn.Linear(1024, 100)]
    return nn.Sequential(*convolutions, *head).to(device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kineto", help="record with torch.profiler into this file")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--batch", type=int, default=128)
    arguments = parser.parse_args()
    device = torch.device("cuda")
    model = build(device)
    optimizer = torch.optim.Adam(model.parameters())
    images = torch.randn(arguments.batch, 3, 96, 96, device=device)
    labels = torch.randint(0, 100, (arguments.batch,), device=device)

    def iteration():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    for _ in range(arguments.warmup):
        iteration()
    torch.cuda.synchronize()
    if arguments.kineto:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            for _ in range(arguments.iterations):
                iteration()
            torch.cuda.synchronize()
        profiler.export_chrome_trace(arguments.kineto)
        return
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(arguments.iterations):
        with torch.cuda.nvtx.range("iteration"):
            iteration()
    end.record()
    torch.cuda.synchronize()
    print(f"iteration_ms {start.elapsed_time(end) / arguments.iterations:.4f}")


if __name__ == "__main__":
    main()
