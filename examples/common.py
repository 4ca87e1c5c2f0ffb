"""What the example scripts share: their options, their precision settings and their training loop."""

import argparse
import contextlib
import os
import time

import torch


AUTOCAST = {"amp-bf16": torch.bfloat16, "amp-fp16": torch.float16}


def options(description, batch, precision="fp32", **more):
    """Parses the options every example has, and whole-number ones of its own (`name=default`)."""
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--batch", type=int, default=batch, help=f"samples an iteration (default: {batch})")
    p.add_argument("--iterations", type=int, default=30, help="training iterations (default: 30)")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument(
        "--precision", default=precision, choices=dict.fromkeys((precision, "fp32", "tf32", *AUTOCAST)),
        help="fp32 is strict; tf32 lets products and convolutions use TF32; amp-* is autocast, with TF32 outside of it;"
        f" bf16 (some models) keeps the weights in it (default: {precision})",
    )  # fmt: skip
    p.add_argument("--tf32", action="store_true", help="the same as --precision tf32")
    p.add_argument("--seed", type=int, default=0)
    for name, default in more.items():
        p.add_argument("--" + name.replace("_", "-"), type=int, default=default, help=f"(default: {default})")
    args = p.parse_args()
    if in_parallel() and args.device == "cuda":
        args.device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
        torch.cuda.set_device(args.device)
    torch.manual_seed(args.seed)
    if args.tf32:
        args.precision = "tf32"
    args.tf32 = args.precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = args.tf32
    torch.backends.cudnn.allow_tf32 = args.tf32
    return args


def in_parallel():
    """Whether torchrun started this script as one of several processes."""
    return int(os.environ.get("WORLD_SIZE", 1)) > 1


def shared(model, args):
    """The model itself, or with torchrun its data-parallel form: every process trains on a batch of its own."""
    if not in_parallel():
        return model
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if args.device.startswith("cuda") else "gloo")
    return torch.nn.parallel.DistributedDataParallel(model)


def autocast(args):
    """The context in which the forward pass runs: `torch.autocast`, or nothing with fp32 and TF32."""
    dtype = AUTOCAST.get(args.precision)
    return torch.autocast(torch.device(args.device).type, dtype) if dtype else contextlib.nullcontext()


def grad_scaler(args):
    """A gradient scaler: fp16 needs one; with every other format its calls pass through."""
    return torch.amp.GradScaler(torch.device(args.device).type, enabled=args.precision == "amp-fp16")


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
