"""Counting of recorded iterations: the same with torch.profiler and without a GPU."""

import pytest

from habitat.recording.steps import RecordedSteps


class Noting(RecordedSteps):
    def __init__(self, iterations, modules=None):
        super().__init__(iterations, modules)
        self.said = []

    def _before_the_first(self):
        self.said.append("first")

    def _boundary(self):
        self.said.append(f"recorded {self.recorded}{', done' if self.done else ''}")

    def _end(self):
        self.said.append("end")


class Modules:
    def __init__(self, said):
        self.said = said

    def start(self):
        self.said.append("modules on")

    def stop(self):
        self.said.append("modules off")


@pytest.mark.parametrize("iterations", [1, 3])
def test_one_more_than_is_recorded(iterations):
    steps = Noting(iterations)
    assert (steps.done, steps.recorded) == (False, 0)
    steps.start()
    while not steps.done:
        steps.step()
    last = f"recorded {iterations}, done"
    assert steps.said == ["first", *(f"recorded {i}" for i in range(iterations)), last]


def test_modules_are_named_in_the_recorded_iterations_alone():
    steps = Noting(2)
    steps._modules = Modules(steps.said)
    for _ in range(3):
        steps.step()
    assert steps.said == ["first", "modules on", "recorded 0", "recorded 1", "modules off", "recorded 2, done"]
    steps.remove()
    assert steps.said[-2:] == ["modules off", "end"]


def test_both_recorders_count_by_it():
    pytest.importorskip("torch")
    from habitat.recording.profiling import IterationProfiler
    from habitat.recording.without_gpu.allocations import Allocations
    from habitat.recording.without_gpu.events import Log
    from habitat.recording.without_gpu.recorder import OperationLog

    for recorder in (IterationProfiler(3), OperationLog(Log(), Allocations(), 3, True)):
        assert type(recorder).step is RecordedSteps.step and type(recorder).recorded is RecordedSteps.recorded


class Ring:
    def __init__(self):
        self.itself = self


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_before_the_first_recorded_iteration(enabled):
    import gc
    import weakref

    from habitat.recording.profiling import IterationProfiler

    was = gc.isenabled()
    gc.disable()  # none of its own accord
    left = weakref.ref(Ring())
    try:
        if enabled:
            gc.enable()
        IterationProfiler(1)._before_the_first()
    finally:
        (gc.enable if was else gc.disable)()
    assert (left() is None) == enabled  # a script that switched it off keeps what it has
