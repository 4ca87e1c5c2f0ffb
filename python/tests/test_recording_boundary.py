"""Where an iteration ends: the repeating block of optimiser steps, and the events it is found from."""

import functools

import pytest
import torch
from hypothesis import given, strategies
from recording_helpers import hooks_in_place
from torch import nn

from habitat.recording.boundary import CycleFinder, OptimizerSteps, check_kind, mark_iteration, open_source


def ends_of(keys):
    """Positions (from 1) at which an iteration ends, and those at which the block changed."""
    finder, ends, changes = CycleFinder(), [], []
    for position, key in enumerate(keys, 1):
        end, changed = finder.push(key)
        if end:
            ends.append(position)
        if changed:
            changes.append(position)
    return ends, changes


def test_one_optimizer_ends_an_iteration_at_every_step():
    assert ends_of("AAAA") == ([1, 2, 3, 4], [])


def test_gan_ends_an_iteration_at_the_second_optimizer():
    # The first D is an iteration until G shows up; the block is known once it was seen twice.
    assert ends_of("DGDGDGDG") == ([1, 4, 6, 8], [2, 4])


def test_wasserstein_gan_with_five_critic_steps():
    ends, changes = ends_of("DDDDDG" * 4)
    assert [e for e in ends if e > changes[-1]] == [18, 24]
    assert changes == [6, 12]


def test_irregular_beginning_is_left_out():
    ends, changes = ends_of("DDD" + "DG" * 6)
    assert [e for e in ends if e >= changes[-1]] == [7, 9, 11, 13, 15]


def test_an_optimizer_that_steps_no_more_is_forgotten():
    ends, _ = ends_of("A" * 10 + "B" * 50)
    assert ends[-5:] == [56, 57, 58, 59, 60]


