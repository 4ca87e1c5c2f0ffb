"""Checks a JSON output of habitat against the contract: usage: predicted.py KIND < output.json
The keys of `predict --json` may grow, never shrink; unknown is null, never NaN."""

import json
import math
import sys

TRACE = "file sha256 gpu iterations iteration_ms iteration_source kernel_ms kernels operations batch_size".split()
PREDICTION = (
    "gpu method iteration_ms low_ms high_ms busy_ms kernel_ms bound_by memory_bytes fits coverage by_class ratio "
    "samples_per_s".split()
)


def refuse(constant):
    raise ValueError(f"{constant} is no JSON number")


def need(keys, where, name):
    missing = [key for key in keys if key not in where]
    assert not missing, f"{name} lacks {missing}"


def check_prediction(p):
    need(PREDICTION, p, "prediction")
    assert p["low_ms"] < p["iteration_ms"] < p["high_ms"], p["gpu"]
    if p["assemble"] == "sum":
        assert p["busy_ms"] == p["iteration_ms"] and p["cpu_ms"] is None, p["gpu"]
    else:
        assert p["iteration_ms"] >= max(p["cpu_ms"] or 0, p["gpu_ms"]) * (1 - 1e-9), p["gpu"]
        assert math.isclose(p["idle_ms"], max(0, p["iteration_ms"] - p["busy_ms"]), abs_tol=1e-6), p["gpu"]
        assert (p["cpu_basis"] is None) == (p["cpu_ms"] is None) == (p["bound_by"] is None), p["gpu"]
    assert p["bound_by"] in ("gpu", "cpu", None)
    assert p["fits"] in (True, False, None)
    assert abs(sum(p["coverage"].values()) - 1) < 1e-9, p["coverage"]
    total = sum(c["ms"] for c in p["by_class"])
    assert math.isclose(total, p["kernel_ms"], rel_tol=1e-9), (p["gpu"], total, p["kernel_ms"])
    for c in p["by_class"]:
        need(("class", "origin_ms", "ms"), c, "class")


def check_samples(p, trace):
    """Batch over the iteration's time; unknown where nothing is known of the CPU's side of it."""
    ms = p["iteration_ms"] if p["cpu_basis"] else None
    if p["assemble"] == "sum":
        ms = p["iteration_ms"] if trace["bound_by"] == "gpu" else None
    if p["gpu"] == trace["gpu"] and trace["iteration_source"] == "recorded":
        ms = trace["iteration_ms"]
    if ms is None or trace["batch_size"] is None:
        assert p["samples_per_s"] is None, (p["gpu"], p["samples_per_s"])
    else:
        assert math.isclose(p["samples_per_s"], trace["batch_size"] / ms * 1e3, rel_tol=1e-9), p["gpu"]


def main(kind):
    data = json.load(sys.stdin, parse_constant=refuse)
    need(("schema", "habitat", "warnings"), data, "output")
    assert data["schema"] == 1
    if kind == "predict":
        need(TRACE, data["trace"], "trace")
        assert data["trace"]["iteration_source"] in ("recorded", "trace")
        for p in data["predictions"]:
            check_prediction(p)
            check_samples(p, data["trace"])
            if p["gpu"] == data["trace"]["gpu"]:
                assert p["kernel_ms"] == data["trace"]["kernel_ms"], "origin is not given back"
                assert p["busy_ms"] == data["trace"]["busy_ms"]
                if p["assemble"] == "replay" and data["trace"]["iteration_source"] == "recorded":
                    assert p["iteration_ms"] == data["trace"]["iteration_ms"]
        print(f"{len(data['predictions'])} predictions as agreed")
    elif kind == "explain":
        need(TRACE, data["trace"], "trace")
        check_prediction(data["prediction"])
        check_samples(data["prediction"], data["trace"])
        total = sum(row["ms"] for row in data["rows"])
        whole = data["prediction"]["kernel_ms"] + data["prediction"]["copy_ms"]
        if data["by"] == "kernel":
            total /= data["trace"]["iterations"]
        assert math.isclose(total, whole, rel_tol=1e-9), (total, whole)
        print("rows add up")
    elif kind == "info":
        need(TRACE, data["trace"], "trace")
        need(("by_class", "missing"), data, "output")
        print("info as agreed")


main(sys.argv[1])
