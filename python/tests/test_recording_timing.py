"""The stopwatch of unprofiled iterations and their groups, with stand-ins for CUDA's events and clocks."""

import pytest
import torch

from habitat.recording import later, timing


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


def test_what_comes_after_the_last_mark_is_no_iteration(clock):
    watch = timing.Stopwatch(True)
    watch.start()
    for _ in range(2):
        clock.gpu += 20
        clock.host += 20
        watch.mark()
    clock.host += 500  # the script saves its model and ends
    watch.cut()
    assert watch.laps_ms() == [20, 20] and watch.timer == "cuda_event"


def group(groups, clock, gpu_ms, host_ms):
    groups.open()
    for gpu, host in zip(gpu_ms, host_ms):
        clock.gpu += gpu
        clock.host += host
        groups.mark()
    groups.close()


def test_groups_keep_their_times_apart(clock):
    groups = timing.Groups(True)
    group(groups, clock, [20, 22], [20, 22])
    group(groups, clock, [30], [30])
    assert groups.times_ms() == [[20, 22], [30]] and groups.timer == "cuda_event" and len(groups) == 2


def test_one_group_that_is_not_believed_speaks_for_all(clock):
    """Events that saw all of the first group and a part of the second: means of the host's clock for both."""
    groups = timing.Groups(True)
    group(groups, clock, [20, 22], [20, 24])
    group(groups, clock, [1, 1], [20, 20])
    assert groups.times_ms() == [[22], [20]] and groups.timer == "host_clock_mean"


def test_a_cut_group_without_an_iteration_is_none(clock):
    groups = timing.Groups(False)
    group(groups, clock, [0], [3])
    groups.open()
    groups.cut()
    groups.cut()
    assert groups.times_ms() == [[3]] and len(timing.Groups(True)) == 0


def test_time_is_that_before_the_profiler_and_spread_that_of_the_groups_after_it():
    """Medians 10 before, 12 and 14 after it: (14 - 12) / 10. One odd iteration moves nothing."""
    groups = [[10, 10, 90], [12, 12, 12], [14, 14, 14]]
    assert timing.spread(groups) == pytest.approx(2 / 10)
    assert timing.describe(groups) == {
        "iteration_ms": 10, "iteration_ms_all": [10, 10, 90, 12, 12, 12, 14, 14, 14],
        "iteration_ms_groups": [3, 3, 3], "iteration_spread": 0.2,
    }  # fmt: skip
    assert timing.warning(timing.describe(groups)) == (
        "the time of an iteration moved by 20 % while recording (12.000, 14.000 ms after profiling); iteration_ms is known no better"
        " than that: record again with nothing else running on this machine"
    )


@pytest.mark.parametrize("groups", [[], [[10]], [[10, 99]], [[10], [15]], [[10], [15], [16]]])
def test_no_warning_without_groups_to_compare_or_within_10_percent(groups):
    assert timing.warning(timing.describe(groups)) is None


def test_nothing_timed_is_null():
    assert timing.describe([]) == {
        "iteration_ms": None, "iteration_ms_all": [], "iteration_ms_groups": [], "iteration_spread": None,
    }  # fmt: skip


@pytest.fixture
def seconds(monkeypatch):
    class Seconds:
        now = 100.0

    monkeypatch.setattr(later.time, "monotonic", lambda: Seconds.now)
    return Seconds


def run_later(clock, seconds, iteration_s, timed, pause_s, together=False):
    """Boundaries until all is timed, the first group being there: which of them were timed, and their number."""
    groups = timing.Groups(True)
    group(groups, clock, [1], [1])
    rest = later.LaterGroups(groups, timed, pause_s, together)
    boundaries, over = 0, False
    while not over:
        seconds.now += iteration_s
        clock.gpu += iteration_s * 1e3
        clock.host += iteration_s * 1e3
        over = rest.advance()
        boundaries += 1
    return [len(times) for times in groups.times_ms()[1:]], boundaries


def test_later_groups_pass_over_an_iteration_and_wait(clock, seconds):
    """Of 0.5 s: 1 passes, 4 are timed, 10 pass in the pause of 5 s, 4 are timed."""
    assert run_later(clock, seconds, 0.5, 4, 5.0) == ([4, 4], 1 + 4 + 10 + 4)


def test_later_groups_of_slow_iterations_end_early(clock, seconds):
    """Of 4 s: 10 s are over with the third; the pause is over within two."""
    assert run_later(clock, seconds, 4.0, 10, 5.0) == ([3, 3], 1 + 3 + 2 + 3)
    assert run_later(clock, seconds, 2.0, 10, 5.0) == ([5, 5], 1 + 5 + 3 + 5)
    assert run_later(clock, seconds, 60.0, 2, 5.0) == ([2, 2], 1 + 2 + 1 + 2)


@pytest.mark.parametrize("iteration_s, pause_s", [(0.001, 5.0), (0.5, 0.0), (60.0, 5.0)])
def test_processes_that_train_together_go_by_counts(clock, seconds, iteration_s, pause_s):
    """However long their iterations are by their own clocks, all stop at the same one."""
    assert run_later(clock, seconds, iteration_s, 4, pause_s, together=True) == ([4, 4], 1 + 4 + 20 + 4)


def test_who_trains_together(monkeypatch):
    assert not later.trains_together({}) and not later.trains_together({"WORLD_SIZE": "1"})
    assert later.trains_together({"WORLD_SIZE": "2"})
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    assert later.trains_together({})
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 1)
    assert not later.trains_together({})
