"""Records every step on the GPU at hand, and measures what recording costs. Needs PyTorch only, no build.

Usage: PYTHONPATH=python python3 tools/record_all.py OUT_DIR [--suffix h100] [--steps-only] [--only TEXT] [--budget SECONDS]

Writes OUT_DIR/recordings.tar, the content of data/recordings (traces, `recording_cost.csv`), and prints what is in
it. One process a recording, each with a time limit; one that fails is named and the others go on. Exit 1 if any failed.
`--steps-only` leaves out the networks that were made to compare with measurements of others, and the cost of recording.
"""

import argparse
import csv
import os
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import forked  # noqa: E402
from steps import arguments, named_steps  # noqa: E402

COST = (
    ("resnet50", 32), ("inception_v3", 32), ("gnmt", 32), ("transformer", 48), ("dcgan", 96), ("gpt2", 8), ("llama", 4)
)  # fmt: skip


def recordings(steps_only=False):
    """(name, command after the Python interpreter) of every recording; OUT stands for the output file."""
    jobs = [(name, _script(script, precision, batch)) for name, script, precision, batch in named_steps()]
    if not steps_only:
        import eval_cnns
        from eval_models import CASES

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


def _script(script, precision, batch):
    return [
        "-m", "habitat.recording", "-o", "OUT", "--compact", "--iterations", "1", "--pause", "1",
        f"examples/{script}.py", *arguments(precision, batch),
    ]  # fmt: skip


def comparisons():
    return [(f"side_by_side {m}", ["tools/side_by_side.py", f"examples/{m}.py", "--batch", str(b)]) for m, b in COST]


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
    p.add_argument("--after", default="", metavar="NAME", help="only recordings that come after this one in the list")
    p.add_argument("--budget", type=float, default=460, help="seconds for everything (default: 460)")
    p.add_argument("--steps-only", action="store_true", help="only the steps of tools/steps.py")
    p.add_argument("--suffix", default="h200", help="end of the file names (default: h200)")
    chosen = p.parse_args()
    from recordings_table import row_of, table

    folder = os.path.join(os.path.abspath(chosen.out), "recordings")
    os.makedirs(folder, exist_ok=True)
    os.chdir(ROOT)
    forked.import_early()
    runner, rows, sides = forked.Runner(chosen.budget), [], []
    jobs = recordings(chosen.steps_only)
    names = [name for name, _ in jobs]
    for name, command in jobs[names.index(chosen.after) + 1 if chosen.after else 0 :]:
        path = os.path.join(os.path.abspath(folder), f"{name}_{chosen.suffix}.json.gz")
        line = [path if part == "OUT" else part for part in command]
        if chosen.only in name and runner.run(name, lambda line=line: forked.python(line)) is not None:
            rows.append(row_of(path))
    for name, command in [] if chosen.steps_only else comparisons():
        if chosen.only in name:
            lines = (runner.run(name, lambda line=command: forked.python(line)) or "").strip().splitlines()
            sides += list(csv.DictReader(lines[-2:]))
    write_csv(os.path.join(folder, "recording_cost.csv"), sides)
    print(table(rows) if rows else "no recording")
    with tarfile.open(os.path.join(os.path.dirname(folder), "recordings.tar"), "w") as tar:
        tar.add(folder, "recordings")
    print(f"{len(rows)} recordings, {len(runner.failed)} jobs failed")
    for failure in runner.failed:
        print(f"record_all: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
