"""What the tests of the recorder share: running scripts under it, and reading what it wrote."""

import gzip
import json
import os
import subprocess
import sys
import types

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

SHORT = ("--allow-cpu", "--warmup", "1", "--timed", "2", "--iterations", "2", "--pause", "0")
SHORT_NEEDS = 1 + 2 + 1 + 2
SHORT_WHOLE = SHORT_NEEDS + 2 * (1 + 2)  # with both later groups, each after an iteration that passes

TRAIN = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(STEPS):
    optimizer.zero_grad()
    model(torch.randn(6, 4)).sum().backward()
    optimizer.step()
"""


@pytest.fixture
def clock_ms(monkeypatch):
    """A clock for the stopwatch that stands still until `clock_ms(step)`, or the script through CLOCK_MS, moves it."""
    from habitat.recording import timing

    def move(step_ms):
        os.environ["CLOCK_MS"] = str(float(os.environ["CLOCK_MS"]) + step_ms)

    monkeypatch.setenv("CLOCK_MS", "0")
    clock = types.SimpleNamespace(perf_counter_ns=lambda: int(float(os.environ["CLOCK_MS"]) * 1e6))
    monkeypatch.setattr(timing, "time", clock)
    return move


def read_trace(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as stream:
        return json.load(stream)


def names(trace, category=None):
    return [e["name"] for e in trace["traceEvents"] if e.get("ph") == "X" and category in (None, e.get("cat"))]


def record_script(folder, source, *options, args=(), name="train.py"):
    """Runs the recorder's command line on a script in this process; returns (exit code, output path)."""
    from habitat.recording.cli import main

    script = folder / name
    script.write_text(source)
    output = folder / "step.json.gz"
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    try:
        code = main([*(options or SHORT), "-o", str(output), str(script), *args])
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = before
    return code, output


def recorder_process(folder, *arguments, path=()):
    """Runs `python -m habitat.recording` in a process of its own, in `folder`; `path` goes before the package."""
    import habitat

    package = os.path.dirname(os.path.dirname(habitat.__file__))
    return subprocess.run(
        [sys.executable, "-m", "habitat.recording", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*path, package]), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def no_leftovers(folder):
    """True if no temporary file of the recorder is left in `folder`."""
    return not [entry for entry in os.listdir(folder) if entry.startswith(".habitat-")]


def hooks_in_place():
    """Everything global that a recording may have installed; empty when it cleaned up."""
    import torch
    from torch.nn.modules import module
    from torch.optim import optimizer

    found = []
    for owner, table in (
        (optimizer, "_global_optimizer_pre_hooks"),
        (optimizer, "_global_optimizer_post_hooks"),
        (module, "_global_forward_pre_hooks"),
        (module, "_global_forward_hooks"),
    ):
        found += [f"{table}[{key}]" for key in getattr(owner, table)]
    for owner, method in (
        (torch.amp.GradScaler, "step"),
        (torch.optim.Optimizer, "zero_grad"),
        (torch.nn.Module, "zero_grad"),
        (torch.autograd, "backward"),
        (torch.autocast, "__enter__"),
    ):
        if of_the_package(getattr(owner, method)):
            found.append(method)
    return found


def of_the_package(function):
    """True for a wrapper that the package put around `function`. PyTorch wraps functions too, and functools.wraps copies
    their module's name; where a wrapper was defined, its globals say. Its file's path says nothing: a checkout may have any name."""
    return hasattr(function, "__wrapped__") and function.__globals__["__name__"].split(".")[0] == "habitat"


# Scripts for `habitat record --no-gpu`: a beginning, a model, a loop that the script's own step() is in.
QUICK = ("--no-gpu", "--warmup", "1")

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
"""
LOOP = """
for i in range(9):
    optimizer.zero_grad()
    loss = step()
    loss.backward()
    optimizer.step()
"""


def recorded(folder, body, *options):
    code, output = record_script(folder, HEAD + body, *(options or QUICK))
    assert code == 0
    assert no_leftovers(folder) and hooks_in_place() == []
    return read_trace(output)


def operations(trace):
    """Those of which a GPU has work: not what autograd's engine is around, nor what is made of others."""
    asked = [e for e in trace["traceEvents"] if e["cat"] == "cpu_op" and not e["name"].startswith("autograd::engine")]
    return [e for e in asked if "Input Dims" in e["args"]]


def shapes(trace, name):
    return [tuple(map(tuple, e["args"]["Input Dims"][:2])) for e in operations(trace) if e["name"] == name]


def number_types(trace, name):
    return {e["args"]["Input type"][0] for e in operations(trace) if e["name"] == name}


LINEAR = """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)){to}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
def step():
    return model(torch.randn(6, 4{device})).sum()
"""
