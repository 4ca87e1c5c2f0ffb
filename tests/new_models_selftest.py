"""tools/judge_new_models.py: which recording stands for which, and the tables, worked by hand."""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_new_models as judge  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")
    print(f"ok - {what}")


names = ("a_b_b4_fp32_h200", "a_b_b16_fp32_h200", "a_b_b4_tf32_h200", "a_b_b4_amp_bf16_h200", "c_b4_fp32_h200")
check("a name's parts", judge.parts("a_b_b16_amp_bf16_h200.json.gz"), {"model": "a_b", "batch": "16", "precision": "amp_bf16"})
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        (pathlib.Path(folder) / f"{name}.json.gz").touch()
    found = sorted((kind, one.name[:-8], other.name[:-8], *options) for kind, one, other, options in judge.pairs(pathlib.Path(folder)))
check("pairs of one model alone", found, [
    ("amp-bf16 from fp32", names[0], names[3], "--precision", "amp-bf16"),
    ("another batch", names[1], names[0], "--batch", "4"),
    ("another batch", names[0], names[1], "--batch", "16"),
    ("tf32 from fp32", names[0], names[2], "--precision", "tf32"),
])  # fmt: skip

ends = {"low_ms": 9.0, "high_ms": 12.0}
cases = [judge.case("whole", "m", 10.0, 8.0, ends), judge.case("whole", "n", 9.0, 10.0, ends), judge.case("sum of kernels", "m", 3.0, 2.0)]
check("an error and its interval", cases[0], judge.Case("whole", "m", 0.25, False))
check("without an interval", cases[2].inside, None)
check("the summary", list(judge.summary(cases))[1:], [
    "| whole | 2 | 17.5 | 17.5 | +25.0 (m) | +7.5 | 50 % |",
    "| sum of kernels | 1 | 50.0 | 50.0 | +50.0 (m) | +50.0 | - |",
])  # fmt: skip
check("kernels at the same time count once", (judge.gpu_ms({"kernel_ms": 5.0, "busy_ms": 4.0}), judge.gpu_ms({"kernel_ms": 3.0, "busy_ms": 4.0})), (4.0, 3.0))
check("by model", list(judge.by_model(cases))[1:], ["| m | 50.0 |", "| n | - |"])
