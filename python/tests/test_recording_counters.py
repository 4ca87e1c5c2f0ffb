"""`habitat record --counters`: which kernels are measured, and how the measurements find their kernels."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from recording_helpers import SHORT, TRAIN, read_trace, recorder_process

import habitat
from habitat.recording import counters, tracefile
from habitat.recording.errors import RecordError


def kernel(name, dur, grid=(264, 2, 1), shared=4096):
    args = {"grid": list(grid), "block": [128, 1, 1], "shared memory": shared, "registers per thread": 40}
    return {"ph": "X", "cat": "kernel", "name": name, "dur": dur, "ts": 0, "args": args}


def trace_of(*kernels):
    return {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "args": {}}, *kernels]}


GEMM = 'void gemm<"64">(float*)'  # a quote: keys hold names as JSON
MEASURED = {
    "schema": 1, "chip": "GH100", "passes": 7, "permission": True, "metrics": ["dram__bytes_read.sum"],
    "kernels": [{"name": GEMM, "shared memory": 4096, "grid": [264, 2, 1], "block": [128, 1, 1],
                 "counters": {"dram bytes": 3528, "flop fp32": 18056}}],
}  # fmt: skip


def test_key_is_spelled_as_the_recorder_spells_it():
    expected = r'"name": "void gemm<\"64\">(float*)", "shared memory": 4096, "grid": [264, 2, 1], "block": [128, 1, 1]'
    assert counters.key(kernel(GEMM, 1.0)) == expected
    assert counters.key({"cat": "gpu_memcpy", "args": {}}) is None
    assert counters.key({"cat": "kernel", "name": "no geometry", "args": {}}) is None


def test_selection_by_percentile():
    # Times 1..200: the 99.5th percentile by nearest rank is the 199th, so 199 and 200 are measured.
    trace = trace_of(*(kernel(f"k{i}", float(i)) for i in range(1, 201)))
    assert counters.select(trace) == [counters.key(kernel(f"k{i}", 0)) for i in (199, 200)]
    assert len(counters.select(trace, 0)) == 200
    assert counters.select(trace_of()) == []
    twice = trace_of(kernel("a", 1.0), kernel("a", 2.0), kernel("a", 2.0, grid=(1, 1, 1)))
    assert len(counters.select(twice, 0)) == 2  # a launch configuration of its own is measured on its own


def test_merge_by_name_and_configuration():
    trace = trace_of(kernel(GEMM, 1.0), kernel(GEMM, 2.0), kernel(GEMM, 3.0, grid=(1, 1, 1)), kernel("other", 1.0))
    assert counters.merge(trace, MEASURED, 99.5) == 2
    got = [event["args"].get("dram bytes") for event in trace["traceEvents"]]
    assert got == [None, 3528, 3528, None, None]
    assert trace["habitat"]["counters"]["chip"] == "GH100"
    assert trace["habitat"]["counters"]["percentile"] == 99.5


def second_run(code):
    """A stand-in for the second run of a script: Python code that finds its environment as the recorder would."""
    return [sys.executable, "-c", f"import os, json\nout = os.environ['HABITAT_RECORD_OUT'].replace('%p', '7')\n{code}"]


WRITE = f"""
assert os.environ['HABITAT_RECORD_MODE'] == 'counters'
assert os.environ['CUDA_INJECTION64_PATH'] == '/lib/recorder.so'
selected = open(os.environ['HABITAT_COUNTERS_SELECT']).read().splitlines()
assert len(selected) == 2, selected
open(out, 'w').write({json.dumps(json.dumps(MEASURED))})
"""


@pytest.mark.parametrize("name", ["step.json", "step.json.gz"])
def test_counters_are_added_to_a_trace(tmp_path, name):
    path = str(tmp_path / name)
    tracefile.write(trace_of(kernel(GEMM, 1.0), kernel("other", 1.0)), path)
    merged, message = counters.add(path, second_run(WRITE), 0, library="/lib/recorder.so")
    assert (merged, message) == (1, "")
    assert read_trace(path)["traceEvents"][1]["args"]["flop fp32"] == 18056
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_without_permission_the_trace_stays_as_it_is(tmp_path):
    path = str(tmp_path / "step.json")
    tracefile.write(trace_of(kernel(GEMM, 1.0)), path)
    before = open(path, "rb").read()
    empty = json.dumps(json.dumps({**MEASURED, "kernels": []}))
    code = f"""
