"""What a step keeps in memory between two iterations."""

import pytest
import torch
from recording_helpers import read_trace

import habitat
from habitat.recording.footprint import Optimizers, footprint


@pytest.fixture
def trained():
    """Linear 4 -> 3 with bias after a step of Adam, a batch norm of 3 channels that shares nothing."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    seen = Optimizers()
    seen.start()
    model(torch.randn(5, 4)).sum().backward()
    optimizer.step()
    seen.remove()
    return model, seen.found()


def test_bytes_of_a_small_network(trained):
    model, optimizers = trained
    kept = footprint([model], optimizers)
    parameters = 4 * (12 + 3 + 3 + 3)  # weight, bias, and two of the batch norm, 4 bytes each
    assert kept["parameters_bytes"] == kept["gradients_bytes"] == parameters
    assert kept["buffers_bytes"] == 4 * 3 * 2 + 8  # running mean and variance; a counter of 64 bits
    assert kept["optimizer_state_bytes"] == 2 * parameters + 4 * 4  # two moments, and a step count a parameter
    assert kept["optimizers"] == ["Adam"] and kept["parameter_sizes"] == {"float32": [12, 3, 3, 3]}
    assert kept["allocated_between_iterations_bytes"] is None  # no allocator of a GPU


def test_shared_and_frozen_parameters_count_once(trained):
    model, optimizers = trained
    alias = torch.nn.Linear(4, 3)
    alias.weight = model[0].weight
    alias.bias.requires_grad_(False)
    kept = footprint([model, alias, model], optimizers)
    assert kept["parameters_bytes"] == 4 * (21 + 3)
    assert kept["parameter_sizes"] == {"float32": [12, 3, 3, 3]}


def test_gradients_that_were_dropped_are_not_counted(trained):
    model, optimizers = trained
    model.zero_grad(set_to_none=True)
    assert footprint([model], optimizers)["gradients_bytes"] == 0


def test_no_module_no_footprint():
    assert footprint([], []) is None and footprint([torch.nn.ReLU()], []) is None


def test_an_optimiser_after_the_observation_is_not_seen(trained):
    _, optimizers = trained
    seen = Optimizers()
    seen.start()
    seen.remove()
    seen.remove()  # twice is no error
    optimizers[0].step()
    assert seen.found() == []


def test_recordings_carry_it(tmp_path):
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step():
        optimizer.zero_grad()
        model(torch.randn(2, 4)).sum().backward()
        optimizer.step()

    habitat.record_iterations(
        step, path=tmp_path / "a.json", iterations=1, warmup=1, timed=1, allow_cpu=True, pause=0.0
    )  # fmt: skip
    with habitat.record(tmp_path / "b.json", allow_cpu=True):
        step()
    for name in ("a.json", "b.json"):
        kept = read_trace(tmp_path / name)["habitat"]["memory"]
        assert kept["parameters_bytes"] == kept["gradients_bytes"] == kept["optimizer_state_bytes"] == 60
        assert kept["optimizers"] == ["SGD"]
