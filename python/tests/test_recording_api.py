"""Recording from inside a program: `record`, `record_iterations` and the paper's `OperationTracker`."""

import pytest
import torch
from recording_helpers import clock_ms, hooks_in_place, names, no_leftovers, read_trace

import habitat
from habitat.recording import RecordError
from habitat.recording import tracker as tracker_module


@pytest.fixture
def step():
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def run():
        run.calls += 1
        optimizer.zero_grad()
        model(torch.randn(3, 4)).sum().backward()
        optimizer.step()

    run.calls = 0
    return run


@pytest.fixture(autouse=True)
def nothing_stays_behind(tmp_path):
    yield
    assert hooks_in_place() == []
    assert no_leftovers(tmp_path)


def test_record_takes_the_block_as_one_iteration(tmp_path, step):
    path = tmp_path / "step.json.gz"
    with habitat.record(path, allow_cpu=True):
        step()
    trace = read_trace(path)
    about = trace["habitat"]
    assert about["iteration_ms"] is None and about["iteration_ms_all"] == []  # it ran under the profiler only
    assert about["batch_size"] == 3 and about["model"] == "Linear" and about["profiled_iterations"] == 1
    assert names(trace, "user_annotation").count("habitat_iteration#0") == 1
    assert names(trace, "cpu_op").count("aten::addmm") == 1


def test_record_of_a_block_that_raises_writes_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), habitat.record(tmp_path / "step.json", allow_cpu=True):
        1 / 0
    assert list(tmp_path.iterdir()) == []


def test_record_iterations_counts_its_calls(tmp_path, step):
    path = tmp_path / "step.json"
    about = habitat.record_iterations(step, path=path, iterations=2, warmup=1, timed=3, pause=0, allow_cpu=True)
    assert step.calls == 1 + 3 + 1 + 2 + 2 * (1 + 3)
    assert len(about["iteration_ms_all"]) == 9 and about["iteration_ms_groups"] == [3, 3, 3] and about == read_trace(path)["habitat"]
    assert names(read_trace(path), "cpu_op").count("aten::addmm") == 2


def test_record_iterations_of_a_step_that_raises(tmp_path):
    def broken():
        raise ValueError("out of data")

    with pytest.raises(ValueError, match="out of data"):
        habitat.record_iterations(broken, path=tmp_path / "x.json", allow_cpu=True)
    assert list(tmp_path.iterdir()) == []


def test_record_iterations_of_data_that_runs_out_keeps_the_trace(tmp_path, step):
    def limited():
        if step.calls == 1 + 2 + 1 + 1 + 2:  # one passes, one of two is timed again
            raise StopIteration("no more data")
        step()

    path = tmp_path / "step.json"
    with pytest.raises(StopIteration):
        habitat.record_iterations(limited, path=path, iterations=1, warmup=1, timed=2, pause=0, allow_cpu=True)
    assert read_trace(path)["habitat"]["iteration_ms_groups"] == [2, 1]


def test_record_iterations_warns_of_times_that_move(tmp_path, step, clock_ms):
    def slower():
        clock_ms(10 if step.calls < 5 else 12 if step.calls < 8 else 15)
        step()

    with pytest.warns(RuntimeWarning, match="the time of an iteration moved by 30 %"):
        habitat.record_iterations(slower, path=tmp_path / "x.json", iterations=1, warmup=1, timed=2, pause=0, allow_cpu=True)


@pytest.mark.parametrize("wrong", [{"iterations": 0}, {"warmup": 0}, {"timed": -1}, {"iterations": 1.5}, {"pause": -1}])
def test_record_iterations_refuses_wrong_counts(wrong, step):
    with pytest.raises(ValueError, match="whole number|from 0 to 3600 seconds"):
        habitat.record_iterations(step, allow_cpu=True, **wrong)


def test_a_gpu_is_asked_for(tmp_path, step, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    advice = r"sees no GPU; .* \(allow_cpu=True records the operations alone, to predict from\)"
    with pytest.raises(RecordError, match=advice), habitat.record(tmp_path / "x.json"):
        step()
    with pytest.raises(RecordError, match=advice):
        habitat.record_iterations(step, path=tmp_path / "x.json")
    device = tracker_module._make_device(["H200-SXM5-141GB"])
    tracker = habitat.OperationTracker(device=device.H200_SXM5_141GB)
    with pytest.raises(RecordError, match=advice), tracker.track():
        step()
    assert step.calls == 0


def test_devices_are_named_after_the_table():
    device = tracker_module._make_device(["H200-SXM5-141GB", "T4", "X1.5-2GB"])
    assert [d.name for d in device] == ["H200_SXM5_141GB", "T4", "X1_5_2GB"]
    assert device.H200_SXM5_141GB.value == "H200-SXM5-141GB"


def test_operation_tracker(step, monkeypatch):
    class Prediction:
        iteration_ms = 81.5

    class Trace:
        def __init__(self, path):
            assert names(read_trace(path), "cpu_op").count("aten::addmm") == 1

        def predict(self, gpu):
            assert gpu == "V100-PCIE-32GB"
            return Prediction()

    monkeypatch.setattr(habitat, "Trace", Trace, raising=False)
    device = tracker_module._make_device(["H200-SXM5-141GB", "V100-PCIE-32GB"])
    tracker = habitat.OperationTracker(device=device.H200_SXM5_141GB, allow_cpu=True)
    with pytest.raises(RecordError, match="nothing is tracked"):
        tracker.get_tracked_trace()
    with tracker.track():
        step()
    tracked = tracker.get_tracked_trace()
    assert tracked.device is device.H200_SXM5_141GB
    assert tracked.to_device(device.V100_PCIE_32GB).run_time_ms == 81.5
    assert tracked.to_device(device.V100_PCIE_32GB).device is device.V100_PCIE_32GB
