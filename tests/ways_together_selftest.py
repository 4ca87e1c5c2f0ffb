"""tools/judge_ways_together.py and tools/forked.py: names, tables, copies without their time, jobs that wait for each other."""

import contextlib
import gzip
import io
import json
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import forked  # noqa: E402
import judge_ways_together as judge  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")
    print(f"ok - {what}")


def write(path, notes):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({"traceEvents": [], "habitat": notes}, file)


name = judge.parts(pathlib.Path("no_sync_b16_2xh200.rank1.json.gz"))
check("a name's parts", [name[key] for key in ("way", "batch", "gpus", "gpu", "rank")], ["no_sync", "16", "2", "h200", "1"])
with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for file, took, spread in (("a_b4_1xh200", 10.0, 0.01), ("a_b4_2xh200.rank1", 13.0, 0.2), ("a_b4_2xh200.rank0", 12.0, None)):
        write(folder / f"{file}.json.gz", {"iteration_ms": took, "iteration_spread": spread, "batch_size": 4, "cpu_ms_all": [1.0]})
    check("ranks in their order", [path.name[-14:-8] for path in judge.ranks(folder)["a", 2]], [".rank0", ".rank1"])
    with contextlib.redirect_stdout(io.StringIO()) as out:
        judge.measured([folder])
    wanted = ["host,way,batch,gpus,iteration_ms,spread", "1,a,4,1,10.0000,0.01", "1,a,4,2,12.5000,0.2"]
    check("what steps took", out.getvalue().splitlines(), wanted)
    (folder / "copies").mkdir()
    check("a copy without its time", judge.notes(judge.without_time(folder / "a_b4_1xh200.json.gz", folder / "copies")), {"batch_size": 4})

guess = {"iteration_ms": 11.0, "low_ms": 9.0, "high_ms": 11.5, "bound_by": "cpu"}
rows = [judge.Row("w", "x", 2, "1", 10.0, 0.05, guess), judge.Row("v", "x", 4, "2", 22.0, float("nan"), guess)]
lines = list(judge.lines(rows))[1:]
check("a row outside", lines[0], "| v | x | 4 | 2 | 22.00 | - | 11.00 | 9.0..11.5 (outside) | -50.0 | CPU |")
check("a row inside", lines[1], "| w | x | 2 | 1 | 10.00 | 5.0 | 11.00 | 9.0..11.5 | +10.0 | CPU |")
kinds = [line.split(" | ")[0] for line in judge.summary(rows, judge.bound).splitlines()[2:]]
check("hosts that moved apart", kinds, ["| said to be bound by the CPU", "| said to be bound by the CPU, spread above 10 % or not known"])
ways = list(judge.described())
check("each way is described", [len(ways), ways[2][:11], ways[2].endswith("| 16 |")], [16, "| no_sync |", True])


def ends(code, after_s=0.0):
    def job():
        os.write(1, f"{code}\n".encode())
        time.sleep(after_s)
        return code

    return job


forked.AFTER_FAILURE_S = 0.2
runner = forked.Runner(60, limit_s=30)
check("jobs at once", runner.run_together({"a": ends(0), "b": ends(0, 0.1)}), {"a": "0\n", "b": "0\n"})
check("one that fails ends the others", runner.run_together({"c": ends(0, 25), "d": ends(3)}), {"c": None, "d": None})
check("and says why", [line.split(":")[0] for line in runner.failed] + [runner.failed[1][3:9]], ["c", "d", "exit 3"])
