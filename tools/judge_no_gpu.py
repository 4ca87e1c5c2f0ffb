#!/usr/bin/env python3
"""Steps recorded without a GPU against the same steps recorded on one: whole iterations, predicted from shapes and recorded without a
profiler, and beside them the sums of their kernels (with sets and copies within the GPU: judge_new_models.gpu_ms).

Predicts the steps of tools/steps.py from their recordings in data/recordings/without_gpu for the GPU of
data/recordings/*_TAG.json.gz, and prints a line a step, then a summary. A recording that is missing is made with
`habitat record --no-gpu` (seconds a step, any machine with PyTorch): --keep an empty folder makes all of them anew.

With --hosts each step instead as other hosts took it, too (data/recordings/*/measured_turns*.csv, other_hosts/measured_alone*.csv): answers
against the median of all.

usage: judge_no_gpu.py [--habitat build/habitat] [--gpu H200-SXM5-141GB] [--tag h200] [--keep FOLDER] [--markdown|--hosts] [STEP..]
"""

import argparse
import csv
import glob
import gzip
import json
import os
import statistics
import subprocess
import sys

import judge_new_models
import steps

sys.path.insert(0, os.path.join(steps.ROOT, "python"))

from habitat.recording import timing  # noqa: E402

RECORDINGS = os.path.join(steps.ROOT, "data", "recordings")
WITHIN = 0.20
UNEVEN = 0.10  # recorded iterations whose timed groups differ by more are listed apart


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--habitat", default=os.path.join(steps.ROOT, "build", "habitat"))
    p.add_argument("--gpu", default="H200-SXM5-141GB")
    p.add_argument("--tag", default="h200")
    p.add_argument("--keep", metavar="FOLDER", default=os.path.join(RECORDINGS, "without_gpu"), help="recordings: those there are used, others made")
    p.add_argument("--markdown", action="store_true", help="as a table")
    p.add_argument("--hosts", action="store_true", help="beside what other hosts took")
    p.add_argument("only", nargs="*", metavar="STEP", help="names of steps (gpt2_b4_bf16) or scripts (gpt2); default: all")
    return p.parse_args()


def record(path, script, precision, batch):
    package = os.path.join(steps.ROOT, "python")
    command = [sys.executable, "-m", "habitat.recording", "--no-gpu", "--quiet", "-o", path]
    command += [f"examples/{script}.py", *steps.arguments(precision, batch)]
    environment = {**os.environ, "PYTHONPATH": package}
    done = subprocess.run(command, cwd=steps.ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])


def predict(habitat, trace, gpu, *more):
    command = [habitat, "predict", trace, "--to", gpu, "--json", *more]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return answer["predictions"][0]


def spread(recorded):
    """How far the medians of the groups timed after the profiler differ, by the median before it."""
    with gzip.open(recorded, "rt", encoding="utf-8") as stream:
        return timing.spread(timing.groups_of(json.load(stream)["habitat"])) or 0


def rows(habitat, gpu, tag, folder, only=()):
    """(name, script, prediction from shapes, replay of the recorded step, error of the iteration, of the sum of kernels, spread of the recorded
    iterations) of each step."""
    for name, script, precision, batch in steps.named_steps():
        recorded = os.path.join(RECORDINGS, f"{name}_{tag}.json.gz")
        if (only and name not in only and script not in only) or not os.path.exists(recorded):
            continue
        trace = os.path.join(folder, f"{name}.json.gz")
        if not os.path.exists(trace):
            record(trace, script, precision, batch)
        guess, truth = predict(habitat, trace, gpu), predict(habitat, recorded, gpu, "--by", "kernel")
        of_iteration, of_sum = guess["iteration_ms"] / truth["iteration_ms"] - 1, guess["kernel_ms"] / judge_new_models.gpu_ms(truth) - 1
        yield name, script, guess, truth, of_iteration, of_sum, spread(recorded)


def is_inside(row):
    guess, truth = row[2:4]
    return guess["low_ms"] <= truth["iteration_ms"] <= guess["high_ms"]


def figures(found, at):
    """mean, worst, whose, how many within 20 %: of errors [%] at place `at` of rows."""
    worst = max(found, key=lambda row: abs(row[at]))
    mean, near = sum(abs(row[at]) for row in found) / len(found), sum(abs(row[at]) <= WITHIN for row in found)
    return f"{100 * mean:.1f}", f"{100 * worst[at]:+.1f}", worst[0], str(near)


def table(habitat):
    """By model, for docs/recording.md."""
    five = "{}mean error % | worst % | step of it | within 20 %"
    heads = ["model", "steady steps", five.format("iterations: ") + " | inside the interval", "uneven steps", five.format("iterations: ") + " | inside the interval", "steps",
             five.format("sums of kernels: ")]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |"]
    lines.append("|---" * (lines[0].count("|") - 1) + "|")
    found = list(rows(habitat, "H200-SXM5-141GB", "h200", os.path.join(RECORDINGS, "without_gpu")))
    for script in dict.fromkeys(row[1] for row in found):
        some = [row for row in found if row[1] == script]
        cells = [script]
        for part in ([row for row in some if row[6] <= UNEVEN], [row for row in some if row[6] > UNEVEN]):
            cells += [str(len(part)), *(figures(part, 4) if part else [""] * 4), str(sum(map(is_inside, part))) if part else ""]
        cells += [str(len(some)), *figures(some, 5)]
        lines.append(f"| {' | '.join(cells)} |")
    far = sorted((row for row in found if abs(row[4]) > WITHIN), key=lambda row: row[0])
    words = ", ".join(f"{row[0]} {100 * row[4]:+.0f} %{' (uneven)' if row[6] > UNEVEN else ''}" for row in far)
    lines.append(f"\nIterations beyond 20 % are {len(far)} of {len(found)}: {words}." if far else f"\nNo iteration of {len(found)} is beyond 20 %.")
    return "\n".join([*lines, "", *table_of_hosts(found)])


