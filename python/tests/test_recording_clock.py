"""The clock of the CPU's side, with stand-ins for CUDA and for the host's clock: which iterations, what is in their time, what stops it."""

import types

import pytest
import torch

from habitat.recording import clock, session


class Event:
    def __init__(self, enable_timing):
        pass

    def record(self):
        pass

    def elapsed_time(self, later):
        return 1000.0


@pytest.fixture
def host(monkeypatch):
    """A host whose clock stands still but where the test lets it pass; a wait for its GPU lasts 100 ms."""

    class Host:
        now_ms = 0.0
        waits = 0
        capturing = False

        def passes(self, ms):
            self.now_ms += ms

        def wait(self):
            self.waits += 1
            self.now_ms += 100

    it = Host()
    monkeypatch.setattr(clock, "time", types.SimpleNamespace(perf_counter_ns=lambda: int(it.now_ms * 1e6)))
    monkeypatch.setattr(torch.cuda, "synchronize", it.wait)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: it.capturing)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda: None)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    return it


def clocked(host, monkeypatch, tmp_path, durations_ms, **options):
    """Iterations of a session up to its profiler, which does not start: (the times it noted, waits for the GPU)."""
    made = session.Session(str(tmp_path / "step.json"), session.Options(quiet=True, **options), "train.py")
    monkeypatch.setattr(made, "_start_profiler", lambda: None)
    for ms in durations_ms:
        host.passes(ms)
        made.boundary()
    made.close()
    return made._clock


def test_last_iterations_of_the_warm_up_begin_on_an_idle_gpu(host, monkeypatch, tmp_path):
    """The third to the fifth; a wait before each is in none of them, and the timed ones begin with the one wait of their group."""
    made = clocked(host, monkeypatch, tmp_path, [50, 40, 11, 12, 13, 14, 9, 9], warmup=5, timed=3)
    assert made.times_ms == pytest.approx([11, 12, 13]) and host.waits == 3 + 1
    assert made.describe() == {"cpu_ms": 12.0, "cpu_ms_all": [11.0, 12.0, 13.0], "cpu_ms_parts": 1}


def test_short_warm_up_has_fewer(host, monkeypatch, tmp_path):
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 30], warmup=2, timed=2).times_ms == pytest.approx([40])
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 30], warmup=1, timed=2).describe() == {
        "cpu_ms": None, "cpu_ms_all": [], "cpu_ms_parts": None,
    }  # fmt: skip


def test_nothing_where_nothing_is_timed(host, monkeypatch, tmp_path):
    """With --timed 0, and in the run for hardware counters."""
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 11], warmup=3, timed=0).times_ms == []
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 11], warmup=3, timed=2, measuring=True).times_ms == []


def step(host):
    """Forward 10 ms, backward twice 5 ms, two optimisers of 1 ms each."""
    model = torch.nn.Linear(2, 2)
    optimizers = [torch.optim.SGD([p], lr=0.1) for p in model.parameters()]
    host.passes(10)
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
        host.passes(5)
    for optimizer in optimizers:
        optimizer.step()
        host.passes(1)


def test_clock_stands_still_before_the_first_backward_pass_and_the_first_optimiser(host):
    made = clock.HostClock()
    made.begin()
    step(host)
    made.end()
    step(host)  # its own time is none of the clock's, and nothing waits
    assert made.times_ms == pytest.approx([22]) and made.parts == [3] and host.waits == 3
    made.remove()
    made.remove()


def test_gradients_by_autograd_grad_stop_it_too(host):
    made = clock.HostClock()
    made.begin()
    x = torch.ones(2, requires_grad=True)
    host.passes(7)
    torch.autograd.grad(x.sum(), x)
    made.end()
    assert made.times_ms == pytest.approx([7]) and made.parts == [2]
    made.remove()


def test_hooks_are_taken_out(host):
    before = torch.autograd.backward, torch.autograd.grad
    made = clock.HostClock()
    made.begin()
    assert torch.autograd.backward is not before[0]
    made.remove()
    assert (torch.autograd.backward, torch.autograd.grad) == before


def test_graph_that_is_captured_is_not_waited_for(host):
    made = clock.HostClock()
    made.begin()
    host.capturing = True
    step(host)
    made.end()
    made.remove()
    assert made.parts == [1] and host.waits == 1
