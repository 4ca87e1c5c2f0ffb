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
    assert made.describe() == {"cpu_ms": 12.0, "cpu_ms_all": [11.0, 12.0, 13.0], "cpu_ms_parts": 1, "cpu_ms_gradients": None}


def test_short_warm_up_has_fewer(host, monkeypatch, tmp_path):
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 30], warmup=2, timed=2).times_ms == pytest.approx([40])
    assert clocked(host, monkeypatch, tmp_path, [50, 40, 30], warmup=1, timed=2).describe() == {
        "cpu_ms": None, "cpu_ms_all": [], "cpu_ms_parts": None, "cpu_ms_gradients": None,
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


def deep(host, layers, bias=True):
    """A chain of layers; a millisecond a gradient on the way back, as a hook sees them come. (step, parameters)"""
    model = torch.nn.Sequential(*[torch.nn.Linear(2, 2, bias=bias) for _ in range(layers)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(lambda _: host.passes(1))

    def run(passes=1, wrap=lambda loss: loss, take=optimizer.step):
        optimizer.zero_grad()
        for _ in range(passes):
            wrap(model(torch.ones(1, 2)).sum()).backward()
        take()

    return run, list(model.parameters()), optimizer


def learned(host, layers, passes=1, **how):
    """A clock that has seen two iterations of the step."""
    run, parameters, optimizer = deep(host, layers, **how)
    made = clock.HostClock()
    for _ in range(2):
        made.look()
        run(passes)
    host.waits = 0
    return made, run, parameters


def test_clock_stands_still_after_every_32_gradients(host):
    """100 of them: after 32, 64 and 96; each millisecond is in the time, no wait is."""
    made, run, _ = learned(host, 50)
    for _ in range(2):
        made.begin()
        run()
        made.end()
    made.remove()
    assert made.times_ms == pytest.approx([100, 100]) and made.parts == [6, 6] and host.waits == 2 * (1 + 5)
    assert made.describe()["cpu_ms_gradients"] == 32


def test_gradients_that_come_twice_count_twice(host):
    """Two passes of 40 gradients: after 32 and 64 of them, the latter in the second pass."""
    made, run, parameters = learned(host, 20, passes=2)
    passed = []
    made.stop_at = lambda what: passed.append((what, host.now_ms))
    made._gradients._stop = made.stop_at
    made.begin()
    began_ms = host.now_ms
    run(2)
    made.remove()
    order = {id(p): 1 for p in parameters}
    assert [round(now - began_ms) for what, now in passed if isinstance(what, tuple)] == [32, 64]
    assert all(what[0] in order for what, _ in passed if isinstance(what, tuple))


def test_no_stop_where_no_gradient_follows(host):
    """32 of them: the optimiser is next."""
    made, run, _ = learned(host, 32, bias=False)
    made.begin()
    run()
    made.end()
    made.remove()
    assert made.parts == [3] and made.describe()["cpu_ms_gradients"] is None


def test_iterations_before_the_order_was_known_are_left_out(host):
    """A warm-up of two: the first clocked iteration has three parts, the second knows no order yet, the third stops."""
    run, _, _ = deep(host, 50)
    made = clock.HostClock()
    for _ in range(3):
        made.begin()
        run()
        host.passes(len(made.times_ms))
        made.end()
    made.remove()
    assert made.parts == [3, 3, 6]
    assert made.describe() == {"cpu_ms": 102.0, "cpu_ms_all": [102.0], "cpu_ms_parts": 6, "cpu_ms_gradients": 32}


def test_step_that_a_scaler_skips_tells_its_parameters_too(host):
    run, _, optimizer = deep(host, 50)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    made = clock.HostClock()

    def scaled(factor):
        run(wrap=lambda loss: scaler.scale(loss) * factor, take=lambda: (scaler.step(optimizer), scaler.update()))

    made.look()
    scaled(float("inf"))
    made.look()
    scaled(1.0)
    made.begin()
    scaled(1.0)
    made.end()
    made.begin()
    scaled(float("inf"))  # no optimiser's step: a part less, and no iteration to go by
    made.end()
    made.remove()
    assert made.parts == [6, 5] and len(made.describe()["cpu_ms_all"]) == 1


def test_no_hook_is_left_on_a_parameter_and_none_is_kept_alive(host):
    import gc
    import weakref

    from torch.amp.grad_scaler import GradScaler

    before = GradScaler.step
    made, run, parameters = learned(host, 50)
    made.begin()
    hooks = sum(len(p._post_accumulate_grad_hooks) for p in parameters)
    made.remove()
    assert hooks == 100 + 3 and sum(len(p._post_accumulate_grad_hooks) for p in parameters) == 100
    assert GradScaler.step is before
    last = weakref.ref(parameters[-1])
    del run, parameters
    gc.collect()
    assert last() is None
    made.begin()  # the order it knows is of parameters that are gone
    made.remove()


def test_session_looks_at_the_iterations_before(host, monkeypatch, tmp_path):
    """With the usual warm-up of five every clocked iteration has all stops."""
    run, _, _ = deep(host, 50)
    made = session.Session(str(tmp_path / "step.json"), session.Options(quiet=True, warmup=5, timed=3), "train.py")
    monkeypatch.setattr(made, "_start_profiler", lambda: None)
    made.open()
    for _ in range(5):
        run()
    made.close()
    assert made._clock.parts == [6, 6, 6] and made._clock.times_ms == pytest.approx([100, 100, 100])
