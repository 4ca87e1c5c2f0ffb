"""Recordings without a GPU beside a calibration of the host that they are for (`habitat predict --host`): docs/decisions/0623 on standard output.

usage: judge_own_host.py HABITAT

First what a calibration of the middle of hosts would say: figures of two hosts (data/recordings/measured_hosts.csv), over how much longer
than the CPU's table says the steps take that were measured beside them. Then the test of it: steps of tools/steps.py on another host
(other_hosts/measured_alone_2.csv), predicted with and without its calibration (other_hosts/host_2.json).
"""

import csv
import math
import pathlib
import statistics
import sys

import judge_hosts
import judge_new_models as judge
import steps

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "data/recordings"
LAYERS = 24  # of the network that `calibrate` takes: three kinds, eight of each
FIGURES = ("launch", "forward", "backward")


def guess_of(habitat, script, precision, *options):
    """The prediction from a recording without a GPU, whose operations are those of any batch size."""
    names = [name for name, *step in steps.named_steps() if step[:2] == [script, precision]]
    paths = [path for path in (RECORDINGS / "without_gpu" / f"{name}.json.gz" for name in names) if path.exists()]
    return judge.predict(habitat, paths[0], *options, gpu="H200-SXM5-141GB")[1] if paths else None


def middle(habitat):
    """A line a process: by how much steps take longer than the table, and each figure over that; then the means."""
    figures, measured = judge_hosts.read(RECORDINGS / "measured_hosts.csv")
    of = {place: (figures["launch"][place], figures["mlp_forward"][place] / LAYERS, (figures["mlp"][place] - figures["mlp_forward"][place]) / LAYERS)
          for place in figures["launch"]}  # fmt: skip
    guesses = {step: guess_of(habitat, *step[:2]) for step in measured}
    over = []
    for place, values in of.items():
        longer = statistics.median(times[place] / 1e3 / guesses[step]["cpu_ms"] for step, times in measured.items() if guesses[step])
        over.append([value / longer for value in values])
        yield f"{place[0]}, process {place[1]}: {longer:.2f} of the table; {', '.join(f'{name} {value / longer:.2f} us' for name, value in zip(FIGURES, values))}"
    means = (math.exp(statistics.fmean(map(math.log, column))) for column in zip(*over))
    yield f"middle: {', '.join(f'{name} {value:.2f} us' for name, value in zip(FIGURES, means))}"


def test(habitat):
    """A line a step: what it took, and errors without and with the host's calibration; then the means."""
    keys = {(script, precision, batch): name for name, script, precision, batch in steps.named_steps()}
    options = {"without": (), "with": ("--host", RECORDINGS / "other_hosts/host_2.json")}
    errors, inside = {what: [] for what in options}, dict.fromkeys(options, 0)
    with open(RECORDINGS / "other_hosts/measured_alone_2.csv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            name, took = keys[row["script"], row["precision"], int(row["batch"])], float(row["iteration_ms"])
            for what, more in options.items():
                guess = judge.predict(habitat, RECORDINGS / "without_gpu" / f"{name}.json.gz", *more, gpu="H200-SXM5-141GB")[1]
                errors[what].append(guess["iteration_ms"] / took - 1)
                inside[what] += guess["low_ms"] <= took <= guess["high_ms"]
            yield f"{name}: {took:.2f} ms, " + ", ".join(f"{what} {100 * found[-1]:+.1f} %" for what, found in errors.items())
    for what, found in errors.items():
        yield (f"{what} the host's calibration: mean error {100 * statistics.fmean(map(abs, found)):.1f} %, bias {100 * statistics.fmean(found):+.1f}, "
               f"worst {100 * max(found, key=abs):+.1f}, {inside[what]} of {len(found)} inside")  # fmt: skip


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join([*middle(sys.argv[1]), *test(sys.argv[1])]))


if __name__ == "__main__":
    main()
