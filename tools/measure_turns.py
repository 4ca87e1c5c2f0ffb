"""Times training steps of a script in several batch sizes and number formats in turns, in one process, and records some of them there.

Usage: PYTHONPATH=python python3 tools/measure_turns.py OUT_DIR [--steps] [--suffix h100] [--only TEXT,..] [--budget SECONDS]

Two processes of one host differ by more than what is asked of predictions, and groups timed one after the other drift. So all steps of
a script are loaded by one process and timed in turns, ROUNDS times round; then those of RECORDED are profiled, after all timing. The
recordings hold the times of the rounds, and what the CPU took by the host's clock, in place of the recorder's own, and no peak of memory
(other steps were in the process). Writes OUT_DIR/measured_turns.csv and OUT_DIR/SCRIPT_bBATCH_PRECISION_SUFFIX.json.gz.
With --steps the steps of tools/steps.py, which data/recordings holds of one host, are timed instead and none is recorded: what they
take on another host.
"""

import argparse
import csv
import os
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import forked  # noqa: E402
from measure_steps import group_ms  # noqa: E402
from steps import STEPS, load  # noqa: E402

from habitat.recording.clock import HostClock  # noqa: E402

FORMATS = ("fp32", "amp-bf16", "amp-fp16", "tf32")
BATCHES = {
    "resnet50": (16, 64), "transformer": (32, 96), "dcgan": (16, 128), "gnmt": (16, 48), "gpt2": (2, 8), "bert": (2, 8), "vit": (16, 64),
    "inception_v3": (16, 64),
}  # fmt: skip
RECORDED = (("fp32", 0), ("fp32", 1), ("amp-bf16", 0))  # (precision, which batch size)
COLUMNS = ("gpu", "framework", "script", "precision", "batch", "iteration_ms", "group_ms", "cpu_ms", "cpu_all_ms", "recorded")
WARMUP, ROUNDS, TIMED, CLOCKED = 6, 3, 6, 2


class Step:
    """One step of a script, with the settings of PyTorch under which it runs: they are the process's, not the step's."""

    def __init__(self, script, precision, batch):
        import torch

        self.precision, self.batch = precision, batch
        with torch.device("cuda"):  # weights are made there: a host takes seconds for what is overwritten soon
            self.run = load(script, precision, batch)
        self._tf32 = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        self.groups, self.clock = [], HostClock()
        for _ in range(WARMUP):
            self.clock.look()
            self.run()
        self.clock.remove()
        torch.cuda.synchronize()

    def settle(self):
        import torch

        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = self._tf32

    def take_turn(self):
        self.settle()
        self.run()
        for _ in range(CLOCKED):
            self.clock.begin()
            self.run()
            self.clock.end()
        self.clock.remove()
        self.groups.append(group_ms(self.run, TIMED))

    def facts(self):
        """What the habitat object says of the times."""
        times, middles = sum(self.groups, []), [statistics.median(group) for group in self.groups]
        middle = statistics.median(times)
        return {
            "iteration_ms": round(middle, 6), "iteration_ms_all": [round(t, 6) for t in times],
            "iteration_ms_groups": None, "iteration_spread": round((max(middles) - min(middles)) / middle, 4),
            **self.clock.describe(), "timer": "cuda_event", "peak_memory_bytes": None, "peak_memory_reserved_bytes": None,
        }  # fmt: skip


def row_of(script, step, recorded):
    import torch

    facts = step.facts()
    return {
        "gpu": torch.cuda.get_device_name(), "framework": f"torch {torch.__version__}", "script": script, "precision": step.precision,
        "batch": step.batch, "iteration_ms": f"{facts['iteration_ms']:.4f}",
        "group_ms": " ".join(f"{statistics.median(group):.4f}" for group in step.groups), "cpu_ms": f"{facts['cpu_ms']:.4f}",
        "cpu_all_ms": " ".join(f"{t:.4f}" for t in step.clock.times_ms), "recorded": recorded,
    }  # fmt: skip


def record(script, step, folder, suffix):
    """Profiles a step; the recording gets the times that were taken in turns."""
    from habitat import recording
    from habitat.recording import tracefile

    name = f"{script}_b{step.batch}_{step.precision.replace('-', '_')}_{suffix}"
    path = os.path.join(folder, f"{name}.json.gz")
    step.settle()
    info = recording.record_iterations(
        step.run, path=path, iterations=1, warmup=2, timed=0, batch_size=step.batch, compact=True,
        command=f"python examples/{script}.py --batch {step.batch} --precision {step.precision}",
    )  # fmt: skip
    tracefile.replace_about(path, {**info, **step.facts()})
    return name


def turns_of(script):
    """(precision, batch size, whether it is recorded) of a script."""
    return [(precision, batch, (precision, i) in RECORDED) for precision in FORMATS for i, batch in enumerate(BATCHES[script])]


def known_steps_of(script):
    return [(precision, batch, False) for name, precision, _, batches in STEPS if name == script for batch in batches]


def job(script, wanted, folder, suffix):
    steps = [Step(script, precision, batch) for precision, batch, _ in wanted]
    for _ in range(ROUNDS):
        for step in steps:
            step.take_turn()
    with open(os.path.join(folder, "measured_turns.csv"), "a", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        for step, (_, _, recorded) in zip(steps, wanted):
            table.writerow(row_of(script, step, record(script, step, folder, suffix) if recorded else ""))
            stream.flush()
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--suffix", default="h200", help="end of the file names (default: h200)")
    p.add_argument("--steps", action="store_true", help="time the steps of tools/steps.py, record none")
    p.add_argument("--only", default="", help="only scripts whose name contains one of these texts, with commas between")
    p.add_argument("--budget", type=float, default=480, help="seconds for everything (default: 480)")
    chosen = p.parse_args()
    folder = os.path.abspath(chosen.out)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "measured_turns.csv"), "w", newline="", encoding="utf-8") as stream:
        csv.DictWriter(stream, COLUMNS, lineterminator="\n").writeheader()
    forked.import_early()
    runner = forked.Runner(chosen.budget, limit_s=150)
    scripts, steps_of = (dict.fromkeys(name for name, *_ in STEPS), known_steps_of) if chosen.steps else (BATCHES, turns_of)
    for script in scripts:
        if any(text in script for text in chosen.only.split(",")):
            runner.run(script, lambda script=script: job(script, steps_of(script), folder, chosen.suffix))
    for failure in runner.failed:
        print(f"measure_turns: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
