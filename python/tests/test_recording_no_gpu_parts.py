"""`habitat record --no-gpu` on scripts that keep weights in parts: the step of one GPU, in the policy's formats."""

import random

import pytest
from recording_helpers import HEAD, LOOP, QUICK, names, number_types, operations, record_script, recorded, shapes

torch = pytest.importorskip("torch")
fsdp = pytest.importorskip("torch.distributed.fsdp")
pytestmark = pytest.mark.skipif(not hasattr(fsdp, "fully_shard"), reason="PyTorch 2.6 and later have it there")

MODEL = """
import functools
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    FSDPModule, FullyShardedDataParallel, MixedPrecision, MixedPrecisionPolicy, StateDictType, fully_shard,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy
from torch.utils.checkpoint import checkpoint
dist.init_process_group("nccl")
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)
    def forward(self, x):
        return x + self.down(self.up(self.norm(x)).relu())
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layers = nn.Embedding(10, 8), nn.ModuleList(Layer() for _ in range(2))
    def forward(self, x):
        x = self.words(x)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return F.linear(x, self.words.weight)
model = Model().cuda()
def step():
    return F.cross_entropy(model(torch.randint(10, (4,), device="cuda")).float(), torch.randint(10, (4,), device="cuda"))
"""
SHARD = """
mesh = init_device_mesh("cuda", (dist.get_world_size(),))
policy = MixedPrecisionPolicy({policy})
for layer in model.layers:
    fully_shard(layer, mesh=mesh, mp_policy=policy)
fully_shard(model, mesh=mesh, mp_policy=policy)
assert isinstance(model, FSDPModule) and isinstance(model.layers[0], (Layer, FSDPModule))
model.set_requires_gradient_sync(True)
model.unshard()
"""
WRAP = """
model = FullyShardedDataParallel(model, auto_wrap_policy={wrap}, mixed_precision=MixedPrecision({policy}), device_id=0)
assert "layers.0.norm.weight" in dict(model.named_parameters())
with model.no_sync(), FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT):
    model.clip_grad_norm_(1.0)
"""
OPTIMIZER = "optimizer = torch.optim.AdamW(model.parameters(), fused=True)\n"
NARROW = "param_dtype=torch.bfloat16, reduce_dtype=torch.float32"
WAYS = {
    "fully_shard": SHARD.format(policy=NARROW),
    "by class": WRAP.format(policy=NARROW, wrap="ModuleWrapPolicy({Layer})"),
    "by size": WRAP.format(policy=NARROW, wrap="functools.partial(size_based_auto_wrap_policy, min_num_params=200)"),
    "at once": WRAP.format(policy=NARROW, wrap="None"),
}
WEIGHTS = 2 * 6 + 1


def casts(trace, number):
    return [e for e in operations(trace) if e["name"] == "aten::_to_copy" and e["args"]["Concrete Inputs"][1] == number]


@pytest.mark.parametrize("way", WAYS)
def test_weights_are_in_the_formats_of_the_policy(tmp_path, capfd, way):
    trace = recorded(tmp_path, MODEL + WAYS[way] + OPTIMIZER + LOOP)
    narrow = {"c10::BFloat16"}
    assert number_types(trace, "aten::addmm") == number_types(trace, "aten::native_layer_norm") == narrow
    assert number_types(trace, "aten::mm") == narrow
    # each weight once, in the forward pass; those of the layers, which are run again, twice. Both ends of the table are one weight.
    assert len(casts(trace, "15")) == WEIGHTS + 2 * 6 + 1  # and the gradient of what was cast for the loss
    assert len(casts(trace, "6")) == WEIGHTS + 1  # gradients of weights, and the loss
    assert names(trace).count("autograd::engine::evaluate_function: ToCopyBackward0") == WEIGHTS + 1
    said = capfd.readouterr().err
    assert "keeps weights in parts" in said and "--gpus N --sharded" in said
    assert trace["habitat"]["memory"]["parameters_bytes"] == (10 * 8 + 2 * (16 + 8 * 16 + 16 + 16 * 8 + 8)) * 4


def test_without_a_policy_formats_stay(tmp_path):
    trace = recorded(tmp_path, MODEL + SHARD.format(policy="") + OPTIMIZER + LOOP)
    assert number_types(trace, "aten::addmm") == {"float"} and not casts(trace, "15")
    assert shapes(trace, "aten::addmm")[0] == ((16,), (4, 8))


def test_outputs_have_the_format_that_the_policy_says(tmp_path):
    body = (MODEL + SHARD.format(policy=NARROW + ", output_dtype=torch.float32")).replace(".float(), torch", ", torch")
    trace = recorded(tmp_path, body + OPTIMIZER + LOOP)
    assert number_types(trace, "aten::_log_softmax") == {"float"}


