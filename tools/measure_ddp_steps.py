"""Times recorded training steps as DistributedDataParallel, or fully_shard, on 1, 2, 4, .. GPUs of one host, without a profiler.

Usage: PYTHONPATH=python python3 tools/measure_ddp_steps.py OUT.csv [--gpus 1,2,4] [--only TEXT] [--part I/N] [--full-size first|again] [--sharded] [--budget SECONDS]

The steps are those of data/recordings that have a data-parallel form, recorded on one GPU, on another host and day: what
`habitat predict --gpus` says from these recordings is held against the rows that come out (`habitat eval ddp`). Three groups
of timed iterations a step, one after the other; columns as in docs/recordings.md. --full-size: the steps of tools/full_size_steps.py or
full_size_again.py instead (docs/full-size-steps.md). --sharded: those of them that are made of layers, their weights, gradients and
states of the optimiser in parts: each layer by itself, and what is around them.
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
# The same of tools/full_size_steps.py.
FULL_SIZE = (
    ("resnet50", "amp-bf16", 512), ("gpt2_xl", "amp-bf16", 2), ("bert_large", "amp-bf16", 48), ("words_1b", "amp-bf16", 4),
    ("vit_large", "amp-bf16", 32), ("convnext_large", "amp-bf16", 96), ("denoiser", "amp-bf16", 24), ("whisper_medium", "amp-bf16", 16),
    ("bert_large", "tf32", 8), ("words_1b", "tf32", 1), ("adapters_7b", "bf16", 1), ("swin_base", "amp-bf16", 128),
    ("efficientnet_b4", "amp-bf16", 64), ("vit_large", "amp-bf16", 192), ("gpt2_xl", "amp-bf16", 12), ("t5_large", "amp-bf16", 24),
    ("segment", "amp-bf16", 4), ("denoiser", "tf32", 4), ("bert_large", "amp-bf16", 8), ("convnext_large", "tf32", 16),
)  # fmt: skip
# And of tools/full_size_again.py, without speech_large: not all of its parameters have gradients, which the default refuses.
FULL_SIZE_AGAIN = (
    ("vit_huge", "amp-bf16", 96), ("words_3b", "bf16", 6), ("summary", "amp-bf16", 12), ("windows_and_grids", "amp-bf16", 64),
    ("regnet", "amp-bf16", 160), ("pixels", "amp-bf16", 12), ("vit_huge", "tf32", 16),
    ("summary", "tf32", 2), ("regnet", "tf32", 32), ("words_3b", "bf16", 1), ("windows_and_grids", "tf32", 12),
)  # fmt: skip
TABLES = {"": STEPS, "first": FULL_SIZE, "again": FULL_SIZE_AGAIN}
COLUMNS = ("gpu", "gpus", "framework", "model", "precision", "batch", "iteration_ms", "group_ms", "recording", "peak_bytes")
WARMUP, TIMED, GROUPS = 6, 10, 3
TIMED_FULL_SIZE = 6  # up to 0.8 s each


def full_size(name, precision, batch, sharded=False):
    """The function that runs one iteration of a step of full size, its gradients shared, or all in parts, where there are several GPUs."""
    import functools

    import recorded_steps
    import sharded_steps
    import torch
    from torch.nn.parallel import DistributedDataParallel

    class Loss(torch.nn.Module):  # what DistributedDataParallel wraps: steps come as a model and a function that calls it
        def __init__(self, model, loss_of):
            super().__init__()
            self.model, self.loss_of = model, loss_of

        def forward(self, _):  # DistributedDataParallel refuses a call without an argument
            return self.loss_of()

    def shared(batch):
        if sharded and int(os.environ["WORLD_SIZE"]) > 1:
            return sharded_steps.in_parts(name, precision, batch)
        loss = Loss(*sharded_steps.STEPS[name][0](batch))
        if int(os.environ["WORLD_SIZE"]) > 1:
            loss = DistributedDataParallel(loss, device_ids=[torch.cuda.current_device()])
        return loss, lambda: loss(None)

    return recorded_steps.iteration_of(shared, batch, precision, functools.partial(torch.optim.AdamW, fused=True))


def worker(path, chosen):
    """One rank: every step that time is left for; rank 0 writes."""
    import sharded_steps
    import torch
    import torch.distributed as dist
    from measure_steps import clean, group_ms
    from steps import load, recording_name

    from habitat.recording import record_iterations

    rank, gpus = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    first, parts = map(int, chosen.part.split("/"))
    table = sharded_steps.TABLES[chosen.full_size] if chosen.sharded else TABLES[chosen.full_size]
    for script, precision, batch in table[first::parts]:
        if not any(part in f"{script}_b{batch}_{precision}" for part in chosen.only.split(",")):
            continue
        late = torch.tensor(float(time.time() > chosen.until), device="cuda")
        dist.all_reduce(late)  # all ranks go on, or none
        if late.item():
            break
        began_s = time.time()
        step = full_size(script, precision, batch, chosen.sharded) if chosen.full_size else load(script, precision, batch)
        torch.cuda.reset_peak_memory_stats()
        for _ in range(WARMUP):
            step()
        peak = torch.cuda.max_memory_allocated()
        if chosen.record:
            record_iterations(step, path=os.path.join(chosen.record, f"{script}_b{batch}_{precision.replace('-', '_')}_of{gpus}.json.gz"),
                              iterations=1, warmup=3, timed=4, batch_size=batch, model=script, compact=True, pause=0.0)  # fmt: skip
        groups = [group_ms(step, TIMED_FULL_SIZE if chosen.full_size else TIMED) for _ in range(GROUPS)]
        row = {
            "gpu": torch.cuda.get_device_name(), "gpus": gpus, "framework": f"torch {torch.__version__}", "model": script,
            "precision": precision, "batch": batch, "iteration_ms": f"{statistics.median(sum(groups, [])):.4f}",
            "group_ms": " ".join(f"{statistics.median(group):.4f}" for group in groups),
            "recording": f"{script}_b{batch}_{precision.replace('-', '_')}_{chosen.suffix}"
            if chosen.full_size
            else recording_name(script, precision, batch, chosen.suffix),
            "peak_bytes": peak,
        }  # fmt: skip
        if rank == 0:
            with open(path, "a", newline="", encoding="utf-8") as stream:
                csv.DictWriter(stream, COLUMNS, lineterminator="\n").writerow(row)
            print(*row.values(), f"{time.time() - began_s:.0f} s", flush=True)
        step = None
        clean()
        dist.barrier()
    dist.destroy_process_group()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--gpus", default="1,2,4", help="numbers of processes, one a GPU (default: 1,2,4)")
    p.add_argument("--only", default="", help="only steps whose name contains this text, or one of these between commas")
    p.add_argument("--budget", type=float, default=500, help="seconds for everything (default: 500)")
    p.add_argument("--suffix", default="h200", help="end of the recordings' names (default: h200)")
    p.add_argument("--part", default="0/1", help="every Nth step from the Ith on, for N runs side by side")
    p.add_argument("--record", metavar="FOLDER", help="record every rank of each step, too")
    p.add_argument("--full-size", default="", choices=TABLES, help="the steps of tools/full_size_steps.py, or of full_size_again.py")
    p.add_argument("--sharded", action="store_true", help="weights, gradients and states in parts, with --full-size")
    p.add_argument("--until", type=float, help=argparse.SUPPRESS)
    chosen = p.parse_args()
    path = os.path.abspath(chosen.out)
    if chosen.sharded and not chosen.full_size:
        p.error("--sharded needs --full-size")
    if chosen.until:
        return worker(path, chosen)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.DictWriter(stream, COLUMNS, lineterminator="\n").writeheader()
    counts = [int(count) for count in chosen.gpus.split(",")]
    end_s, failed = time.time() + chosen.budget, []
    for done, count in enumerate(counts):
        left_s = end_s - time.time()
        until_s = time.time() + left_s / (len(counts) - done)
        command = [
            sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={count}", __file__, path,
            "--only", chosen.only, "--suffix", chosen.suffix, "--until", str(until_s - 10), "--part", chosen.part,
            *(["--full-size", chosen.full_size] if chosen.full_size else []), *(["--record", chosen.record] if chosen.record else []),
            *(["--sharded"] if chosen.sharded else []),
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
