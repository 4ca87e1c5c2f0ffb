"""The stopwatch of unprofiled iterations, with stand-ins for CUDA's events."""

import pytest
import torch

from habitat.recording import timing


@pytest.fixture
def clock(monkeypatch):
    """A host clock [ms] and a GPU clock [ms] that the test moves."""

    class Clock:
        host = 0.0
        gpu = 0.0

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = Clock.gpu

        def elapsed_time(self, later):
            return later.at - self.at

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(timing.time, "perf_counter_ns", lambda: int(Clock.host * 1e6))
    return Clock


def run(clock, use_cuda, gpu_ms, host_ms):
    watch = timing.Stopwatch(use_cuda)
    watch.start()
    for gpu, host in zip(gpu_ms, host_ms):
        clock.gpu += gpu
        clock.host += host
        watch.mark()
    watch.stop()
    return watch


def test_events_time_the_iterations(clock):
    watch = run(clock, True, [20, 21, 19], [20, 20, 21])
    assert watch.laps_ms() == [20, 21, 19] and watch.timer == "cuda_event"


def test_events_that_miss_work_in_other_streams_are_not_believed(clock):
    watch = run(clock, True, [1, 1, 1], [20, 20, 20])
    assert watch.laps_ms() == [20] and watch.timer == "host_clock_mean"  # 60 ms of host time, three iterations


def test_host_clock_without_a_gpu(clock):
    watch = run(clock, False, [0, 0], [3, 5])
    assert watch.laps_ms() == [3, 5] and watch.timer == "perf_counter"


def test_nothing_timed(clock):
    assert run(clock, True, [], []).laps_ms() == []
