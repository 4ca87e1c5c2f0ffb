"""What `habitat calibrate` times, on paper: enough of each class, and a file that the library takes. Needs no PyTorch."""

import collections
import json
import math

import habitat
from habitat.measuring import dataset
from habitat.measuring.calibrate import OPERATIONS, as_operation, runs_on

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
