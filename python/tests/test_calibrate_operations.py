"""What `habitat calibrate` times, on paper: enough of each class, and a file that the library takes. Needs no PyTorch."""

import collections
import json
import math

import pytest

import habitat
from habitat.measuring import dataset
from habitat.measuring.calibrate import OPERATIONS, as_operation, best_run, runs_on

LARGEST_CACHE_BYTES = 126 * 2**20  # B200, B300
FLAT = ("add", "mul", "relu", "gelu")


def test_every_class_has_at_least_five_operations():
    counts = collections.Counter((op if op not in FLAT else "elementwise", which, dtype) for op, which, dtype, _ in OPERATIONS)
    for wanted in (("linear", "forward", "fp32"), ("linear", "forward", "bf16"), ("bmm", "forward", "fp32"),
                   ("conv2d", "forward", "fp32"), ("conv2d", "backward_weight", "tf32"), ("softmax", "forward", "fp32"),
                   ("layer_norm", "forward", "fp32"), ("elementwise", "forward", "fp32"), ("attention", "forward", "bf16"),
                   ("attention", "backward", "bf16")):  # fmt: skip
        assert counts[wanted] >= 5, wanted
    for wanted in (("linear", "forward", "fp16"), ("softmax", "backward", "fp32"), ("layer_norm", "backward", "fp32"),
                   ("batch_norm", "forward", "fp32"), ("batch_norm", "backward", "fp32")):  # fmt: skip
        assert counts[wanted] >= 3, wanted
    assert len({(op, which, dtype, dataset.shape_text(shape)) for op, which, dtype, shape in OPERATIONS}) == len(OPERATIONS)


def test_operations_are_long_and_do_not_run_from_the_cache():
    for op, _, _, shape in OPERATIONS:
        if op in ("linear", "bmm"):
            assert 2 * math.prod(shape.values()) >= 1e9
        elif op == "batch_norm":
            assert 8 * shape["batch"] * shape["c_in"] * shape["in"] ** 2 >= 2 * LARGEST_CACHE_BYTES
        elif op in ("softmax", "layer_norm", *FLAT):
            assert 8 * math.prod(shape.values()) >= 2 * LARGEST_CACHE_BYTES
            assert 8 * math.prod(shape.values()) <= 2 * 2**30  # and fit a small card


def test_old_gpus_are_not_asked_for_formats_they_lack():
    assert {point[2] for point in OPERATIONS if runs_on(point, (7, 0))} == {"fp32", "fp16"}
    assert all(runs_on(point, (8, 0)) for point in OPERATIONS)


def test_the_library_takes_all_of_them(tmp_path):
    rows = [
        {"op": op, "pass": which, "dtype": dtype, "shape": dataset.shape_text(shape), "latency_ms": "1.5", "timing": "graph"}
        for op, which, dtype, shape in OPERATIONS
    ]
    made = {"schema": 1, "calibration_of": "H100-SXM5-80GB", "operations": [as_operation(row) for row in rows], "sources": {}}
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(made))
    read = habitat.gpu("H100-SXM5-80GB", gpu_files=[path]).values["operations"]
    assert read == made["operations"]
    assert habitat.gpu("H100-SXM5-80GB").values["operations"] == []


def test_a_matrix_rate_is_the_best_of_short_runs():
    work = 2.0 * 30  # flop of a run over size^3
    rates = {1024: 3e12, 2048: 5e12, 4096: 4e12, 8192: 4.5e12, 10240: 4e12}
    assert best_run(lambda size: work * size**3 / rates[size]) == pytest.approx(5e12)
    tried = []

    def slow(size):  # 2 Tflop/s: 30 products of 4096 take 2 s, so nothing larger is tried
        tried.append(size)
        return work * size**3 / 2e12

    assert best_run(slow) == pytest.approx(2e12)
    assert tried == [1024, 2048, 4096]
    assert best_run(lambda size: None if size > 2048 else 0.4) == pytest.approx(work * 2048**3 / 0.4), "memory that runs out ends it"
    assert best_run(lambda size: None) is None, "a number format that does not run has no rate"