open(out, 'w').write({empty})
open(out.replace('.json', '.status'), 'w').write('message no permission for hardware counters\\nwritten 1\\n')
"""
    assert counters.add(path, second_run(code), 0, library="x") == (0, "no permission for hardware counters")
    assert counters.add(path, second_run("raise SystemExit(5)"), 0, library="x") == (
        0, "the second run failed (exit code 5)")  # fmt: skip
    assert counters.add(path, second_run(""), 0, library="x") == (0, "the second run used no GPU")
    assert open(path, "rb").read() == before


def test_no_recorder_library(tmp_path, monkeypatch):
    monkeypatch.setenv("HABITAT_RECORDER", str(tmp_path / "missing.so"))
    merged, message = counters.add(str(tmp_path / "t.json"), ["true"])
    assert merged == 0 and "HABITAT_RECORDER" in message


def test_the_second_run_stops_after_the_warm_up_and_writes_nothing(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(TRAIN.replace("STEPS", "10**9"))
    monkeypatch.setenv("HABITAT_RECORD_MODE", "counters")
    done = recorder_process(tmp_path, *SHORT, "train.py")
    assert (done.returncode, done.stdout) == (0, "")
    assert [p.name for p in tmp_path.iterdir()] == ["train.py"]


def test_both_runs_from_the_command_line(tmp_path, monkeypatch):
    # Without a GPU there are no kernels to measure: the trace is kept, and the reason is said.
    (tmp_path / "train.py").write_text(TRAIN.replace("STEPS", "10**9"))
    (tmp_path / "recorder.so").write_text("")
    monkeypatch.setenv("HABITAT_RECORDER", str(tmp_path / "recorder.so"))
    done = recorder_process(tmp_path, *SHORT, "--counters", "-o", "step.json", "train.py")
    assert done.returncode == 0
    assert done.stderr.endswith("habitat: step.json: no counters: the trace holds no kernels\n")
    assert read_trace(tmp_path / "step.json")["habitat"]["schema"] == 1
    refused = recorder_process(tmp_path, "--counters-percentile", "101", "train.py")
    assert refused.returncode == 2 and "percentile" in refused.stderr
    refused = recorder_process(tmp_path, "--counters-percentile", "50", "train.py")
    assert refused.returncode == 2 and "--counters-percentile goes with --counters" in refused.stderr


def test_an_output_that_is_no_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordError, match="is no file"):
        tracefile.check_writable(str(tmp_path / "pipe"))
    tracefile.check_writable(str(tmp_path / "new.json"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_script_too(tmp_path, number):
    """The runs are processes of their own: one that goes on would keep the GPU."""
    (tmp_path / "train.py").write_text("import os, time\nopen('ready.part', 'w').write(str(os.getpid()))\n"
                                       "os.rename('ready.part', 'ready')\ntime.sleep(600)\n")  # fmt: skip
    package = os.path.dirname(os.path.dirname(habitat.__file__))
    recorder = subprocess.Popen(
        [sys.executable, "-m", "habitat.recording", "--counters", "--allow-cpu", "train.py"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": package}, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not (tmp_path / "ready").exists() and recorder.poll() is None:
        time.sleep(0.05)
    script = int((tmp_path / "ready").read_text())
    recorder.send_signal(number)
    recorder.communicate()
    assert recorder.returncode == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(script, 0)
    assert sorted(os.listdir(tmp_path)) == ["ready", "train.py"]
