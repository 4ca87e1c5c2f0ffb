"""tools/iteration_goals.py: verdicts on either side of what is asked, worked by hand, and a table that is missing is an error."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import iteration_goals as goals  # noqa: E402

ORIGIN = ("| replay | steps | mean | median | worst | bias | inside |\n|---|--:|--:|--:|--:|--:|--:|\n"
          "| calibrated with its own time | 4 | 0.00 | 0.00 | {own} | +0.00 | - |\n"
          "| its time withheld, GPU-bound | 2 | {mean} | 1.00 | 2.00 | +0.00 | - |\n\n")  # fmt: skip
STEPS = ("| recording | measured | spread | busy | CPU calibrated | withheld | interval | error |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
         "| a | 10.00 | 0 % | 9.50 | (GPU binds) | 10.10 | 9.00..11.00 | +1.0 |\n"  # within 1.5 %
         "| b | 10.00 | 0 % | 9.50 | (GPU binds) | 9.80 | 9.00..11.00 | -2.0 |\n"  # not
         "| c | 20.00 | 0 % | 9.50 | 20.00 | 21.00 | 18.00..27.00 | +5.0 |\n"  # CPU-bound, inside 1.5
         "| d | 30.00 | 0 % | 9.50 | 30.00 | 21.00 | 18.00..{high} | -30.0 |\n\n")  # fmt: skip
MODELS = ("| model | another batch: steps | mean | worst | amp-bf16 from fp32: steps | mean | worst |\n|---|--:|--:|--:|--:|--:|--:|\n"
          "| a | 2 | 9.00 | 20.00 | 0 | | |\n| b | 6 | 5.00 | {worst} | 0 | | |\n\n"
          "| model, whole steps | another batch: steps | mean | worst |\n|---|--:|--:|--:|\n"
          "| a | 1 | 8.01 | 9.00 |\n| b | 0 | | |\n\n"
          "| model, spread steps | another batch: steps | mean | worst |\n|---|--:|--:|--:|\n"
          "| a | 0 | | |\n| b | 2 | 30.00 | 40.00 |\n\n")  # fmt: skip


def verdicts(lines):
    return [text.split("|")[-2].strip(" *") for text in lines]


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


def test_order():
    """A source of the goals is written before they are read from it."""
    lines = (ROOT / "tools/evaluate.sh").read_text().splitlines()
    at = [i for i, text in enumerate(lines) if "tools/shown.py" in text or "tools/iteration_goals.py" in text]
    check("recording.md before its reader", "shown.py" in lines[at[0]] and "docs/recording.md" in lines[at[0]], True)


def main():
    test_order()
    page = ORIGIN.format(own="1.00", mean="1.50") + STEPS.format(high="27.00")
    lines = list(goals.replay(page))
    check("at the limit", verdicts(lines), ["met", "met, partly seen", "missed", "missed"])
    check("one of two steps within 1.5 %", "| 1 of 2; worst 2.00 % |" in lines[2], True)
    check("one of two inside", "| 1 of 2 (50.0 %), widest 1.50 |" in lines[3], True)
    page = ORIGIN.format(own="1.01", mean="1.51") + STEPS.format(high="30.00")
    check("beyond it; inside, but too wide", verdicts(goals.replay(page)), ["missed"] * 4)
    # (2 * 9 + 6 * 5) / 8 = 6
    lines = list(goals.scaled_lines(MODELS.format(worst="25.00"), "batch", 1, ["a", "b"], 8))
    check("pooled met, a model by itself not", verdicts(lines), ["met, partly seen", "missed", "missed", "missed", "-"])
    check("pooled", "| mean 6.00, worst 25.00 % of 8 |" in lines[0] and "| 1 of 2; mean of a 9.00 % |" in lines[1], True)
    check("whole steps", "sum of kernels" in lines[0] and "whole iteration" in lines[2] and "| mean 8.01, worst 9.00 % of 1 |" in lines[2], True)
    check("uneven ones apart", "| listed apart | mean 30.00, worst 40.00 % of 2 |" in lines[4], True)
    check("a worst too far", verdicts(goals.scaled_lines(MODELS.format(worst="25.01"), "batch", 1, ["b"], 8)), ["missed", "missed", "-"])
    rows = [["a_h200 (CPU)"], ["b_h200 (CPU, spread)"], ["c_h200 (spread)"], ["d_h200"]]
    near, far = goals.spread_apart(rows)
    check("steps of uneven groups", (near, far), ([rows[0], rows[3]], [rows[1], rows[2]]))
    done = subprocess.run([sys.executable, "-c", "import iteration_goals as g; list(g.replay(''))"], cwd=ROOT / "tools", capture_output=True, text=True, check=False)
    check("no table", (done.returncode, done.stderr.strip()), (1, "iteration_goals: no table with the columns replay, steps"))
    print("ok - verdicts of docs/iteration.md")


if __name__ == "__main__":
    main()
