"""Records every example on the GPU at hand, and measures what recording costs. Needs PyTorch only, no build.

Usage: PYTHONPATH=python python3 tools/record_all.py OUT_DIR [--only TEXT] [--budget SECONDS]

Writes OUT_DIR/recordings.tar, the content of data/recordings (traces, `recording_cost.csv`), and prints what is in
it. One process a recording, each with a time limit; one that fails is named and the others go on. Exit 1 if any failed.
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

PAPER = (
    ("resnet50", (16, 32, 64)),
    ("inception_v3", (16, 32, 64)),
    ("gnmt", (16, 32, 48)),
    ("transformer", (32, 48, 64)),
    ("dcgan", (64, 96, 128)),
)
LLM = (("gpt2", (4, 8)), ("llama", (2, 4)))
LIMIT_S = 90


def recordings():
    """(name, command after the Python interpreter) of every recording; OUT stands for the output file."""
    import eval_cnns
    from eval_models import CASES

    jobs = [("resnet50_b4_fp32", _script("resnet50", 4))]
    jobs += [(f"{model}_b{batch}_fp32", _script(model, batch)) for model, batches in PAPER for batch in batches]
    jobs += [(f"{model}_b{batch}_bf16", _script(model, batch, 1)) for model, batches in LLM for batch in batches]
    jobs += [(_name_of_case(case), ["tools/eval_models.py", case, "OUT"]) for case in CASES]
    jobs += [(_name_of_cnn(case), ["tools/eval_cnns.py", case, "OUT"]) for case in eval_cnns.CASES]
    return jobs


def _name_of_cnn(case):
    model, mode, form = case.split("-")
    return f"{model}_{'inference' if mode == 'inf' else 'training'}_b12_{form}"


def _name_of_case(case):
    model, mode, length, batch = case.rsplit("-", 3)
    model = {"opt_13": "opt_1.3b"}.get(model, model)
    mode = {"inf": "inference", "train": "training"}[mode]
    return f"{model}_{mode}_s{length}_b{batch}_fp32"


def _script(model, batch, iterations=2):
    return [
        "-m", "habitat.recording", "-o", "OUT", "--compact", "--iterations", str(iterations),
        f"examples/{model}.py", "--batch", str(batch),
    ]  # fmt: skip


def comparisons():
    jobs = [(model, batches[1]) for model, batches in PAPER + LLM]
    return [(f"side_by_side {m}", ["tools/side_by_side.py", f"examples/{m}.py", "--batch", str(b)]) for m, b in jobs]


class Runner:
    """Runs jobs one after the other until the budget is used up; keeps what went wrong."""

    def __init__(self, budget_s):
        self._end = time.monotonic() + budget_s
        self.failed = []

    def run(self, name, command):
        left = self._end - time.monotonic()
        if left < 5:
            self.failed.append(f"{name}: not run, the time budget is used up")
            return None
        environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")}
        start = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True,
                timeout=min(LIMIT_S, left),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            self.failed.append(f"{name}: stopped after {time.monotonic() - start:.0f} s")
            return None
        if done.returncode != 0:
            tail = " | ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
            self.failed.append(f"{name}: exit {done.returncode}: {tail}")
            return None
        print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
        return done.stdout


def write_csv(path, rows):
    if not rows:
        return
    with open(path, "w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    with open(path, encoding="utf-8") as stream:
        print(f"\n{os.path.basename(path)}\n{stream.read()}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("out")
    p.add_argument("--only", default="", help="only jobs whose name contains this text")
    p.add_argument("--budget", type=float, default=460, help="seconds for everything (default: 460)")
    p.add_argument("--suffix", default="h200", help="end of the file names (default: h200)")
    chosen = p.parse_args()
    from recordings_table import row_of, table

    folder = os.path.join(chosen.out, "recordings")
    os.makedirs(folder, exist_ok=True)
    runner, rows, sides = Runner(chosen.budget), [], []
    for name, command in comparisons():
        if chosen.only in name:
            lines = (runner.run(name, command) or "").strip().splitlines()
            sides += list(csv.DictReader(lines[-2:]))
    for name, command in recordings():
        path = os.path.join(os.path.abspath(folder), f"{name}_{chosen.suffix}.json.gz")
        if chosen.only in name and runner.run(name, [path if part == "OUT" else part for part in command]) is not None:
            rows.append(row_of(path))
    write_csv(os.path.join(folder, "recording_cost.csv"), sides)
    print(table(rows) if rows else "no recording")
    with tarfile.open(os.path.join(chosen.out, "recordings.tar"), "w") as tar:
        tar.add(folder, "recordings")
    print(f"{len(rows)} recordings, {len(runner.failed)} jobs failed")
    for failure in runner.failed:
        print(f"record_all: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
