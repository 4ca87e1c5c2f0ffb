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
# two iterations, each of 3 ms of kernels, 0.25 ms copied within the GPU, 0.5 of sets, 1 ms copied from the host and 0.125 to it
rows = [{"kernel": name, "ms": ms, "iteration": i} for i in (0, 1) for name, ms in (
    ("sgemm", 3.0), ("Memcpy DtoD (Device -> Device)", 0.25), ("Memset (Device)", 0.5), ("Memcpy HtoD (Pageable -> Device)", 1.0),
    ("Memcpy DtoH (Device -> Pinned)", 0.125))]  # fmt: skip
step = {"kernel_ms": 3.0, "copy_ms": 1.875, "by_kernel": rows}
check("all that operations launch counts, but not what the host's link brings", judge.gpu_ms({**step, "busy_ms": 4.875}), 3.875)
check("what runs at the same time counts once", judge.gpu_ms({**step, "busy_ms": 3.5}), 3.5)
check("by model", list(judge.by_model(cases))[1:], ["| m | 50.0 |", "| n | - |"])
