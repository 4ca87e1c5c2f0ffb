"""What `habitat record --no-gpu` writes of backward passes: as torch.profiler shows those of a real one."""

import pytest
from recording_helpers import HEAD, LOOP, QUICK, read_trace, record_script, recorded

torch = pytest.importorskip("torch")
pytest.importorskip("torch", minversion="2.1")

ENGINE = "autograd::engine::evaluate_function: "
ADDS = ENGINE + "torch::autograd::AccumulateGrad"

PLAIN = """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8, bias=False), nn.LayerNorm(8), nn.Linear(8, 2)).to(DEVICE)
def loss_of(x):
    y = model(x)
    with torch.no_grad():
        largest = y.abs().max()
    return (y / largest).square().mean()
"""
AGAIN = """
from torch.utils.checkpoint import checkpoint
model = nn.ModuleList(nn.Linear(8, 8) for _ in range(3)).to(DEVICE)
def loss_of(x):
    for layer in model:
        x = checkpoint(lambda y, layer=layer: layer(y).tanh(), x, use_reentrant=False) + x
    return x.square().mean()
"""
GATHERED = """
model = nn.Linear(8, 8).to(DEVICE)
def loss_of(x):
    model(x).square().mean().backward()
    return model(2 * x).tanh().mean()
"""
OWN = """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0].square() * g
model = nn.Linear(8, 8).to(DEVICE)
def loss_of(x):
    return Cube.apply(model(x)).mean()
"""
TWICE = """
model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)).to(DEVICE)
def loss_of(x):
    x = x.requires_grad_()
    slope, = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return (slope.square().sum(1) - 1).square().mean()
"""
STEPS = {"plain": PLAIN, "again": AGAIN, "gathered": GATHERED, "own": OWN, "twice": TWICE}


def as_script(body, device, width):
    return f"DEVICE = '{device}'\n" + body + f"""
optimizer = torch.optim.SGD(model.parameters(), 0.1)
def step():
    return loss_of(torch.randn(6, {width}, device=DEVICE))
"""


def profiled(body, width):
    """What torch.profiler shows of the second step on the CPU, without gradients that the engine brings to the input of
    torch.autograd.grad(): nothing is added there, so there is no node inside."""
    space = {}
    exec(HEAD + as_script(body, "cpu", width), space)  # noqa: S102
    for i in range(2):
        space["optimizer"].zero_grad()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as seen:
            space["step"]().backward()
    inner = ADDS.removeprefix(ENGINE)
    ran = sorted((e.time_range.start, -e.time_range.end, e.name) for e in seen.events() if e.name.startswith((ENGINE, inner)))
    following = [name for _, _, name in ran[1:]] + [""]
    return [name for (_, _, name), then in zip(ran, following) if name != ADDS or then == inner]


def nodes(all_names, known):
    """Nodes in the order in which they run, without those that only change how a tensor is looked at."""
    return [name.removeprefix(ENGINE) for name in all_names if name.startswith(ENGINE) and name in known]


@pytest.mark.parametrize("kind", STEPS)
def test_nodes_run_as_in_a_real_backward_pass(tmp_path, kind):
    width = 4 if kind == "plain" else 8
    trace = recorded(tmp_path, as_script(STEPS[kind], "cuda", width) + LOOP)
    found = [e["name"] for e in trace["traceEvents"] if e["cat"] == "cpu_op"]
    want = profiled(STEPS[kind], width)
    assert ADDS in found
    assert nodes(found, set(found)) == nodes(want, set(found))


def spans(trace):
    return [(e["ts"], e["ts"] + e["dur"], e) for e in trace["traceEvents"]]


@pytest.mark.parametrize("kind", STEPS)
def test_spans_lie_in_each_other(tmp_path, kind):
    trace = recorded(tmp_path, as_script(STEPS[kind], "cuda", 4 if kind == "plain" else 8) + LOOP)
    open_until = []
    for begin, end, _ in sorted(spans(trace), key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        assert not open_until or end <= open_until[-1]
        open_until.append(end)


def test_a_node_has_the_number_of_what_made_it(tmp_path):
    trace = recorded(tmp_path, as_script(PLAIN, "cuda", 4) + LOOP)
    made = {e["args"]["Sequence number"]: e["name"] for e in trace["traceEvents"] if e["args"].get("Fwd thread id") == 0}
    ran = [(e["name"].removeprefix(ENGINE), made.get(e["args"]["Sequence number"]))
           for e in trace["traceEvents"] if e["args"].get("Fwd thread id") == 1]  # fmt: skip
    assert ran == [
        ("MeanBackward0", "aten::mean"), ("PowBackward0", "aten::pow"), ("DivBackward0", "aten::div"),
        ("AddmmBackward0", "aten::addmm"), ("NativeLayerNormBackward0", "aten::native_layer_norm"),
        ("MmBackward0", "aten::mm"), ("ReluBackward0", "aten::relu"), ("AddmmBackward0", "aten::addmm"),
    ]  # fmt: skip


def test_gradients_show_their_shapes(tmp_path):
    trace = recorded(tmp_path, as_script(PLAIN, "cuda", 4) + LOOP)
    added = [tuple(e["args"]["Input Dims"][0]) for e in trace["traceEvents"] if e["name"] == ADDS]
    assert added == [(2,), (2, 8), (8,), (8,), (8, 8), (8,), (8, 4)]


def test_gradients_of_the_host_are_none(tmp_path):
    code, output = record_script(tmp_path, HEAD + as_script(PLAIN, "cpu", 4) + LOOP, *QUICK)
    assert code == 0 and ADDS not in [e["name"] for e in read_trace(output)["traceEvents"]]


def test_several_gpus_share_what_one_was_asked_for(tmp_path):
    from habitat import Trace

    recorded(tmp_path, as_script(PLAIN, "cuda", 4) + LOOP)
    one, two, parts = (Trace(tmp_path / "step.json.gz").predict("H200-SXM5-141GB", **more)
                       for more in ({}, {"gpu_count": 2}, {"gpu_count": 2, "sharded": True}))  # fmt: skip
    assert one.iteration_ms < two.iteration_ms
    assert one.iteration_ms < parts.iteration_ms
