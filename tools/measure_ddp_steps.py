"""Times recorded training steps as DistributedDataParallel on 1, 2, 4, .. GPUs of one host, without a profiler.

Usage: PYTHONPATH=python python3 tools/measure_ddp_steps.py OUT.csv [--gpus 1,2,4] [--only TEXT] [--budget SECONDS]

The steps are those of data/recordings that have a data-parallel form, recorded on one GPU, on another host and day: what
`habitat predict --gpus` says from these recordings is held against the rows that come out (`habitat eval ddp`). Three groups
of timed iterations a step, one after the other; columns as in docs/recordings.md.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

# (script, --precision, batch size of one GPU), the ones that are worth most first
STEPS = (
    ("resnet50", "tf32", 64), ("gpt2", "tf32", 8), ("bert", "tf32", 8), ("llama", "bf16", 4), ("vit", "amp-bf16", 64),
    ("inception_v3", "fp32", 64), ("transformer", "fp32", 64), ("gnmt", "fp32", 48), ("resnet50", "amp-fp16", 128),
    ("bert", "amp-bf16", 32), ("gpt2", "amp-bf16", 8), ("llama", "tf32", 2), ("resnet50", "fp32", 32), ("vit", "fp32", 16),
    ("gnmt", "amp-fp16", 32), ("transformer", "amp-bf16", 32), ("inception_v3", "amp-fp16", 32), ("bert", "fp32", 2),
)  # fmt: skip
COLUMNS = ("gpu", "gpus", "framework", "model", "precision", "batch", "iteration_ms", "group_ms", "recording")
WARMUP, TIMED, GROUPS = 6, 10, 3


def worker(path, only, suffix, end_s):
    """One rank: every step that time is left for; rank 0 writes."""
    import torch
    import torch.distributed as dist
    from measure_steps import clean, group_ms
    from steps import load, recording_name

    rank, gpus = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    for script, precision, batch in STEPS:
        if only not in f"{script}_b{batch}_{precision}":
            continue
        late = torch.tensor(float(time.time() > end_s), device="cuda")
        dist.all_reduce(late)  # all ranks go on, or none
        if late.item():
            break
        step = load(script, precision, batch)
        for _ in range(WARMUP):
            step()
        groups = [group_ms(step, TIMED) for _ in range(GROUPS)]
        row = {
            "gpu": torch.cuda.get_device_name(), "gpus": gpus, "framework": f"torch {torch.__version__}", "model": script,
            "precision": precision, "batch": batch, "iteration_ms": f"{statistics.median(sum(groups, [])):.4f}",
            "group_ms": " ".join(f"{statistics.median(group):.4f}" for group in groups),
            "recording": recording_name(script, precision, batch, suffix),
        }  # fmt: skip
        if rank == 0:
            with open(path, "a", newline="", encoding="utf-8") as stream:
                csv.DictWriter(stream, COLUMNS, lineterminator="\n").writerow(row)
            print(*row.values(), flush=True)
        step = None
        clean()
        dist.barrier()
    dist.destroy_process_group()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--gpus", default="1,2,4", help="numbers of processes, one a GPU (default: 1,2,4)")
    p.add_argument("--only", default="", help="only steps whose name contains this text")
    p.add_argument("--budget", type=float, default=500, help="seconds for everything (default: 500)")
    p.add_argument("--suffix", default="h200", help="end of the recordings' names (default: h200)")
    p.add_argument("--until", type=float, help=argparse.SUPPRESS)
    chosen = p.parse_args()
    path = os.path.abspath(chosen.out)
    if chosen.until:
        return worker(path, chosen.only, chosen.suffix, chosen.until)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.DictWriter(stream, COLUMNS, lineterminator="\n").writeheader()
    counts = [int(count) for count in chosen.gpus.split(",")]
    end_s, failed = time.time() + chosen.budget, []
    for done, count in enumerate(counts):
        left_s = end_s - time.time()
        until_s = time.time() + left_s / (len(counts) - done)
        command = [
            sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={count}", __file__, path,
            "--only", chosen.only, "--suffix", chosen.suffix, "--until", str(until_s - 10),
        ]  # fmt: skip
        try:
            status = subprocess.run(command, timeout=max(left_s, 20)).returncode
        except subprocess.TimeoutExpired:
            status = 124
        if status:
            failed.append(f"{count} GPUs: exit {status}")
    for failure in failed:
        print(f"measure_ddp_steps: {failure}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
