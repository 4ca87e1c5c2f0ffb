"""Training steps on several GPUs of one host: what predictions with `--gpus` are held against.

Usage: PYTHONPATH=python python3 tools/measure_ddp.py OUT_DIR [--gpus N] [--times-only] [--only TEXT] [--budget SECONDS]

Records every step of STEPS on one GPU, as `tools/record_all.py` does, then times the same step as N processes with
DistributedDataParallel, times all-reduce by message size, then records every rank once. Writes OUT_DIR/ddp.tar with
`NAME_SUFFIX.json.gz`, `NAME_rankR.json.gz`, `measured_ddp.csv` and `all_reduce.csv`; columns as in docs/recordings.md.
With `--times-only` the steps of MORE, too, and no all-reduce alone and no recordings of ranks: the CPU binds many of those steps.
"""

import argparse
import csv
import os
import subprocess
import sys
import tarfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "tools"))

# (name of the model, script, further arguments, batch size of one GPU, number formats)
STEPS = (
    ("resnet50", "resnet50", (), 64, ("tf32", "amp-bf16")),
    ("bert_large", "bert", (), 8, ("tf32", "amp-bf16")),
    ("gpt2_large", "gpt2", ("--width", "1280", "--layers", "36"), 4, ("tf32", "amp-bf16")),
    ("resnet50", "resnet50", (), 16, ("fp32", "amp-bf16")),
    ("vit", "vit", (), 64, ("tf32",)),
    ("bert_large", "bert", (), 2, ("amp-bf16",)),
)  # fmt: skip
MORE = (
    ("transformer", "transformer", (), 64, ("fp32",)),
    ("transformer", "transformer", (), 32, ("amp-bf16",)),
    ("vit", "vit", (), 64, ("amp-bf16",)),
    ("gpt2", "gpt2", (), 8, ("amp-bf16",)),
    ("inception_v3", "inception_v3", (), 32, ("amp-fp16",)),
    ("gnmt", "gnmt", (), 32, ("amp-fp16",)),
)  # fmt: skip
COLUMNS = ("gpu", "gpus", "framework", "model", "precision", "batch", "iteration_ms", "group_ms", "recording")
MESSAGES = [1 << n for n in range(10, 31)]
WARMUP, TIMED = 6, 12
RECORDING = 0.7  # of the time, at most, for the recordings of one GPU


def named_steps(only, times_only):
    for model, script, more, batch, precisions in STEPS + (MORE if times_only else ()):
        for precision in precisions:
            name = f"{model}_b{batch}_{precision.replace('-', '_')}"
            if only in name:
                yield name, model, script, more, batch, precision


def record_one_gpu(folder, runner, steps, suffix):
    """Single-GPU recordings on the same host: where predictions start."""
    import forked
    from steps import arguments

    for name, _, script, more, batch, precision in steps:
        command = [
            "-m", "habitat.recording", "-o", os.path.join(folder, f"{name}_{suffix}.json.gz"), "--compact", "--iterations",
            "1", "--pause", "1", f"examples/{script}.py", *arguments(precision, batch), *more,
        ]  # fmt: skip
        runner.run(name, lambda command=command: forked.python(command))