def table_of_hosts(found):
    """The same iterations against the median of all sessions on this kind of GPU, of those that two others timed at least."""
    keys, times = {name: key for name, *key in steps.named_steps()}, other_hosts("h200")
    middles = {row[0]: statistics.median([row[3]["iteration_ms"], *times.get(tuple(keys[row[0]]), [])]) for row in found}
    beside = [(*row[:4], row[2]["iteration_ms"] / middles[row[0]] - 1) for row in found if len(times.get(tuple(keys[row[0]]), [])) > 1]
    yield "| model, against the median of hosts | steps | iterations: mean error % | worst % | step of it | within 20 % | inside the interval |"
    yield "|---|---|---|---|---|---|---|"
    for script in dict.fromkeys(row[1] for row in beside):
        some = [row for row in beside if row[1] == script]
        inside = sum(row[2]["low_ms"] <= middles[row[0]] <= row[2]["high_ms"] for row in some)
        yield f"| {' | '.join([script, str(len(some)), *figures(some, 4), str(inside)])} |"


def other_hosts(tag):
    """{(script, precision, batch size): iterations [ms]} of steps that were timed on a GPU of this kind besides, a time a session."""
    times = {}
    found = glob.glob(os.path.join(RECORDINGS, "*", "measured_turns*.csv"))
    for path in sorted([*found, *glob.glob(os.path.join(RECORDINGS, "other_hosts", "measured_alone*.csv"))]):
        with open(path, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if tag.upper() in row["gpu"]:
                    times.setdefault((row["script"], row["precision"], int(row["batch"])), []).append(float(row["iteration_ms"]))
    return times


def show_hosts(a):
    """Each step on all hosts, then how far answers are from the recorded ones and from the median, of steps that the CPU bound there."""
    keys, times = {name: key for name, *key in steps.named_steps()}, other_hosts(a.tag)
    found = {True: [], False: []}
    for name, _, guess, truth, error, *_ in rows(a.habitat, a.gpu, a.tag, os.path.abspath(a.keep), a.only):
        recorded, others = truth["iteration_ms"], times.get(tuple(keys[name]), [])
        middle, apart = statistics.median([recorded, *others]), max(recorded, *others, 0) / min([recorded, *others]) - 1
        off = guess["iteration_ms"] / middle - 1
        found[middle > 1.1 * truth["busy_ms"]].append((apart, error, off))
        elsewhere = " ".join(f"{t:.1f}" for t in others) or "-"
        print(f"{name:26} predicted {guess['iteration_ms']:6.1f} ms, recorded {recorded:6.1f} ({100 * error:+4.0f} %), elsewhere {elsewhere} "
              f"(hosts {100 * apart:.0f} % apart, answer {100 * off:+.0f} % from their median)", flush=True)  # fmt: skip
    for by_cpu, what in ((False, "bound by their GPU"), (True, "bound by their CPU")):
        some = found[by_cpu]
        if some:
            apart, errors, offs = zip(*some)
            print(f"\n{len(some)} {what}: hosts {100 * min(apart):.0f} to {100 * max(apart):.0f} % apart, median {100 * statistics.median(apart):.0f}; answers "
                  f"{100 * min(errors):+.0f} to {100 * max(errors):+.0f} % from the recorded iteration, {100 * min(offs):+.0f} to {100 * max(offs):+.0f} % from the median")  # fmt: skip


def show(a, row):
    name, _, guess, truth, error, of_sum, _ = row
    measured, predicted, percent = truth["iteration_ms"], guess["iteration_ms"], 100 * error
    if a.markdown:
        learned = 100 * guess["coverage"].get("learned", 0)
        cells = [name, f"{measured:.1f}", f"{predicted:.1f}", f"{percent:+.1f}", f"{100 * of_sum:+.1f}", f"{learned:.0f}", "yes" if is_inside(row) else "no"]
        print(f"| {' | '.join(cells)} |", flush=True)
    else:
        print(f"{name:28} measured {measured:8.2f} ms  predicted {predicted:8.2f} ms  {percent:+6.1f} %  sum of kernels {100 * of_sum:+6.1f} %", flush=True)


def main():
    a = arguments()
    if a.hosts:
        return show_hosts(a)
    if a.markdown:
        print("| step | measured ms | predicted ms | error % | of the sum % | learned % | inside the interval |\n|---|---|---|---|---|---|---|")
    os.makedirs(a.keep, exist_ok=True)
    found = []
    for row in rows(a.habitat, a.gpu, a.tag, os.path.abspath(a.keep), a.only):
        show(a, row)
        found.append(row)
    if not found:
        sys.exit("judge_no_gpu: no such step, or no recording of it")
    for what, at in (("iterations", 4), ("sums of kernels", 5)):
        mean, worst, name, near = figures(found, at)
        print(f"\n{len(found)} {what}: mean error {mean} %, worst {worst} % ({name}), {near} within {100 * WITHIN:.0f} %")
    print(f"\n{sum(map(is_inside, found))} iterations inside their interval")


if __name__ == "__main__":
    main()
