"""What the example scripts share: their options, their precision settings and their training loop."""

import argparse
import time

import torch


def options(description, batch, **more):
    """Parses the options every example has, and whole-number ones of its own (`name=default`)."""
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--batch", type=int, default=batch, help=f"samples an iteration (default: {batch})")
    p.add_argument("--iterations", type=int, default=30, help="training iterations (default: 30)")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--tf32", action="store_true", help="let fp32 matrix products and convolutions use TF32")
    p.add_argument("--seed", type=int, default=0)
    for name, default in more.items():
        p.add_argument("--" + name.replace("_", "-"), type=int, default=default, help=f"(default: {default})")
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = args.tf32
    torch.backends.cudnn.allow_tf32 = args.tf32
    return args


def train(step, args, every=10):
    """Calls `step()` (which returns its loss) and prints loss and throughput now and then."""
    start, done = time.perf_counter(), 0
    for iteration in range(1, args.iterations + 1):
        loss = step()
        done += 1
        if iteration % every == 0 or iteration == args.iterations:
            value = float(loss.detach())  # waits for the GPU
            now = time.perf_counter()
            rate = done * args.batch / (now - start)
            print(f"iteration {iteration}: loss {value:.4f}, {rate:.1f} samples/s", flush=True)
            start, done = now, 0


def parameters(model):
    return sum(p.numel() for p in model.parameters())
