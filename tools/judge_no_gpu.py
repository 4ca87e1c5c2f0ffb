#!/usr/bin/env python3
"""Steps recorded without a GPU against the same steps recorded on one: sums of kernels, predicted from shapes and measured.

Records the steps of tools/steps.py with `habitat record --no-gpu` (seconds a step, any machine with PyTorch), predicts each for
the GPU of data/recordings/*_TAG.json.gz and prints a line a step, then a summary.

usage: judge_no_gpu.py [--habitat build/habitat] [--gpu H200-SXM5-141GB] [--tag h200] [--keep FOLDER] [--markdown] [STEP..]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import steps

RECORDINGS = os.path.join(steps.ROOT, "data", "recordings")
WITHIN = 0.20


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--habitat", default=os.path.join(steps.ROOT, "build", "habitat"))
    p.add_argument("--gpu", default="H200-SXM5-141GB")
    p.add_argument("--tag", default="h200")
    p.add_argument("--keep", metavar="FOLDER", help="keep the recordings there, and use those that are there")
    p.add_argument("--markdown", action="store_true", help="the table of docs/recording.md")
    p.add_argument("only", nargs="*", metavar="STEP", help="names of steps (gpt2_b4_bf16) or scripts (gpt2); default: all")
    return p.parse_args()


def record(path, script, precision, batch):
    package = os.path.join(steps.ROOT, "python")
    command = [sys.executable, "-m", "habitat.recording", "--no-gpu", "--quiet", "-o", path]
    command += [os.path.join(steps.EXAMPLES, f"{script}.py"), *steps.arguments(precision, batch)]
    environment = {**os.environ, "PYTHONPATH": package}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])


def predict(habitat, trace, gpu):
    command = [habitat, "predict", trace, "--to", gpu, "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return answer["predictions"][0]


def rows(a, folder):
    for name, script, precision, batch in steps.named_steps():
        recorded = os.path.join(RECORDINGS, f"{name}_{a.tag}.json.gz")
        if (a.only and name not in a.only and script not in a.only) or not os.path.exists(recorded):
            continue
        trace = os.path.join(folder, f"{name}.json.gz")
        if not os.path.exists(trace):
            record(trace, script, precision, batch)
        guess, truth = predict(a.habitat, trace, a.gpu), predict(a.habitat, recorded, a.gpu)
        yield name, guess, truth, guess["kernel_ms"] / truth["kernel_ms"] - 1


def show(a, row):
    name, guess, truth, error = row
    inside = guess["low_ms"] <= truth["busy_ms"] <= guess["high_ms"]
    measured, predicted, percent = truth["kernel_ms"], guess["kernel_ms"], 100 * error
    if a.markdown:
        learned = 100 * guess["coverage"].get("learned", 0)
        cells = [name, f"{measured:.1f}", f"{predicted:.1f}", f"{percent:+.1f}", f"{learned:.0f}", "yes" if inside else "no"]
        print(f"| {' | '.join(cells)} |", flush=True)
    else:
        print(f"{name:28} measured {measured:8.2f} ms  predicted {predicted:8.2f} ms  {percent:+6.1f} %", flush=True)
    return inside


def main():
    a = arguments()
    if a.markdown:
        print("| step | measured ms | predicted ms | error % | learned % | inside the interval |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or scratch
        os.makedirs(folder, exist_ok=True)
        found = [(row, show(a, row)) for row in rows(a, folder)]
    if not found:
        sys.exit("judge_no_gpu: no such step, or no recording of it")
    errors = [abs(row[3]) for row, _ in found]
    near, inside = sum(e <= WITHIN for e in errors), sum(inside for _, inside in found)
    print(f"\n{len(found)} steps: mean error {100 * sum(errors) / len(errors):.1f} %, worst {100 * max(errors):.1f} %,")
    print(f"{near} within {100 * WITHIN:.0f} %, {inside} inside their interval")


if __name__ == "__main__":
    main()
