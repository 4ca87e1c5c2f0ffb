"""The recordings of the repository: complete, small, and described by the page that is generated from them."""

import glob
import importlib
import os

import pytest
from recording_helpers import ROOT, read_trace

FILES = sorted(glob.glob(os.path.join(ROOT, "data", "recordings", "*.json.gz")))


def test_all_of_them_are_there_and_small(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    recordings = importlib.import_module("record_all").recordings
    expected = {f"{name}_h200.json.gz" for name, _ in recordings()}
    expected |= {f"{name}_h100.json.gz" for name, _ in recordings(steps_only=True)}
    assert {os.path.basename(path) for path in FILES} == expected
    assert sum(os.path.getsize(path) for path in FILES) < 20e6


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_recording_is_complete(path):
    trace = read_trace(path)
    about, events = trace["habitat"], trace["traceEvents"]
    gpu = {"h100": "NVIDIA H100 80GB HBM3", "h200": "NVIDIA H200"}[os.path.basename(path).split(".json")[0][-4:]]
    assert about["schema"] == 1 and about["gpu"] == gpu
    assert "/" not in about["command"].replace("examples/", "").replace("tools/", "")  # no folder of the machine
    times = about["iteration_ms_all"]
    assert sum(about.get("iteration_ms_groups", [10])) == len(times) and min(times) <= about["iteration_ms"] <= max(times)
    assert f"_b{about['batch_size']}_" in os.path.basename(path)
    assert about["peak_memory_bytes"] > 1e8
    assert "traceName" not in trace and "host_name" not in trace
    kernels = [e for e in events if e.get("cat") == "kernel"]
    launches = {e["args"]["correlation"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    assert kernels and all(k["args"]["correlation"] in launches for k in kernels)
    assert all(k["dur"] > 0 and len(k["args"]["grid"]) == 3 for k in kernels)
    steps = [e for e in events if e["name"].startswith("ProfilerStep#")]
    assert len(steps) == about["profiled_iterations"]


def test_page_says_what_the_traces_say(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    with open(os.path.join(ROOT, "docs", "recordings.md"), encoding="utf-8") as stream:
        assert stream.read() == importlib.import_module("recordings_table").page()