@given(strategies.text("AB", min_size=1, max_size=6), strategies.integers(4, 6))
def test_iterations_are_as_long_as_the_block(block, repeats):
    keys = block * repeats
    shortest = next(p for p in range(1, len(block) + 1) if len(block) % p == 0 and block[:p] * (len(block) // p) == block)
    ends, _ = ends_of(keys)
    late = [e for e in ends if e > 2 * len(block)]
    assert all(b - a == shortest for a, b in zip(late, late[1:]))
    assert late[-1] == len(keys)


def collect(run, kind="optimizer"):
    events = []
    source = open_source(kind, events.append)
    try:
        run()
    finally:
        source.remove()
    assert hooks_in_place() == []
    return events


@pytest.mark.parametrize("kind, found", [("optimizer", "step"), ("zero_grad", "zero_grad"), ("forward:2", "_global_forward_pre_hooks")])
def test_hooks_left_behind_are_found(kind, found):
    source = open_source(kind, lambda event: None)
    try:
        assert any(found in hook for hook in hooks_in_place())
    finally:
        source.remove()
    assert hooks_in_place() == []


def test_wrappers_of_others_are_no_hooks_whatever_their_path(monkeypatch):
    def zero_grad(self):
        pass

    code = "def wrapper(self): pass"
    theirs = {"__name__": "torch._compile"}
    exec(compile(code, "/home/me/habitat/.venv/lib/torch/_compile.py", "exec"), theirs)
    monkeypatch.setattr(torch.nn.Module, "zero_grad", functools.wraps(zero_grad)(theirs["wrapper"]))
    assert hooks_in_place() == []


@pytest.fixture
def linear():
    torch.manual_seed(0)
    return nn.Linear(4, 2)


def backward(model, times=1):
    for _ in range(times):
        model(torch.randn(3, 4)).sum().backward()


def test_gradient_accumulation_has_one_event_a_step(linear):
    optimizer = torch.optim.Adam(linear.parameters())

    def run():
        for _ in range(3):
            backward(linear, times=4)
            optimizer.step()

    assert collect(run) == [id(optimizer)] * 3


def test_closure_called_many_times_is_one_step(linear):
    optimizer = torch.optim.LBFGS(linear.parameters(), max_iter=5)

    def closure():
        optimizer.zero_grad()
        loss = linear(torch.ones(3, 4)).square().sum()
        loss.backward()
        return loss

    assert collect(lambda: optimizer.step(closure)) == [id(optimizer)]


def test_step_that_grad_scaler_skips_is_an_event(linear):
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    before = linear.weight.detach().clone()

    def run():
        for factor in (float("inf"), 1.0, float("inf")):
            optimizer.zero_grad()
            scaler.scale(linear(torch.ones(3, 4)).sum() * factor).backward()
            scaler.step(optimizer)
            scaler.update()

    assert collect(run) == [id(optimizer)] * 3
    assert not torch.equal(before, linear.weight)  # the one good step was taken


def test_two_scaled_optimizers_keep_their_order(linear):
    first = torch.optim.SGD(linear.parameters(), lr=0.1)
    second = torch.optim.Adam(linear.parameters())
    scaler = torch.amp.GradScaler("cpu")

    def run():
        scaler.scale(linear(torch.ones(3, 4)).sum()).backward()
        scaler.step(first)
        scaler.step(second)
        scaler.update()

    assert collect(run) == [id(first), id(second)]


class Lookahead(torch.optim.Optimizer):
    """An optimiser that steps another one inside its own step."""

    def __init__(self, inner):
        super().__init__(inner.param_groups, {})
        self.inner = inner

    def step(self, closure=None):
        self.inner.step(closure)


def test_step_inside_a_step_is_no_event(linear):
    outer = Lookahead(torch.optim.SGD(linear.parameters(), lr=0.1))
    assert collect(lambda: (backward(linear), outer.step())) == [id(outer)]


def test_step_that_raised_does_not_hide_later_ones(linear):
    optimizer = torch.optim.LBFGS(linear.parameters())

    def closure():
        loss = linear(torch.ones(3, 4)).square().sum()
        loss.backward()
        return loss

    def run():
        with pytest.raises(ZeroDivisionError):
            optimizer.step(lambda: 1 / 0)
        optimizer.step(closure)

    assert collect(run) == [id(optimizer)]


def test_replay_of_a_graph_that_holds_the_step_is_an_event(linear, monkeypatch):
    """A stand-in for torch.cuda.CUDAGraph, which needs a GPU: capture runs the code, replay does not."""
    from habitat.recording import boundary

    state = {"capturing": False}

    class Graph:
        def capture_end(self):
            state["capturing"] = False

        def replay(self):
            return "replayed"

    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(boundary, "_capturing", lambda: state["capturing"])
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
    whole, forward_only = Graph(), Graph()

    def run():
        state["capturing"] = True
        optimizer.step()
        whole.capture_end()
        state["capturing"] = True
        forward_only.capture_end()
        assert [whole.replay(), forward_only.replay(), whole.replay()] == ["replayed"] * 3

    assert collect(run) == [id(optimizer)] * 2
    assert whole.replay() == "replayed" and not hasattr(Graph.replay, "__wrapped__")


def test_in_step_is_true_in_a_closure_only(linear):
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
    source = OptimizerSteps(lambda key: None)
    try:
        seen = []
        optimizer.step(lambda: seen.append(source.in_step()))
        assert seen == [True] and source.in_step() is False
    finally:
        source.remove()


def test_other_boundaries(linear):
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)

    def run():
        for _ in range(4):
            optimizer.zero_grad()
            backward(linear)
            nn.ReLU()(torch.ones(2))  # has no parameters: not the model
            mark_iteration()

    assert collect(run, "zero_grad") == [id(optimizer)] * 4
    assert collect(run, "forward:1") == ["forward"] * 4
    assert collect(run, "forward:2") == ["forward"] * 2
    assert collect(run, "mark") == ["mark"] * 4
    mark_iteration()  # outside a recording: nothing


@pytest.mark.parametrize("kind", ["", "forward:0", "forward:x", "optimizer:2", "step"])
def test_unknown_boundary_is_refused(kind):
    with pytest.raises(ValueError, match="use optimizer, zero_grad, forward:N"):
        check_kind(kind)
