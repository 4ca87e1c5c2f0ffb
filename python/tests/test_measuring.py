"""The sweep, the dataset file and the measuring of points, on the CPU: what does not need a GPU to be true."""

import gzip

import pytest

from habitat.measuring import calibrate, collect, dataset, timing
from habitat.measuring.operations import BUILDERS, build, elements
from habitat.measuring.sweep import LARGEST_ELEMENTS, SWEEP, sweep

torch = pytest.importorskip("torch")


def test_sweep_is_the_same_for_the_same_seed_and_covers_every_operation_early():
    first, again, other = sweep(2000), sweep(2000), sweep(2000, seed=2)
    assert first == again
    assert first != other
    assert {point[0] for point in first[:500]} == set(SWEEP)
    assert len({(p[0], p[1], p[2], dataset.shape_text(p[3])) for p in first}) == 2000
    assert all(elements(p[0], p[3]) <= LARGEST_ELEMENTS for p in first)


def test_shape_text_and_back():
    shape = {"m": 16, "n": 8, "k": 4}
    assert dataset.shape_text(shape) == "m=16 n=8 k=4"
    assert dataset.shape_of("m=16 n=8 k=4") == shape


def test_products_have_the_shape_of_their_parameters():
    assert build("gemm", "forward", "fp32", {"m": 3, "n": 5, "k": 7, "trans_a": 1, "trans_b": 0})().shape == (3, 5)
    assert build("linear", "forward", "fp32", {"m": 3, "n": 5, "k": 7})().shape == (3, 5)
    assert build("bmm", "forward", "fp32", {"b": 2, "m": 3, "n": 5, "k": 7})().shape == (2, 3, 5)


def test_convolution_gradients_have_the_shapes_of_input_and_weight():
    shape = {"batch": 2, "c_in": 4, "c_out": 6, "in": 9, "kernel": 3, "stride": 2, "padding": 1, "groups": 2}
    gradients = build("conv2d", "backward", "fp32", shape)()
    assert gradients[0].shape == (2, 4, 9, 9) and gradients[1].shape == (6, 2, 3, 3)
    only = build("conv2d", "backward_weight", "fp32", shape)()
    assert only[0] is None and only[1].shape == (6, 2, 3, 3)


def test_an_unknown_operation_is_no_silent_zero():
    with pytest.raises(KeyError):
        build("einsum", "forward", "fp32", {})
    assert set(SWEEP) <= set(BUILDERS)
    assert {point[0] for point in calibrate.OPERATIONS} <= set(BUILDERS)


def test_collect_writes_resumes_and_keeps_rows(tmp_path, monkeypatch):
    points = [("add", "forward", "fp32", {"columns": 2**n}) for n in (10, 11, 12)]
    monkeypatch.setattr(collect, "sweep", lambda count, seed: points[:count])
    path = str(tmp_path / "d.csv.gz")
    rows, new, failed = collect.collect(path, 2, 60)
    assert (len(rows), new, failed) == (2, 2, 0)
    assert all(float(row["latency_ms"]) > 0 and row["timing"] == "wall" for row in rows)
    before = dataset.read(path)
    rows, new, failed = collect.collect(path, 3, 60)
    assert (len(rows), new) == (3, 1)
    assert [row for row in dataset.read(path) if row in before] == before
    assert gzip.open(path, "rt").readline().strip() == ",".join(dataset.COLUMNS)


def test_a_shape_that_does_not_run_is_counted_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "sweep", lambda count, seed: [("gemm", "forward", "fp32", {"m": 2**40, "n": 8, "k": 2**20})])
    rows, new, failed = collect.collect(str(tmp_path / "d.csv"), 1, 60)
    assert (rows, new, failed) == ([], 0, 1)


def test_copies_are_timed_as_a_step_runs_them(monkeypatch):
    asked = {}

    def measured(make, graph=True):
        asked[len(asked)] = graph
        return timing.Timing(1.0, 1.0, 5, "event")

    monkeypatch.setattr(collect, "measure", measured)
    for op in ("copy", "relu"):
        assert collect.measure_point((op, "forward", "fp32", {"columns": 64}), "here", "cpu")["timing"] == "event"
    assert asked == {0: False, 1: True}


def test_commands_refuse_a_machine_without_gpu(tmp_path, capsys):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert collect.main(["-o", str(tmp_path / "d.csv")]) == 1
    assert "no GPU" in capsys.readouterr().err
    assert calibrate.main(["-o", str(tmp_path / "c.json")]) == 1
    assert capsys.readouterr().err.startswith("habitat: calibrate: no GPU")
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_named(tmp_path, capsys):
    assert collect.main(["-o", str(tmp_path / "none" / "d.csv"), "--allow-cpu", "--count", "1", "--budget", "0"]) == 1
    assert "choose another file" in capsys.readouterr().err