def test_pytorch_is_as_it_was(tmp_path):
    kind = fsdp.FullyShardedDataParallel
    before = fsdp.fully_shard, dict(vars(kind)), torch.distributed.device_mesh.init_device_mesh
    recorded(tmp_path, MODEL + WAYS["by class"] + OPTIMIZER + LOOP)
    assert before == (fsdp.fully_shard, dict(vars(kind)), torch.distributed.device_mesh.init_device_mesh)
    assert not torch.distributed.is_initialized()


MESH = """
mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("replicas", "parts"))
for layer in [*model.layers, model]:
    fully_shard(layer, mesh=mesh)
"""


def test_a_mesh_of_more_processes_than_there_are_is_refused_in_one_line(tmp_path, capfd):
    code, _ = record_script(tmp_path, HEAD + MODEL + MESH + OPTIMIZER + LOOP, *QUICK)
    lines = capfd.readouterr().err.strip().splitlines()
    assert code == 1 and len(lines) == 1
    assert "the script wants 8 processes" in lines[0] and "WORLD_SIZE=8 RANK=0 LOCAL_RANK=0 habitat record" in lines[0]


def test_one_process_of_a_mesh_is_recorded(tmp_path, capfd, monkeypatch):
    for name, value in (("WORLD_SIZE", "8"), ("RANK", "0"), ("LOCAL_RANK", "0")):
        monkeypatch.setenv(name, value)
    code, _ = record_script(tmp_path, HEAD + MODEL + MESH + OPTIMIZER + LOOP, *QUICK)
    assert code == 0 and "--gpus 8 --sharded" in capfd.readouterr().err


def test_weights_in_the_format_of_the_policy_take_no_memory(tmp_path):
    """What is gathered is gone behind a layer, where autograd would keep casts of weights; the peaks of a wide layer and its step."""
    body = """
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
torch.distributed.init_process_group("nccl")
model = nn.Sequential(nn.Linear(4096, 4096, bias=False), nn.Linear(4096, 4096, bias=False)).cuda()
{parts}
optimizer = torch.optim.{optimizer}
def step():
    return model(torch.randn(8, 4096, device="cuda", dtype=torch.bfloat16)).sum()
"""
    parts = "for layer in model: fully_shard(layer, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))"
    weight = 4096 * 4096 * 4
    def most(about, name):
        sizes = about[f"peak_{name}_moments_bytes"]
        return max((kept + grown for kept, grown in zip(sizes[::2], sizes[1::2])), default=0)

    found = recorded(tmp_path, body.format(parts=parts, optimizer="SGD(model.parameters(), 0.1, foreach=False)") + LOOP)["habitat"]
    assert found["weights_in_parts"] is True
    # weights and gradients of both; the gradient of a weight in bf16 before it is cast, and cuBLAS' workspaces
    workspaces = 2 * (34 << 20)
    assert most(found, "passes") == pytest.approx(4 * weight + weight / 2 + workspaces, rel=0.01)
    assert found["peak_memory_bytes"] == most(found, "passes") and most(found, "steps") < most(found, "passes")
    whole = recorded(tmp_path, body.format(parts="model.to(torch.bfloat16)", optimizer="Adam(model.parameters(), foreach=True)") + LOOP)["habitat"]
    assert "weights_in_parts" not in whole
    # weights, gradients and two states in bf16; the step makes lists of roots beside them
    assert most(whole, "passes") == pytest.approx(4 * weight + workspaces, rel=0.01)
    assert whole["peak_memory_bytes"] == most(whole, "steps") >= most(whole, "passes") + 0.99 * weight


def test_moments_are_those_that_are_the_most_for_some_batch():
    from habitat.recording.without_gpu.allocations import MOMENTS_MOST, outermost

    draw = random.Random(7)
    for many in (0, 1, 2, 3, 10, 300):
        for _ in range(20):
            moments = [(draw.randrange(1000), draw.randrange(1000)) for _ in range(many)]
            corners = outermost(moments)
            assert len(corners) <= MOMENTS_MOST and set(corners) <= set(moments)
            for batch in (0.01, 0.1, 0.5, 1, 2, 3, 10, 1000):
                most, told = (max((kept + grown * batch for kept, grown in of), default=0) for of in (moments, corners))
                assert told == most
    assert len(outermost([(1000 - n * n, n) for n in range(30)])) == MOMENTS_MOST


def test_a_larger_batch_takes_what_the_moments_say(tmp_path):
    """The recorded peak of a batch is the one that another batch's moments give for it."""
    body = """
model = nn.Sequential(*(layer for _ in range(4) for layer in (nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU()))).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
def step():
    with torch.autocast("cuda", torch.bfloat16):
        return model(torch.randn({batch}, 256, device="cuda")).square().mean()
"""

    def about(batch):
        return recorded(tmp_path, body.format(batch=batch) + LOOP)["habitat"]

    small = about(512)
    sizes = [v for name in ("passes", "steps") for v in small[f"peak_{name}_moments_bytes"]]
    for batch in (512, 4096, 65536):
        said = max(kept + grown * batch / 512 for kept, grown in zip(sizes[::2], sizes[1::2]))
        assert said == pytest.approx(about(batch)["peak_memory_bytes"], rel=0.01)
