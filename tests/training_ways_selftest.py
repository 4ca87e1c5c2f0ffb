"""tools/judge_training_ways.py and tools/judge_elsewhere.py: names, tables and what the ways do, worked by hand."""

import math
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_elsewhere as elsewhere  # noqa: E402
import judge_new_models as new_models  # noqa: E402
import judge_training_ways as judge  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")
    print(f"ok - {what}")


check("a name's parts", judge.parts(pathlib.Path("low_rank_b8_h200.json.gz")), {"model": "low_rank", "batch": "8", "gpu": "h200"})
with tempfile.TemporaryDirectory() as folder:
    for name in ("a_b64_h200", "a_b8_h200", "b_b4_h100"):
        (pathlib.Path(folder) / f"{name}.json.gz").touch()
    check("the small batch first", [p.name for p in judge.recordings(pathlib.Path(folder), "h200")], ["a_b8_h200.json.gz", "a_b64_h200.json.gz"])

kernels, peak = "another batch, sum of kernels", "another batch, peak of memory"
cases = [new_models.case(kernels, "w", 11.0, 10.0), new_models.case(kernels, "w", 3.0, 4.0), new_models.case(peak, "v", 1.0, 1.0)]
check("by way", list(new_models.signed(cases))[1:], ["| v | - | +0.0 |", "| w | +10.0, -25.0 | - |"])
lines = list(new_models.described("way", "WAYS", "tools/training_ways.py"))
check("each way is described", [len(lines) > 20, "| accumulate | Four micro-batches" in lines[1], lines[1].endswith("| 32, 128 |")], [True, True, True])

check("80 % of five errors", round(elsewhere.factor([0.1, -0.2, 0.3, math.log(2), -5.0]), 9), 2.0)
some = [elsewhere.Case("models", "CPU", "h100", math.log(e), i, math.log(w)) for e, i, w in ((1.5, True, 2), (0.5, False, 3), (1.1, True, 4))]
check("a row", list(elsewhere.rows(some))[1:], ["| models | the CPU | H100 | 3 | 36.7 | -50.0 | 2.00 | 67 % | 3.00 |"])
