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


@pytest.mark.parametrize(
    "sparse, numbers",
    [
        (lambda two: torch.sparse_coo_tensor([[0, 2], [1, 3]], two, (3, 4)), 2 + 2),
        (lambda two: torch.sparse_csr_tensor([0, 1, 1, 2], [1, 3], two, (3, 4)), 4 + 2),
        (lambda two: torch.sparse_csc_tensor([0, 0, 1, 1, 2], [0, 2], two, (3, 4)), 5 + 2),
    ],
)
def test_sparse_tensors_take_what_is_in_them(sparse, numbers):
    """Two elements of fp32, and numbers of 64 bit: of the places, or of where rows (columns) begin and end and of what is in them."""
    model = torch.nn.Linear(4, 3)
    model.register_buffer("kept", sparse(torch.ones(2)))
    assert footprint([model], [])["buffers_bytes"] == 2 * 4 + 8 * numbers


def test_gradients_of_an_embedding_are_sparse():
    model = torch.nn.Embedding(100, 8, sparse=True)
    model(torch.tensor([3, 5, 3])).sum().backward()
    assert footprint([model], [])["gradients_bytes"] == 3 * (8 * 4 + 8)  # a row and its number for each index


class Halves(torch.Tensor):
    """A tensor that keeps its elements in two others, as a shard or a quantised weight keeps them in some."""

    @staticmethod
    def __new__(cls, first, second):
        shape = (first.shape[0] + second.shape[0], *first.shape[1:])
        return torch.Tensor._make_wrapper_subclass(cls, shape, dtype=first.dtype, device=first.device)

    def __init__(self, first, second):
        self.first, self.second = first, second

    def __tensor_flatten__(self):
        return ["first", "second"], None

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].first, args[0].second)
        raise NotImplementedError(func)


def test_tensors_that_wrap_others_take_what_those_take():
    model = torch.nn.Linear(4, 6, bias=False)
    kept = torch.zeros(2, 4)
    model.weight = torch.nn.Parameter(Halves(kept, torch.zeros(4, 4)))
    assert footprint([model], [])["parameters_bytes"] == 4 * (2 * 4 + 4 * 4)
    model.weight = torch.nn.Parameter(Halves(kept, kept))
    assert footprint([model], [])["parameters_bytes"] == 4 * 2 * 4  # the same memory


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
