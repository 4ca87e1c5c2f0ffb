"""tools/judge_turns.py: which steps are predicted from which, and its sums, worked by hand."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_turns as turns  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


def step(precision, batch, recorded="", script="a", gpu="NVIDIA H200", groups="10 10 11", ms=10):
    return {"gpu": gpu, "script": script, "precision": precision, "batch": batch, "recorded": recorded, "group_ms": groups, "iteration_ms": str(ms)}


def test_pairs():
    """From fp32: its other batch size and the other formats of its own. From autocast: its other batch size alone. Never another script or GPU."""
    rows = [step("fp32", "2", "r1"), step("fp32", "8"), step("tf32", "2"), step("tf32", "8"), step("amp-bf16", "2", "r2"), step("amp-bf16", "8"),
            step("fp32", "8", script="b"), step("fp32", "8", gpu="NVIDIA H100 80GB HBM3")]  # fmt: skip
    got = [(o["recorded"], t["precision"], t["batch"], kind, more) for o, t, kind, more in turns.pairs(rows)]
    check("pairs", got, [
        ("r1", "fp32", "8", "batch", ["--batch", "8"]), ("r1", "tf32", "2", "tf32", ["--precision", "tf32"]),
        ("r1", "amp-bf16", "2", "amp-bf16", ["--precision", "amp-bf16"]), ("r2", "amp-bf16", "8", "batch", ["--batch", "8"]),
    ])  # fmt: skip


def test_sums():
    """Errors +4 and -10: mean 7, worst 10, bias -3; one of two inside. Without the clock +20 and -30. Sums -40 and -60."""
    rows = [{"error": 4.0, "plain": 20.0, "sum": -40.0, "inside": True, "plain_inside": False}, {"error": -10.0, "plain": -30.0, "sum": -60.0, "inside": False, "plain_inside": False}]
    check("sums", turns.sums("x", rows), "| x | 2 | 7.00 | 10.00 | -3.00 | 50 % | 25.00 | 30.00 | 0 % | 50.00 |")
    found = [{"cpu_bound": bound, "guess": {"cpu_basis": basis}, "error": e, "plain": p} for bound, basis, e, p in
             ((True, "clock", -4.0, 10.0), (True, "clock", 6.0, -30.0), (True, "rule", 90.0, 90.0), (False, "clock", 90.0, 90.0))]  # fmt: skip
    check("steps whose clock counts", turns.counting_line(found),
          "\nOf 2 predictions of steps that the CPU binds, from recordings whose clock counts: 5.0 % off, without the clock 20.0.")  # fmt: skip
    check("reach", round(turns.reach([1.0, 1.0, 1.0, 0.5, 4.0]), 6), 4.0)
    check("spread", turns.spread(step("fp32", "2")), 0.1)


def main():
    test_pairs()
    test_sums()
    print("ok - which steps of one process are predicted from which")


if __name__ == "__main__":
    main()
