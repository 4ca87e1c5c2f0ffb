"""What `habitat calibrate` writes of the host: sums over seconds, with their spread; the library reads it. Times are made up here."""

import json

import pytest

import habitat
from habitat.measuring import host


def test_a_figure_is_the_sum_of_seconds_by_the_calls_not_a_median():
    ns, spread = host.summed([(1.0, 100_000), (1.0, 100_000), (2.0, 100_000)])  # a rival took half of the third part
    assert ns == pytest.approx(4.0 / 300_000 * 1e9)
    assert spread == pytest.approx((2e-5 - 1e-5) / (4.0 / 300_000))


def test_backward_is_what_a_step_takes_beyond_its_forward_pass():
    made = host.as_calibration([(1.0, 250_000)], [(1.2, 5_000)], [(3.6, 5_000)], 24)
    assert made == {"launch_ns": 4000.0, "launch_spread": 0.0, "forward_ns": 10000.0, "forward_spread": 0.0,
                    "backward_ns": 20000.0, "backward_spread": 0.0}  # fmt: skip
    assert host.told(made) == "host: a launch 4.0 us (spread 0 %), a layer forward 10.0 us (spread 0 %), backward 20.0 us (spread 0 %)"


def test_a_step_no_longer_than_its_forward_pass_is_no_figure():
    assert host.as_calibration([(1.0, 250_000)], [(1.2, 5_000)], [(1.2, 5_000)], 24) == {}
    assert "not measured" in host.told({})


def test_waiting_for_the_gpu_does_not_count(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(host.time, "perf_counter", lambda: clock[0])

    def step(seconds):
        clock[0] += seconds

    assert host.timed(lambda: step(0.001), lambda: step(5.0), 10, 0.025) == pytest.approx((0.03, 30))


def test_it_measures_where_there_is_no_gpu():
    pytest.importorskip("torch")
    for seconds in (0.001, 0.01, 0.1, 1.0):  # nothing is measured where others run beside: longer then
        made = host.measure("cpu", seconds)
        if made and made["forward_ns"] > made["launch_ns"]:
            break
    assert all(made[key] > 0 for key in ("launch_ns", "forward_ns", "backward_ns"))
    assert made["forward_ns"] > made["launch_ns"] > 100, "a layer calls at least one operation"


def test_the_library_reads_it(tmp_path):
    costs = {"launch_ns": 4100.5, "launch_spread": 0.03, "forward_ns": 21000.0, "forward_spread": 0.1, "backward_ns": 30500.0,
             "backward_spread": 0.2}  # fmt: skip
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps({"schema": 1, "calibration_of": "T4", "host": costs, "sources": {}}))
    assert habitat.gpu("T4", gpu_files=[path]).values["host"] == costs
    assert habitat.gpu("T4").values["host"] is None
