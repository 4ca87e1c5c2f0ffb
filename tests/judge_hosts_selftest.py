"""tools/judge_hosts.py: two made-up hosts, worked by hand. The second is twice as quick in everything: figures tell it exactly, nothing misses it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import judge_hosts as judge  # noqa: E402


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


def of(us):
    return {(host, process): us / (2 if host == "h200" else 1) for host in ("h100", "h200") for process in range(3)}


def main():
    figures = {"launch": of(4.0), "mlp": of(60.0), "mlp_forward": of(20.0)}
    steps = {("a", "fp32", "8"): of(1000.0), ("a", "amp-bf16", "8"): of(1250.0)}
    lines = list(judge.tables(figures, steps))
    check("ratio", lines[0], "2 steps take 2.00 to 2.00 times as long on h100, geometric mean 2.00")
    check("unscaled: 100 % too long, 50 % too short", "| nothing | 100.0 | 50.0 |" in lines, True)
    check("scaled", f"| {judge.OURS} | 0.0 | 0.0 |" in lines, True)
    check("autocast", lines[-1], "| a amp-bf16 (batch 8, fp32 8) | 1.25 | 1.25 |")
    own = judge.with_own(figures)
    check("backward is the rest", own["backward"]["h100", 0], 40.0)
    check("mean of 4, 20 and 40", round(own[judge.OURS]["h100", 0], 9), round(3200 ** (1 / 3), 9))
    pairs = {"a": [(20.0, 10.0, 0.0), (25.0, 10.0, 9.0)], "b": [(40.0, 10.0, 0.0), (30.0, 10.0, 0.0)], "c": [(10.0, 9.9, 0.0), (20.0, 9.9, 50.0)]}
    lines = list(judge.twice(pairs))
    check("25 % longer and 25 % shorter", lines[0], "the same step in another process, the CPU binds: 25.0 % of 2, worst 25.0")
    check("bound by the CPU once alone", lines[1], "the same step in another process, others: 100.0 % of 1, worst 100.0")
    print("ok - figures of hosts")


if __name__ == "__main__":
    main()
