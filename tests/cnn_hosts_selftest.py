"""tools/cnn_hosts.py: what hosts take at most, worked by hand."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import cnn_hosts as hosts  # noqa: E402

HEAD = "source,model,mode,dtype,gpu,num_gpus,e2e_ms,suite"
ROWS = (
    "ryujaehun,resnet50,inference,fp32,T4,1,40,a", "ryujaehun,resnet50,inference,fp16,T4,1,20,a",
    "ryujaehun,mnasnet0_5,inference,fp32,T4,1,26,a", "ryujaehun,mnasnet0_5,inference,fp16,T4,1,13,a",
    "ryujaehun,squeezenet1_1,inference,fp16,T4,1,7.8,a",
    "ryujaehun,resnet50,inference,fp32,T4,1,44,b", "ryujaehun,squeezenet1_1,inference,fp32,T4,1,26,b",
    "ryujaehun,squeezenet1_1,inference,fp32,T4,2,1,b", "neusight,squeezenet1_1,inference,fp32,T4,1,1,b",
)  # fmt: skip


def check(what, got, wanted):
    if got != wanted and not all(abs(g - w) < 1e-9 for g, w in zip(got, wanted, strict=True)):
        sys.exit(f"not ok - {what}: {got}, want {wanted}")


def row(dtype, measured, total, host, low, high):
    case = {"model": "resnet50", "mode": "inference", "dtype": dtype, "gpu": "T4", "low_ms": str(low), "high_ms": str(high)}
    return case, measured, total, total + 5, host, 0.5


times = hosts.read_measured([HEAD, *ROWS])
machines = times["T4", "inference"]
check("machines of one GPU each, of this source alone", sorted(len(m) for m in machines.values()), [2, 5])
# a: 13 ms / 52 layers is less than 7.8 / 26 and 26 / 52; b: 26 ms / 26 layers
check("least time per layer", [hosts.host_ms(machines[m], "resnet50") for m in "ab"], [53 * 13 / 52, 53.0])
check("no witness", [hosts.host_ms({("resnet50", "fp32"): 1.0}, "resnet50")], [None])
check("medians over machines", hosts.case_of(machines, "resnet50", "fp32"), (42.0, (53 * 13 / 52 + 53) / 2, 0.5))
check("machines that ran it", hosts.case_of(machines, "resnet50", "fp16"), (20.0, 53 * 13 / 52, 0.5))
lines = list(hosts.section([row("fp32", 30, 15, 20, 10, 31), row("fp32", 30, 24, 19, 25, 40), row("fp16", 10, 12, 1, 11, 12)]))
check("two thirds are most", [sum("most of it" in line for line in lines)], [1])
for wanted in (
    "| fp32, the measured host may be most of it | 1 | 50.0 (50) | -50.0 | 100 % | 33.3 (33) | 33.3 (33) |",
    "| fp32, others | 1 | 20.0 (20) | -20.0 | 100 % | 3.3 (3) | 20.0 (20) |",
    "| fp16, others | 1 | 20.0 (20) | +20.0 | 0 % | 70.0 (70) | 20.0 (20) |",
    "| resnet50 | inference | fp32 | T4 | 30.0 | 0.50 | 20.0 | 15.0 | 20.0 | -33.3 |",
):
    check(wanted, [wanted in lines], [True])
print("ok - what hosts take")
