"""tools/judge_unusual_steps.py and judge_full_size_steps.py: tables and what the steps do, worked by hand."""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_full_size_steps as full_size  # noqa: E402
import judge_new_models as new_models  # noqa: E402
import judge_unusual_steps as judge  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")
    print(f"ok - {what}")


check("a GPU by the name of its recording", [new_models.gpu_of(pathlib.Path(f"a_b4_fp8_{of}.json.gz")) for of in ("h100", "h200")], [
    "H100-SXM5-80GB", "H200-SXM5-141GB"])  # fmt: skip
check("one without a GPU", new_models.gpu_of(pathlib.Path("a_b4_fp32.json.gz")), "H200-SXM5-141GB")
check("formats of unusual steps", new_models.parts("words_in_fp8_b2_fp8_h100.json.gz"), {"model": "words_in_fp8", "batch": "2", "precision": "fp8"})

kernels, peak, step = "another batch, sum of kernels", "peak of memory, another batch", "another batch, whole step, said to be bound by the CPU"
cases = [new_models.case(kernels, "w", 11.0, 10.0), new_models.case(kernels, "w", 3.0, 4.0), new_models.case(peak, "v", 1.0, 1.0)]
unknown = new_models.Case(peak, "v", float("nan"), None)
check("what has no answer is left out", list(judge.known([*cases, unknown])), cases)
check("by step", list(new_models.signed([*cases, new_models.case(step, "w", 1.0, 1.0)], judge.is_shown))[1:], ["| v | - | +0.0 |", "| w | +10.0, -25.0 | - |"])
lines = list(new_models.described("step", "STEPS", "tools/unusual_steps.py"))
check("each step is described", [len(lines) > 20, "| words_in_fp8 | A Llama" in lines[1], lines[1].endswith("| 2, 8 |")], [True, True, True])


class Guesses:
    """Stands for `habitat predict`: the batch that was asked for, times a millisecond."""

    def __init__(self):
        self.asked = []

    def __call__(self, _, path, *options, gpu=None):
        self.asked.append((path.name, options, gpu))
        ms = float(options[1])
        return {}, {"kernel_ms": ms, "iteration_ms": 2 * ms, "low_ms": ms, "high_ms": 3 * ms, "bound_by": "gpu"}


with tempfile.TemporaryDirectory() as folder:
    rows = ["recording,kernel_ms,iteration_ms", "a_b1_amp_bf16,1,2", "a_b8_amp_bf16,10,20", "a_b1_tf32,9,9", "b_b2_bf16,1,1"]
    (pathlib.Path(folder) / "measured_h200.csv").write_text("\n".join(rows) + "\n")
    new_models.predict = guesses = Guesses()
    found = list(full_size.other_gpu_and_batch("habitat", pathlib.Path(folder)))
    check("the large batch is asked of the small, where both are of one format", guesses.asked, [
        ("a_b1_amp_bf16_h100.json.gz", ("--batch", "8"), "H200-SXM5-141GB")])  # fmt: skip
    check("and is held against what it took", [(c.model, round(c.error, 6), c.inside) for c in found], [("a", -0.2, None), ("a", -0.2, True)])

    rows = ["gpus,model,iteration_ms,group_ms,recording", "1,a,1,1 1 1,a_h100", "2,a,4,4 4 4.3,a_h100", "2,a,4,4 4 4.5,b_h100"]
    (pathlib.Path(folder) / "measured_ddp_h200.csv").write_text("\n".join(rows) + "\n")
    guesses.asked = []
    found = list(full_size.two_gpus("habitat", pathlib.Path(folder)))
    check("two GPUs are asked of the recording of one, and of that without a GPU", guesses.asked, [
        (f"{name}{tag}.json.gz", ("--gpus", 2), "H200-SXM5-141GB") for name in "ab" for tag in ("_h100", "")])  # fmt: skip
    bound = "two H200s from {}, whole step, said to be bound by the GPU{}"
    check("uneven ones apart", [(c.kind, round(c.error, 6), c.inside) for c in found], [
        (bound.format(of, uneven), 0.0, True) for uneven in ("", ", spread above 10 %") for of in ("one H100", "shapes alone")])  # fmt: skip
