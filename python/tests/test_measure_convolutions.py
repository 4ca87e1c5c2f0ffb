"""tools/measure_convolutions.py, as far as it needs no GPU."""

import csv
import itertools
import os
import sys

import pytest

from habitat.measuring import dataset
from habitat.measuring.operations import build

torch = pytest.importorskip("torch")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if not os.path.exists(os.path.join(ROOT, "tools", "measure_convolutions.py")):
    pytest.skip("tools/ is not beside the tests", allow_module_level=True)
sys.path.insert(0, os.path.join(ROOT, "tools"))

import measure_convolutions  # noqa: E402


def test_the_shapes_are_the_same_for_the_same_seed_and_are_possible():
    def first(seed):
        return list(itertools.islice(measure_convolutions.drawn(seed), 600))

    shapes = first(23)
    assert shapes == first(23) and shapes != first(24)
    assert len({tuple(sorted(shape.items())) for shape in shapes}) == 600
    assert all(measure_convolutions.pixels_out(shape, axis) >= 1 for shape in shapes for axis in "hw")
    assert {shape.get("kernel", (shape.get("kernel_h"), shape.get("kernel_w"))) for shape in shapes} >= {1, 3, 5, 7, (1, 7), (7, 1)}
    assert any(shape["c_in"] == 3 for shape in shapes) and any(shape.get("groups") == shape["c_in"] for shape in shapes)


def test_every_shape_is_measured_in_all_formats_and_passes():
    shapes = list(itertools.islice(measure_convolutions.drawn(5), 24))
    found = {}
    for _, which, dtype, shape in itertools.islice(measure_convolutions.points(5), 300):
        layout = "last" if shape.get("channels_last") else "first"
        of = tuple(sorted((k, v) for k, v in shape.items() if k != "channels_last"))
        found.setdefault(of, set()).add((layout, dtype, which))
    whole = {("first", d, p) for d in measure_convolutions.FORMATS for p in measure_convolutions.PASSES}
    complete = list(found.values())[:-1]
    assert len(complete) > 10 and all(rows >= whole for rows in complete)
    assert list(found)[:10] == [tuple(sorted(shape.items())) for shape in shapes[:10]]
    assert any(("last", "fp16", "forward") in rows for rows in complete)
    assert any(("first", "bf16", "backward") in rows for rows in complete)


def test_sizes_of_results_and_flop():
    wide = {"batch": 2, "c_in": 3, "c_out": 5, "in": 10, "kernel_h": 1, "kernel_w": 7, "stride": 1, "padding_h": 0, "padding_w": 3}
    assert (measure_convolutions.pixels_out(wide, "h"), measure_convolutions.pixels_out(wide, "w")) == (10, 10)
    assert measure_convolutions.cost(wide) == (2 * (3 + 5) * 100, 2 * 2 * 100 * 7 * 3 * 5)
    up = {"batch": 1, "c_in": 4, "c_out": 2, "in": 5, "kernel": 2, "stride": 2, "padding": 0, "transposed": 1}
    assert measure_convolutions.pixels_out(up, "h") == 10
    assert measure_convolutions.cost(up) == (4 * 25 + 2 * 100, 2 * 25 * 4 * 4 * 2)


def test_a_convolution_of_other_sides_and_channels_last():
    shape = {"batch": 2, "c_in": 4, "c_out": 6, "in": 9, "kernel_h": 1, "kernel_w": 7, "stride": 1, "padding_h": 0, "padding_w": 3,
             "channels_last": 1}  # fmt: skip
    out = build("conv2d", "forward", "fp32", shape)()
    assert out.shape == (2, 6, 9, 9) and out.is_contiguous(memory_format=torch.channels_last)
    assert build("conv2d", "backward_weight", "fp32", shape)()[1].shape == (6, 4, 1, 7)


def test_algorithms_by_the_names_of_their_kernels():
    word = measure_convolutions.algorithm
    assert word(["sm80_xmma_fprop_implicit_gemm_f32f32"]) == "direct"
    assert word(["void fft2d_r2c_32x32<float>", "flip_filter", "winograd"]) == "spectra32"
    assert word(["regular_fft_pad<0, 1>"]) == "spectra1d"
    assert word(["winogradForwardData4x4"]) == "tiles4" and word(["winogradForwardData9x9_5x5"]) == "tiles9"
    assert word(["void nchwToNhwcKernel<float>", "sm80_xmma"]) == "copies"
    assert word(["foldedNchwToNhwc", "fft2d_r2c_16x16"]) == "folded"


def test_the_algorithms_in_the_repository_are_of_the_shapes_that_are_drawn():
    path = os.path.join(ROOT, "data", "measurements", "convolution_algorithms_h200.csv")
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for mode, count in (("benchmark", 384), ("heuristics", 1337)):
        kept = [(row["network"], tuple(int(row[size]) for size in measure_convolutions.SIZES)) for row in rows if row["mode"] == mode]
        assert kept == list(itertools.islice(measure_convolutions.algorithm_shapes(), count))


def test_times_go_on_where_they_stopped(tmp_path, monkeypatch):
    small = {"batch": 1, "c_in": 2, "c_out": 2, "in": 4, "kernel": 1, "stride": 1, "padding": 0}
    monkeypatch.setattr(measure_convolutions, "drawn", lambda seed: iter([small]))
    path = tmp_path / "times.csv"
    measure_convolutions.main(["times", str(path), "--count", "5", "--gpu", "H200-SXM5-141GB"])
    with open(path, "a", encoding="utf-8") as stream:
        stream.write("H200-SXM5-141GB,conv2d,for")  # cut off by a stop
    measure_convolutions.main(["times", str(path), "--count", "4", "--gpu", "H200-SXM5-141GB"])
    rows = dataset.read(str(path))
    assert len({dataset.key_of(row) for row in rows}) == len(rows) == 9
    measure_convolutions.main(["times", str(path), "--count", "1", "--gpu", "H200-SXM5-141GB", "--benchmark"])
    assert dataset.read(str(path))[-1]["source"].endswith(" cudnn.benchmark")
    assert rows[0]["gpu"] == "H200-SXM5-141GB" and rows[0]["source"].startswith("measure_convolutions torch ")


def test_ratios_are_of_one_shape_and_pass():
    shape = "batch=8 c_in=3 c_out=64 in=224 kernel=3 stride=1 padding=1"
    rows = [{"shape": shape, "pass": "backward_input", "dtype": dtype, "latency_ms": ms} for dtype, ms in
            (("fp32", "0.2"), ("tf32", "0.2"), ("fp16", "0.26"))]  # fmt: skip
    rows.append({"shape": shape.replace("c_in=3", "c_in=64"), "pass": "forward", "dtype": "fp32", "latency_ms": "0.3"})
    found = measure_convolutions.ratios_of(rows)
    assert found == {
        ("images of 3 channels or 1", "fp16"): {"backward_input": [pytest.approx(1.3)]},
        ("images of 3 channels or 1", "tf32"): {"backward_input": [1.0]},
    }
