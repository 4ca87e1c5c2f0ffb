"""Trace files: written whole or not at all, stripped without touching a time."""

import copy
import gzip
import json

import pytest
from recording_helpers import read_trace

from habitat.recording import strip, tracefile
from habitat.recording.errors import RecordError


def op(name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": tid, "ts": ts, "dur": dur, "args": args}


def launch(correlation, ts, tid=1, name="cudaLaunchKernel"):
    args = {"External id": 1, "cbid": 211, "correlation": correlation}
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 9, "tid": tid, "ts": ts, "dur": 2.125, "args": args}


def kernel(correlation, ts, dur):
    args = {
        "External id": 1, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": correlation, "registers per thread": 32,
        "shared memory": 4224, "blocks per SM": 380.121216, "warps per SM": 3040.97, "grid": [1568, 1, 32], "block": [256, 1, 1],
        "est. achieved occupancy %": 100,
    }  # fmt: skip
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": args}


@pytest.fixture
def trace():
    """Forward linear (launches) and view (nothing), their backward on thread 2, one question, an event and two waits."""
    shapes = {"Input Dims": [[32, 8]], "Input type": ["float"], "Input Strides": [[8, 1]], "Concrete Inputs": [""]}
    return {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
        "traceName": "/somewhere/private.json",
        "habitat": {"schema": 1},
        "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 1, "ts": 99.5, "dur": 900.25},
            op("aten::linear", 100.001, 50.0, **{"External id": 1, "Record function id": 0, "Ev Idx": 0, **shapes}),
            op("aten::addmm", 110.0, 30.0, **{"External id": 2, "Sequence number": 5, "Fwd thread id": 0, **shapes}),
            launch(21, 120.0),
            kernel(21, 4371707016397.204, 72.128),
            {"ph": "s", "id": 21, "pid": 9, "tid": 1, "ts": 120.0, "cat": "ac2g", "name": "ac2g"},
            launch(22, 125.0, name="cudaGetErrorString"),
            op("aten::view", 160.0, 5.0, **{"External id": 3, "Sequence number": 6, "Fwd thread id": 0}),
            op("aten::select", 170.0, 5.0, **{"External id": 4}),
            {"ph": "s", "id": 1, "pid": 9, "tid": 1, "ts": 110.0, "cat": "fwdbwd", "name": "fwdbwd"},
            {"ph": "f", "id": 1, "pid": 9, "tid": 2, "ts": 300.0, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"},
            op("AddmmBackward0", 300.0, 50.0, 2, **{"External id": 5, "Sequence number": 5, "Fwd thread id": 1}),
            launch(23, 310.0, 2),
            kernel(23, 4371707016497.05, 1.984),
            op("ViewBackward0", 400.0, 5.0, 2, **{"External id": 6, "Sequence number": 6, "Fwd thread id": 1}),
            launch(29, 480.0, name="cudaEventRecordWithFlags"),
            launch(28, 490.0, name="cudaStreamWaitEvent"),
            {
                "ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 13, "ts": 490.5, "dur": 0,
                "args": {"stream": 13, "correlation": 28, "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 29},
            },
            launch(30, 500.0, name="cudaDeviceSynchronize"),
            {"ph": "X", "cat": "python_function", "name": "train.py(3): step", "pid": 9, "tid": 1, "ts": 1.0, "dur": 1.0},
            {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 1.5, "dur": 1.0},
        ],
    }


def kept_names(trace):
    return [e["name"] for e in trace["traceEvents"]]


def test_strip_keeps_the_step_of_the_cpu_and_what_waits_for_what(trace):
    assert kept_names(strip.compact(trace)) == [
        "ProfilerStep#1", "aten::linear", "aten::addmm", "cudaLaunchKernel", "k", "aten::view", "aten::select", "fwdbwd",
        "fwdbwd", "AddmmBackward0", "cudaLaunchKernel", "k", "ViewBackward0", "cudaEventRecordWithFlags",
        "cudaStreamWaitEvent", "Stream Wait Event", "cudaDeviceSynchronize",
    ]  # fmt: skip


def test_strip_keeps_the_forward_partner_of_a_backward_that_launches(trace):
    def numbers(trace):
        return [e["args"].get("Sequence number") for e in strip.compact(trace)["traceEvents"] if e["name"] == "aten::view"]

    assert numbers(trace) == [None]  # neither launches: the pair is of no use
    trace["traceEvents"].append(launch(40, 402.0, 2))
    trace["traceEvents"].append(kernel(40, 500.5, 1.0))
    assert numbers(trace) == [6]


def test_strip_keeps_the_outermost_of_operations_that_launch_nothing(trace):
    shapes = {"Input Dims": [[], []], "Concrete Inputs": ["[32, 8]", "6"], "Input type": ["ScalarList", "Scalar"]}
    asked = {"Input Dims": [[8, 3], []], "Concrete Inputs": ["", "6"], "Input type": ["float", "Scalar"]}
    trace["traceEvents"] += [
        op("aten::t", 600.0, 9.0, **{"Input Dims": [[8, 3]]}),
        op("aten::transpose", 601.0, 5.0, **{"Input Dims": [[8, 3]]}),
        op("aten::empty", 607.0, 2.0, **shapes),  # to the end of the outer one
        op("aten::reshape", 609.0, 1.0),  # begins where the outer one ends
        op("aten::to", 611.0, 1.0, **asked),
    ]
    kept = {e["name"]: e for e in strip.compact(trace)["traceEvents"]}
    assert "aten::t" in kept and "aten::reshape" in kept and "aten::transpose" not in kept
    assert kept["aten::empty"]["args"] == shapes  # what was allocated
    assert kept["aten::to"]["args"] == asked  # a cast, had the step another number format
    assert kept["aten::t"]["args"] == {}


def test_strip_keeps_the_sizes_of_what_the_cpu_works_on_for_long(trace):
    made = {"Input Dims": [[], []], "Concrete Inputs": ["[32, 8]", "6"], "Input type": ["ScalarList", "Scalar"]}
    trace["traceEvents"] += [op("aten::randn", 600.0, 1000.0, **made), op("aten::rand", 1700.0, 999.0, **made)]
    kept = {e["name"]: e for e in strip.compact(trace)["traceEvents"]}
    assert kept["aten::randn"]["args"] == made  # grows with the batch, if that is among them
    assert kept["aten::rand"]["args"] == {}


def test_strip_keeps_times_identifiers_and_geometry(trace):
    before = copy.deepcopy(trace)
    slim = strip.compact(trace)
    assert trace == before  # the input is left alone
    originals = {(e["name"], e["ts"]): e for e in before["traceEvents"]}
    for event in slim["traceEvents"]:
        original = originals[event["name"], event["ts"]]
        for key in ("ts", "dur", "pid", "tid", "id"):
            assert event.get(key) == original.get(key)
        for key, value in event.get("args", {}).items():
            assert value == original["args"][key]
    k = slim["traceEvents"][4]["args"]
    assert set(k) == {"External id", "device", "context", "stream", "correlation", "registers per thread", "shared memory", "grid", "block"}
    assert slim["deviceProperties"] == before["deviceProperties"] and "traceName" not in slim
    assert slim["traceEvents"][1]["args"]["Input Dims"] == [[32, 8]]
    wait = next(e for e in slim["traceEvents"] if e["name"] == "Stream Wait Event")
    assert wait["args"]["wait_on_cuda_event_record_corr_id"] == 29


def test_stripped_times_are_the_same_bits_in_the_file(trace, tmp_path):
    source, target = tmp_path / "in.json", tmp_path / "out.json.gz"
    source.write_text(json.dumps(trace))
    assert strip.main([str(source), str(target)]) == 0
    text = gzip.decompress(target.read_bytes()).decode()
    assert '"ts":4371707016397.204,"dur":72.128' in text and '"ts":100.001' in text
    again = tmp_path / "again.json.gz"
    assert strip.main([str(target), str(again)]) == 0
    assert again.read_bytes() == target.read_bytes()  # stripping twice changes nothing, and bytes are reproducible


def test_strip_of_a_cpu_trace_keeps_its_operations(trace):
    trace["traceEvents"] = [e for e in trace["traceEvents"] if e["cat"] not in ("kernel", "cuda_runtime")]
    assert kept_names(strip.compact(trace)).count("aten::select") == 1


@pytest.mark.parametrize("content, part", [
    (b"not json", "is not JSON"),
    (b"[]", "is not a trace"),
    (b"\x1f\x8b\x08\x00broken", "gzip data is damaged"),
    (b'{"traceEvents": 3}', "is not a trace"),
])  # fmt: skip
def test_strip_refuses_what_is_no_trace(tmp_path, capsys, content, part):
    source = tmp_path / "in.json"
    source.write_bytes(content)
    assert strip.main([str(source), str(tmp_path / "out.json")]) == 3
    err = capsys.readouterr().err
    assert part in err and err.startswith(f"habitat: {source}: ") and err.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_strip_of_a_missing_file_and_wrong_usage(tmp_path, capsys):
    assert strip.main([str(tmp_path / "none"), "x"]) == 3
    assert strip.main(["one"]) == 2
    capsys.readouterr()


def test_write_is_whole_and_readable(tmp_path, trace):
    for name in ("a.json", "a.json.gz"):
        tracefile.write(trace, str(tmp_path / name))
        assert read_trace(tmp_path / name) == trace
    first = (tmp_path / "a.json").read_text().splitlines()[0]
    assert first.startswith('{"habitat":')
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.json.gz"]


def test_write_to_a_folder_that_is_gone(tmp_path, trace):
    with pytest.raises(RecordError) as error:
        tracefile.write(trace, str(tmp_path / "gone" / "a.json"))
    assert error.value.code == 1


@pytest.mark.parametrize("path, expected", [
    ("step.json.gz", "step.rank3.json.gz"),
    ("out/step.json", "out/step.rank3.json"),
    ("step", "step.rank3"),
    (".json", ".json.rank3"),
])  # fmt: skip
def test_rank_is_part_of_the_name(path, expected):
    assert tracefile.rank_path(path, {"RANK": "3", "WORLD_SIZE": "8"}) == expected
    assert tracefile.rank_path(path, {"RANK": "0", "WORLD_SIZE": "1"}) == path
    assert tracefile.rank_path(path, {}) == path