def worker(folder, steps, suffix, times_only):
    """One rank: every step, timed, then recorded; then all-reduce alone."""
    import statistics

    import torch
    import torch.distributed as dist
    from measure_steps import clean, group_ms
    from steps import load

    from habitat.recording import record_iterations

    rank, gpus = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    rows = []
    for name, model, script, more, batch, precision in steps:
        step = load(script, precision, batch, *more)
        for _ in range(WARMUP):
            step()
        groups = [group_ms(step, TIMED) for _ in range(3)]
        rows.append({
            "gpu": torch.cuda.get_device_name(), "gpus": gpus, "framework": f"torch {torch.__version__}", "model": model,
            "precision": precision, "batch": batch, "iteration_ms": f"{statistics.median(sum(groups, [])):.4f}",
            "group_ms": " ".join(f"{statistics.median(group):.4f}" for group in groups),
            "recording": f"{name}_{suffix}",
        })  # fmt: skip
        print(rank, name, rows[-1]["group_ms"], flush=True)
        if rank == 0:
            write(os.path.join(folder, "measured_ddp.csv"), COLUMNS, rows)
        step = None
        clean()
        dist.barrier()
    if times_only:
        return dist.destroy_process_group()
    sums = [row for count in MESSAGES for row in all_reduce(count, gpus)]
    if rank == 0:
        write(os.path.join(folder, "all_reduce.csv"), tuple(sums[0]), sums)
    for name, model, script, more, batch, precision in steps:
        step = load(script, precision, batch, *more)
        record_iterations(step, path=os.path.join(folder, f"{name}.json.gz"), iterations=1, warmup=3, timed=4,
                          batch_size=batch, model=model, compact=True, pause=0.0)  # fmt: skip
        step = None
        clean()
        dist.barrier()
    dist.destroy_process_group()


def all_reduce(count_bytes, gpus):
    """Time of one all-reduce of a message: alone between two events, and one of twenty that follow each other."""
    import torch
    import torch.distributed as dist

    for dtype in (torch.float32, torch.bfloat16):
        message = torch.ones(count_bytes // dtype.itemsize, device="cuda", dtype=dtype)
        for _ in range(5):
            dist.all_reduce(message)
        times = {}
        for label, repeats in (("alone_ms", 1), ("in_a_row_ms", 20)):
            best = []
            for _ in range(5):
                torch.cuda.synchronize()
                dist.barrier()
                torch.cuda.synchronize()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                for _ in range(repeats):
                    dist.all_reduce(message)
                end.record()
                end.synchronize()
                best.append(begin.elapsed_time(end) / repeats)
            times[label] = f"{sorted(best)[2]:.5f}"
        yield {"gpu": torch.cuda.get_device_name(), "gpus": gpus, "dtype": str(dtype).removeprefix("torch."),
               "message_bytes": count_bytes, **times}  # fmt: skip


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--gpus", type=int, default=2, help="processes, one a GPU (default: 2)")
    p.add_argument("--only", default="", help="only steps whose name contains this text")
    p.add_argument("--budget", type=float, default=400, help="seconds for everything (default: 400)")
    p.add_argument("--suffix", default="h200", help="end of the single-GPU file names (default: h200)")
    p.add_argument("--times-only", action="store_true", help="more steps; no recordings of ranks")
    p.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = p.parse_args()
    folder = os.path.join(os.path.abspath(chosen.out), "ddp")
    os.makedirs(folder, exist_ok=True)
    os.chdir(ROOT)
    steps = list(named_steps(chosen.only, chosen.times_only))
    if chosen.worker:
        return worker(folder, steps, chosen.suffix, chosen.times_only)
    import forked

    forked.import_early()
    end_s = time.monotonic() + chosen.budget
    runner = forked.Runner(chosen.budget * RECORDING)
    record_one_gpu(folder, runner, steps, chosen.suffix)
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={chosen.gpus}", __file__,
        chosen.out, "--worker", "--only", chosen.only, "--suffix", chosen.suffix,
        *(["--times-only"] if chosen.times_only else []),
    ]  # fmt: skip
    try:
        status = subprocess.run(command, timeout=max(30, end_s - time.monotonic())).returncode
    except subprocess.TimeoutExpired:
        status = 124
    with tarfile.open(os.path.join(os.path.dirname(folder), "ddp.tar"), "w") as tar:
        tar.add(folder, "ddp")
    for failure in runner.failed:
        print(f"measure_ddp: {failure}", file=sys.stderr)
    print(f"ranks: exit {status}; {len(os.listdir(folder))} files")
    return 1 if status or runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
