"""tools/ordered_bound.py: widths and bounds of small steps, worked by hand."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import ordered_bound as bound  # noqa: E402

ABOVE = {("big", "small")}
FLOOR = bound.FLOOR  # 1.0609


def check(what, got, wanted, near=1e-9):
    same = got == wanted if isinstance(wanted, (bool, tuple, set)) else all(abs(g - w) < near for g, w in zip(got, wanted, strict=True))
    if not same:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


def gpu(sms, peak, sustained):
    rates = {"fp32": peak, "fp16": None}
    return {"sm_count": sms, "boost_clock_hz": 1, "l2_bytes": 1, "memory_bandwidth_bytes_per_s": 1,
            "peak": {"matrix_flop_per_s": rates, "plain_flop_per_s": rates},
            "sustained": {"bandwidth_bytes_per_s": 1, "matrix_flop_per_s": rates, "plain_flop_per_s": {"fp32": sustained, "fp16": None}}}  # fmt: skip


def test_dominance():
    gpus = {"big": gpu(30, 12, 11), "small": gpu(28, 11, 11.3)}
    check("more on the data sheet", bound.dominated(gpus, every=False), ABOVE)
    check("but less of one sustained rate", bound.dominated(gpus, every=True), set())


def test_widths():
    step = {"big": 3.0, "small": 2.0}  # the bigger was measured 1.5 times slower
    check("both held: 1.5 less the 2 % on both", bound.widths(step, ("big", "small"), ABOVE), [1.5 / 1.02] * 2)
    check("one held", bound.widths(step, ("big",), ABOVE), [FLOOR] * 2)
    check("none held", bound.widths(step, (), ABOVE), [FLOOR] * 2)
    check("as it should be", bound.widths({"big": 2.0, "small": 3.0}, ("big", "small"), ABOVE), [FLOOR] * 2)
    # the outer two contradict each other: the one between must reach as far, though nothing is asked of it
    chain = {("a", "b"), ("b", "c"), ("a", "c")}
    check("between", bound.widths({"a": 3.0, "b": 2.5, "c": 2.0}, ("a", "c"), chain), [1.5 / 1.02, 1.5 / 1.02**2, 1.5 / 1.02])


def test_inverted():
    steps = {("x",): {"big": 3.0, "small": 2.0}, ("y",): {"big": 2.03, "small": 2.0}, ("z",): {"big": 3.0}}
    check("by more than 2 %", tuple(row[1:] for row in bound.inverted(steps, ABOVE)), ((("x",), "big", "small"),))


def test_bounds():
    steps = {name: {"big": 3.0, "small": 2.0} for name in ("x", "y")}
    check("all four held", bound.bounds(steps, ABOVE, 1.0), [4, 1.5 / 1.02, 1.5 / 1.02])
    # three of four: one step is held whole and wide, the other has one card outside; the median is the mean of floor and wide
    check("three of four", bound.bounds(steps, ABOVE, 0.75), [3, (FLOOR + 1.5 / 1.02) / 2, 1.5 / 1.02])
    check("half", bound.bounds(steps, ABOVE, 0.5), [2, FLOOR, FLOOR])


def test_spread():
    rows = [{"measured_ms": str(ms), "predicted_ms": "1"} for ms in (1.0, 1.2, 1.5, 9.0)]
    check("three of four within 1.5", [bound.spread_of_predictions(rows, 0.75)], [1.5])


def test_page():
    gpus = {"big": gpu(30, 12, 11), "small": gpu(28, 11, 11.3)}
    rows = [{"model": name, "mode": "m", "recorded": "r", "gpu": card, "measured_ms": ms, "predicted_ms": "2"} for name in ("x", "y")
            for card, ms in (("big", "3"), ("small", "2"))]  # fmt: skip
    page = "\n".join(bound.page(rows, gpus))
    check("by everything nothing is dominated", "| 0 | 0 | 1.00: - over -, - | 3 of 4 (75 %) | 1.06 | 1.06 |" in page, True)
    # the median is (1.0609 + 1.5 / 1.02) / 2 where three are held
    check("by the data sheet", "| 2 | 2 | 1.50: big over small, y m r | 3 of 4 (75 %) | 1.27 | 1.47 |" in page, True)
    check("above what was asked", "Not all of these are within the 1.3" in page, True)


for test in (test_dominance, test_widths, test_inverted, test_bounds, test_spread, test_page):
    test()
print("ok - bounds of intervals by contradicting measurements, worked by hand")
