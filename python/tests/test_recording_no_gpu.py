"""`habitat record --no-gpu`: scripts that ask for a GPU, on a machine without one. Tensors have shapes and no values."""

import pytest
from recording_helpers import (
    HEAD, LINEAR, LOOP, QUICK, SHORT, TRAIN, hooks_in_place, names, no_leftovers, number_types, operations, read_trace, record_script, recorded,
    shapes,
)  # fmt: skip

torch = pytest.importorskip("torch")

@pytest.mark.parametrize(
    "to, device",
    [
        (".cuda()", ", device='cuda'"),
        (".to('cuda:0')", ").to('cuda'"),
        (".to(torch.device('cuda', 0))", ").cuda(non_blocking=True"),
    ],
)
def test_forward_backward_and_optimiser_of_a_script_that_wants_a_gpu(tmp_path, to, device):
    trace = recorded(tmp_path, LINEAR.format(to=to, device=device) + LOOP)
    about = trace["habitat"]
    assert about["recorded_without_gpu"] is True and about["gpu"] is None
    assert about["iteration_ms"] is None and about["timer"] is None
    assert about["batch_size"] == 6 and about["model"] == "Sequential"
    # 4*8+8+8*2+2 parameters of 4 byte; as much for gradients and momentum
    kept = about["memory"]
    assert kept["parameters_bytes"] == kept["gradients_bytes"] == kept["optimizer_state_bytes"] == 58 * 4
    assert shapes(trace, "aten::addmm") == [((8,), (6, 4)), ((2,), (6, 8))]
    assert sorted(shapes(trace, "aten::mm")) == [((2, 6), (6, 8)), ((6, 2), (2, 8)), ((8, 6), (6, 4))]
    assert "aten::threshold_backward" in names(trace) and "aten::_foreach_add_" in names(trace)
    lists = [e["args"]["Input type"][0] for e in operations(trace) if e["name"] == "aten::_foreach_add_"]
    assert set(lists) == {"TensorList[float]"}
    assert "nn.Module: Sequential.0" in names(trace, "user_annotation")
    assert names(trace, "user_annotation")[0] == "ProfilerStep#0"
    assert not [e for e in operations(trace) if e["name"] in ("aten::t", "aten::detach", "aten::empty", "prim::device")]


def test_clipping_gradients_runs_over_lists(tmp_path):
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + """
for i in range(9):
    optimizer.zero_grad()
    step().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
""")  # fmt: skip
    assert names(trace).count("aten::_foreach_norm") == 1 and "aten::_foreach_mul_" in names(trace)
    assert names(trace).count("aten::linalg_vector_norm") == 1  # of the norms


def test_what_runs_on_the_host_is_no_work_of_the_gpu(tmp_path):
    body = LINEAR.format(to="", device="") + LOOP
    code, _ = record_script(tmp_path, HEAD + body, *QUICK)
    assert code == 0
    assert operations(read_trace(tmp_path / "step.json.gz")) == []


def test_everything_is_put_back(tmp_path):
    from torch._subclasses.fake_tensor import FakeTensor

    def seen():
        kind = torch._subclasses.FakeTensor
        return torch.cuda.is_available, torch.Tensor.to, torch.nn.Module._apply, torch.tensor, kind, dict(vars(FakeTensor))

    before = seen()
    recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + LOOP)
    assert before == seen()
    assert torch.ones(2, 2).matmul(torch.ones(2, 2)).tolist() == [[2.0, 2.0], [2.0, 2.0]]


@pytest.mark.parametrize("gradient, size", [
    ("torch.func.vmap(torch.func.grad(loss), (None, 0))", None),  # the model sees one sample of eight
    ("torch.func.grad(lambda p, x: loss(p, x).sum())", 8),
])  # fmt: skip
def test_batch_size_is_none_where_samples_are_mapped_over(tmp_path, gradient, size):
    trace = recorded(tmp_path, f"""
model = nn.Linear(16, 4).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
def loss(parameters, x):
    return torch.func.functional_call(model, parameters, (x.unsqueeze(0) if x.dim() == 1 else x,)).square().mean()
for i in range(9):
    parameters = {{name: p.detach() for name, p in model.named_parameters()}}
    gradients = {gradient}(parameters, torch.randn(8, 16, device="cuda"))
    for name, p in model.named_parameters():
        p.grad = gradients[name].mean(0) if gradients[name].dim() > p.dim() else gradients[name]
    optimizer.step()
""")  # fmt: skip
    assert trace["habitat"]["batch_size"] == size


@pytest.mark.parametrize("said, doubted", [(7, True), (16, False), (32, False), (8, False)])
def test_batch_size_that_is_said_and_not_seen(tmp_path, capfd, said, doubted):
    """Several passes of a step may have a part each: so many times as many are believed."""
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + """
model = nn.Linear(16, 4).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for i in range(9):
    optimizer.zero_grad()
    model(torch.randn(16, 16, device="cuda")).sum().backward()
    optimizer.step()
""", *QUICK, "--batch-size", str(said))  # fmt: skip
    assert trace["habitat"]["batch_size"] == said
    assert ("--batch-size 7 is noted, and the model was given 16 samples" in capfd.readouterr().err) == doubted


def test_autocast_is_that_of_a_gpu(tmp_path):
    trace = recorded(tmp_path, """
model = nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16), nn.Linear(16, 4)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
scaler = torch.amp.GradScaler("cuda")
for i in range(9):
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.float16):
        loss = F.cross_entropy(model(torch.randn(8, 16, device="cuda")), torch.randint(4, (8,), device="cuda"))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
""")  # fmt: skip
    assert trace["habitat"]["autocast"] == "float16"
    assert number_types(trace, "aten::addmm") == number_types(trace, "aten::mm") == {"c10::Half"}
    assert number_types(trace, "aten::native_layer_norm") == {"float"}
    assert number_types(trace, "aten::_log_softmax") == {"c10::Half"}  # which writes fp32, in one kernel
    # Forward: weights and biases once each, the input, what follows the norm; backward: gradients of loss and norm.
    casts = [e for e in operations(trace) if e["name"] == "aten::_to_copy"]
    assert len([e for e in casts if e["args"]["Concrete Inputs"][1] == "5"]) == 4 + 1 + 1 + 2
    assert names(trace).count("aten::_fused_adamw_") == 1
    assert names(trace).count("aten::_amp_foreach_non_finite_check_and_unscale_") == 1


@pytest.mark.parametrize("call, name", [
    ("F.grid_sample(y, torch.rand(2, 8, 8, 2, device='cuda'), align_corners=False)", "aten::grid_sampler_2d"),
    ("F.interpolate(y, scale_factor=2, mode='nearest-exact')", "aten::_upsample_nearest_exact2d"),
    ("F.interpolate(y, size=12, mode='bilinear', antialias=True)", "aten::_upsample_bilinear2d_aa"),
])  # fmt: skip
def test_autocast_samples_images_in_fp32(tmp_path, call, name):
    """grid_sampler takes the widest of its formats, enlarging is in fp32 by every rule of PyTorch's."""
    trace = recorded(tmp_path, f"""
model = nn.Conv2d(3, 8, 3, padding=1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for i in range(9):
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.bfloat16):
        y = model(torch.randn(2, 3, 8, 8, device="cuda"))
        y = {call}
    y.float().square().mean().backward()
    optimizer.step()
""")  # fmt: skip
    assert number_types(trace, name) == {"float"}


@pytest.mark.parametrize("kind, state", [("LSTM", "[1][0]"), ("GRU", "[1]"), ("RNN", "[1]")])
def test_recurrent_layers_are_in_half_whatever_autocast_is(tmp_path, kind, state):
    """As on a GPU: cuDNN's layers take fp16 under bf16, a cell bf16; what follows casts half anew."""
    trace = recorded(tmp_path, f"""
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 4)
        self.layer, self.cell = nn.{kind}(16, 16), nn.{kind}Cell(16, 16)
    def forward(self, x):
        out = self.layer(self.first(x))
        return self.last(out[0]).sum() + self.cell(out{state}[0])[0].sum()
model = Model().cuda()
optimizer = torch.optim.Adam(model.parameters())
def step():
    with torch.autocast("cuda", torch.bfloat16):
        return model(torch.randn(3, 8, 16, device="cuda"))
""" + LOOP)  # fmt: skip
    assert trace["habitat"]["autocast"] == "bfloat16"
    assert number_types(trace, "aten::_cudnn_rnn") == number_types(trace, "aten::_cudnn_rnn_backward") == {"c10::Half"}
    assert number_types(trace, "aten::addmm") == {"c10::BFloat16"}
    casts = [e["args"] for e in operations(trace) if e["name"] == "aten::_to_copy"]
    made = [(c["Input type"][0], c["Concrete Inputs"][1]) for c in casts]
    assert made.count(("float", "5")) >= 4  # the layer's weights and biases: 5 is half
    assert ("c10::BFloat16", "5") in made and ("c10::Half", "15") in made  # into the layer, and out of it


def test_operations_are_those_of_a_gpu(tmp_path):
    """A CPU takes dropout, attention, recurrent layers and norms apart, or has kernels of its own."""
    trace = recorded(tmp_path, """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 16, batch_first=True)
        self.norm = nn.RMSNorm(16)
        self.out = nn.Conv1d(16, 16, 3)
        self.batch = nn.BatchNorm1d(16)
    def forward(self, x):
        x = F.dropout(self.norm(self.lstm(x)[0]), 0.1)
        q = x.unflatten(2, (2, 8)).transpose(1, 2)
        x = F.scaled_dot_product_attention(q, q, q, is_causal=True)
        y = F.scaled_dot_product_attention(q.bfloat16(), q.bfloat16(), q.bfloat16()).float()
        return self.batch(self.out((x + y).transpose(1, 2).flatten(2).transpose(1, 2)))
model = Model().cuda()
optimizer = torch.optim.Adam(model.parameters())
def step():
    return model(torch.randn(3, 8, 16, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    norm = ("_fused_rms_norm",) if torch.__version__ >= "2.9" else ()
    for name in (
        *norm, "_cudnn_rnn", "native_dropout", "cudnn_batch_norm", "convolution",
        "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention",
    ):  # fmt: skip
        backward = {"_cudnn_rnn": "_cudnn_rnn_backward"}.get(name, f"{name}_backward")
        assert names(trace).count(f"aten::{name}") == 1, name
        assert names(trace).count(f"aten::{backward}") == 1, backward


@pytest.mark.parametrize(
    "images, library",
    [
        ("x", "cudnn"), ("x.half()", "cudnn"), ("x.bfloat16()", "native"), ("x.flatten(1)[:, :3]", "native"),
        ("x.double()", "native"), ("x.to(torch.bfloat16)", "native"), ("x.to(torch.float16)", "native"),
    ],
)  # fmt: skip
def test_batch_norm_of_a_format_that_cudnn_has(tmp_path, images, library):
    norm = "nn.BatchNorm1d(3)" if "flatten" in images else "nn.BatchNorm2d(3)"
    weights = images.removeprefix("x") if "double" in images or "torch" in images else ""  # of the same format as the images
    trace = recorded(tmp_path, f"""
model = {norm}.cuda(){weights}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    x = torch.randn(4, 3, 8, 8, device="cuda")
    return model({images}).sum()
""" + LOOP)  # fmt: skip
    assert [n for n in names(trace) if "batch_norm" in n] == [f"aten::{library}_batch_norm", f"aten::{library}_batch_norm_backward"]


USED = """
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(288, 4)).cuda().eval()
layer, drop = nn.LSTM(4, 4).cuda(), nn.Dropout(0.5).cuda()
with torch.MODE():
    for i in range(9):
        model.zero_grad()
        x = torch.randn(2, 3, 8, 8, device="cuda")
        y = drop(model(x).softmax(-1))
        F.cross_entropy(y, torch.tensor([1, 2], device="cuda"))
        F.layer_norm(F.interpolate(F.scaled_dot_product_attention(x, x, x), scale_factor=2), (16,))
        layer(torch.einsum("ij,jk->ik", x[0, 0], x[0, 1]).reshape(4, 4, 4))
        with torch.autocast("cuda", torch.bfloat16):
            F.linear(y.float(), y).half().contiguous()
"""


def test_inference_mode_runs_what_no_grad_runs(tmp_path):
    """Nothing is taken apart before the dispatcher's last step there: not layers, attention, losses nor copies."""
    seen = []
    for mode in ("no_grad", "inference_mode"):
        trace = recorded(tmp_path, USED.replace("MODE", mode), *QUICK, "--boundary", "zero_grad")
        seen.append([(e["name"], e["args"]) for e in operations(trace)])
    assert seen[0] == seen[1] and len(seen[0]) > 15
    assert {"aten::convolution", "aten::addmm", "aten::_cudnn_rnn", "aten::native_dropout"} <= {name for name, _ in seen[1]}


def test_dimensions_of_one_element_have_the_strides_of_real_tensors(tmp_path):
    """A product of a line a sample, as in decoding, is one product of all of them if the lines lie in order."""
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + """
heads = torch.empty_strided((4, 1, 16, 8), (128, 8, 8, 1), device="cuda")
weight = torch.randn(128, 128, device="cuda")
print("strides", heads.reshape(4, 1, 128).stride())
def step():
    return model(torch.randn(6, 4, device="cuda")).sum() + F.linear(heads.reshape(4, 1, 128), weight).sum()
""" + LOOP)  # fmt: skip
    assert ((4, 128), (128, 128)) in shapes(trace, "aten::mm") and "aten::bmm" not in names(trace)


def test_a_script_is_not_told_that_a_graph_is_traced(tmp_path):
    """Transformers ask for fake tensors, and make masks for a graph that they leave out of a step."""
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + """
def step():
    x = torch.randn(6, 4, device="cuda")
    if isinstance(x, torch._subclasses.FakeTensor) or issubclass(type(x), torch._subclasses.FakeTensor):
        x = x * 2
    return model(x).sum()
""" + LOOP)  # fmt: skip
    assert "aten::mul" not in names(trace) and "aten::addmm" in names(trace)


def test_values_are_made_up_and_places_named(tmp_path, capfd):
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + """
for i in range(9):
    optimizer.zero_grad()
    loss = step()
    loss.backward()
    if not torch.isnan(loss):
        print("loss", loss.item())
    optimizer.step()
""")  # fmt: skip
    out, error = capfd.readouterr()
    assert "loss 1.0" in out and "without a GPU" in out
    assert "asked for values of tensors at train.py:16, train.py:17" in error
    assert "got made-up ones (1, False, always finite; choices spread evenly); if it goes another way with real values" in error
    assert "aten::_local_scalar_dense" in names(trace)


FINITE = """
def step():
    x = torch.randn(6, 4, device='cuda')
    loss = model(x).sum()
    well = torch.isfinite(x).all() & loss.isfinite()
    if not torch.isfinite(loss) or not well.cpu() or torch.isnan(x).any().item():
        raise SystemExit("the loss is not finite")
    if ~torch.isfinite(loss) or not torch.logical_not(torch.isinf(loss)):
        raise SystemExit("the loss is infinite")
    assert not (loss == 3) and not (loss != 3)  # of other comparisons nothing is known
    return loss
"""


def test_checks_for_finite_numbers_go_well(tmp_path, capfd):
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + FINITE + LOOP)
    assert "the loss is" not in capfd.readouterr().err
    assert "aten::_local_scalar_dense" in names(trace)


GENERATED = """
generator = torch.Generator(device="cuda").manual_seed(1)
assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
def step():
    return model(torch.randn(6, 4, device="cuda", generator=generator)).sum()
"""


def test_random_numbers_of_a_generator_of_the_gpu(tmp_path):
    kind = torch.Generator
    trace = recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + GENERATED + LOOP)
    assert "aten::randn" in names(trace) and torch.Generator is kind


KNOWN = """
from torch.utils._python_dispatch import _disable_current_modes
{begin}
    widths = (torch.arange(2, 5{device}) * 4 + 0.5).int().tolist()
    rates = [rate.item() for rate in torch.linspace(0, 0.5, 3{device})]
    mask = torch.ones(6, 4, dtype=torch.bool{device})
    seen = torch.zeros(2{device})
    view = seen[:1]
    seen += torch.tensor([3.0, 4.0]{device})
    given = view.item()
    seen.mul_(torch.randn(20{device})[:2])
    labels = torch.randint(7, 8, (6,){device})
    with _disable_current_modes():
        loaded = torch.tensor([5, 6], device="cpu")
    half = torch.tensor(2.0).type_as(torch.ones(1, device="cuda"))
    print("known", widths, rates, bool(mask.all()), given, view.item(), (labels == 7).nonzero().shape[0], loaded.to("cuda").max().item(), half.item())
    print("devices", torch.tensor(3.0{device}).device.type, half.device.type)
model = nn.Linear(4, widths[0]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    return model(torch.randn(6, 4, device="cuda")).sum()
"""


@pytest.mark.parametrize(
    "begin, device, where",
    [
        ("if True:", "", "cpu"),
        ("if True:", ", device='cuda'", "cuda"),
        ('with torch.device("cuda"):', "", "cuda"),
    ],
)
def test_values_that_hang_on_nothing_random_are_right(tmp_path, capfd, begin, device, where):
    trace = recorded(tmp_path, KNOWN.format(begin=begin, device=device) + LOOP)
    out, error = capfd.readouterr()
    # what was multiplied by a random number is no longer known, in its view neither: 1 is given
    assert "known [8, 12, 16] [0.0, 0.25, 0.5] True 3.0 1.0 6 6 2.0" in out
    assert f"devices {where} cuda" in out
    assert "asked for values of tensors at train.py:21:" in error
    assert shapes(trace, "aten::addmm") == [((8,), (6, 4))]


def test_values_are_forgotten_with_what_a_step_writes(tmp_path, capfd):
    recorded(tmp_path, """
model = nn.Linear(4, 2).cuda()
model.bias = nn.Parameter(torch.full((2,), 5.0, device="cuda"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    print("bias", model.bias[0].item())
    return model(torch.randn(6, 4, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    out, error = capfd.readouterr()
    assert "bias 5.0\nbias 1.0" in out and "train.py:11" in error


def test_running_means_are_forgotten(tmp_path, capfd):
    recorded(tmp_path, """
model = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    print("mean", model[1].running_mean[0].item(), model[1].num_batches_tracked.item())
    return model(torch.randn(6, 4, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    out, error = capfd.readouterr()
    assert "mean 0.0 0\nmean 1.0 1\n" in out and "train.py:" in error


def test_values_go_with_the_memory_of_other_data(tmp_path, capfd):
    recorded(tmp_path, """
model = nn.Linear(4, 2).cuda()
kept = torch.zeros(2, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    kept.data = model.bias.detach()
    print("kept", kept[0].item())
    return model(torch.randn(6, 4, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    out, error = capfd.readouterr()
    assert "kept 1.0" in out and "train.py:" in error


COPIED = """
import copy
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).cuda()
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    loss = model(torch.randn(4, 8, 16, device='cuda')).sum()
    with torch.no_grad():
        for mean, now in zip(average.parameters(), model.parameters()):
            mean.lerp_(now, 0.1)
    print(f"{loss:.4f} {loss:>10} {loss}"[:19])
    return loss
"""


def test_models_are_copied_and_losses_formatted(tmp_path, capfd):
    trace = recorded(tmp_path, COPIED + LOOP)
    assert sum(1 for e in operations(trace) if e["name"].endswith("_efficient_attention")) == 2
    assert sum(1 for e in operations(trace) if e["name"] == "aten::lerp_") == 2 * 12
    assert "1.0000        1.0 " in capfd.readouterr().out


KEPT = """
import copy
class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("loss", torch.tensor(0.5))
metric = copy.deepcopy(Metric())
(loaded,) = next(iter(torch.utils.data.DataLoader([(torch.ones(3),)])))
print("copied", metric.loss.item(), copy.deepcopy(torch.tensor(3)).item(), copy.deepcopy(torch.tensor(7).cuda()).item())
print("loaded", copy.deepcopy(loaded).tolist())
"""


def test_tensors_of_the_host_are_copied_with_their_values(tmp_path, capfd):
    """As metrics of torchmetrics copy their beginning, and with them Lightning's logging."""
    recorded(tmp_path, KEPT + LINEAR.format(to=".cuda()", device=", device='cuda'") + LOOP)
    out = capfd.readouterr().out
    assert "copied 0.5 3 7" in out and "loaded [[1.0, 1.0, 1.0]]" in out


def test_torchscript_is_said(tmp_path, capfd):
    scripted = LINEAR.format(to=".cuda()", device=", device='cuda'") + "\nmodel = torch.jit.script(model)\n"
    trace = recorded(tmp_path, scripted + LOOP)
    assert shapes(trace, "aten::addmm") or shapes(trace, "aten::linear")
    assert "the script runs TorchScript (torch.jit)" in capfd.readouterr().err


SCRIPTED = """
import torch
@torch.jit.script
def halved(x, by: int):
    return x / torch.tensor(by).to(x.device)
"""


def test_torchscript_makes_tensors(tmp_path):
    """As DeBERTa of Transformers does where it is imported: torch.tensor is one of ours by then."""
    trace = recorded(tmp_path, SCRIPTED + LINEAR.format(to=".cuda()", device=", device='cuda'") + "print(halved(torch.ones(3, device='cuda'), 2).shape)\n" + LOOP)
    assert shapes(trace, "aten::addmm") or shapes(trace, "aten::linear")


def test_torchscript_that_no_step_runs_is_not_said(tmp_path, capfd):
    recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + "\ntorch.jit.script(nn.Linear(2, 2))\n" + LOOP)
    assert "TorchScript" not in capfd.readouterr().err


def test_compiled_models_run_as_they_are_and_it_is_said(tmp_path, capfd):
    compiled = LINEAR.format(to=".cuda()", device=", device='cuda'") + """
model = torch.compile(model, mode="reduce-overhead")
model.compile()
model = torch.cuda.make_graphed_callables(model, (torch.randn(6, 4, device="cuda"),))
@torch.compile
def twice(x):
    return 2 * x
plain = step
def step():
    return twice(plain())
"""
    trace = recorded(tmp_path, compiled + LOOP)
    assert shapes(trace, "aten::addmm")
    assert "the script compiles (torch.compile, or graphs around modules)" in capfd.readouterr().err
    recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + LOOP)
    assert "compile" not in capfd.readouterr().err


@pytest.mark.parametrize("built", (False, True))
def test_the_class_of_graphs_may_be_named(tmp_path, capfd, monkeypatch, built):
    """Also where PyTorch is built for CUDA: the recorder watches its methods then."""
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: built)
    named = "from typing import Optional\ndef graph_of(known: Optional[torch.cuda.CUDAGraph] = None) -> torch.cuda.CUDAGraph: return known\n"
    named += "assert isinstance(torch.cuda.CUDAGraph, type) and not isinstance(model, torch.cuda.CUDAGraph)\n"
    code, _ = record_script(tmp_path, HEAD + LINEAR.format(to=".cuda()", device=", device='cuda'") + named + LOOP, *QUICK)
    assert code == 0, capfd.readouterr().err


def test_a_cuda_graph_is_refused_in_one_line(tmp_path, capfd):
    graph = LINEAR.format(to=".cuda()", device=", device='cuda'") + "with torch.cuda.graph(torch.cuda.CUDAGraph()):\n    step()\n"
    code, output = record_script(tmp_path, HEAD + graph, *QUICK)
    assert code == 1 and not output.exists()
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and "the script captures a CUDA graph" in lines[0]


def test_a_kernel_of_the_scripts_own_functions_is_refused_in_one_line(tmp_path, capfd):
    attend = "from torch.nn.attention.flex_attention import flex_attention\nx = torch.randn(1, 2, 128, 16, device='cuda')\nflex_attention(x, x, x)\n"
    code, output = record_script(tmp_path, HEAD + attend, *QUICK)
    assert code == 1 and not output.exists()
    lines = [line for line in capfd.readouterr().err.strip().splitlines() if line.startswith("habitat:")]
    assert len(lines) == 1 and "train.py:8: flex_attention is one kernel made of the script's own functions" in lines[0]


def test_a_shape_that_hangs_on_values_is_refused(tmp_path, capfd):
    code, output = record_script(
        tmp_path, HEAD + LINEAR.format(to=".cuda()", device=", device='cuda'") + "step().reshape(1).nonzero()\n", *QUICK
    )
    assert code == 1 and not output.exists()
    error = capfd.readouterr().err
    assert "train.py:11: aten::nonzero asks for the values of a tensor; without a GPU no value is known" in error


def test_a_model_needs_no_memory_of_its_size(tmp_path):
    trace = recorded(tmp_path, """
model = nn.Sequential(nn.Linear(1 << 20, 1 << 20), nn.Linear(1 << 20, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    return model(torch.randn(1 << 10, 1 << 20, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    assert trace["habitat"]["memory"]["parameters_bytes"] > 4 << 40


def test_data_are_loaded_for_real(tmp_path):
    trace = recorded(tmp_path, """
from torch.utils.data import DataLoader, TensorDataset
with torch.utils._python_dispatch._disable_current_modes():
    data = TensorDataset(torch.randn(64, 4), torch.arange(64))
model = nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(data, batch_size=8, shuffle=True, pin_memory=True):
    assert y.tolist()
    optimizer.zero_grad()
    model(x.cuda(non_blocking=True)).sum().backward()
    optimizer.step()
""")  # fmt: skip
    assert shapes(trace, "aten::addmm") == [((2,), (8, 4))]


@pytest.mark.parametrize("more", [("--timed", "3"), ("--pause", "3"), ("--counters",), ("--allow-cpu",)])
def test_what_does_not_go_together(tmp_path, capsys, more):
    from habitat.recording.cli import main

    script = tmp_path / "train.py"
    script.write_text("")
    assert main(["--no-gpu", *more, str(script)]) == 2
    assert "--no-gpu" in capsys.readouterr().err


def test_a_trace_without_a_gpu_is_predicted(tmp_path):
    habitat = pytest.importorskip("habitat")
    recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + LOOP)
    with habitat.Trace(str(tmp_path / "step.json.gz")) as trace:
        fast, slow = trace.predict("H200-SXM5-141GB"), trace.predict("T4")
    assert 0 < fast.busy_ms < slow.busy_ms
    assert fast.iteration_ms == slow.iteration_ms > slow.busy_ms  # so small a step waits for its CPU
    assert fast.low_ms <= fast.iteration_ms / 1.25 and any("without a GPU" in line for line in fast.warnings)


def test_a_recording_of_the_cpu_is_predicted_too(tmp_path):
    """`--allow-cpu`: real tensors; aten::linear counts, what is inside it does not."""
    habitat = pytest.importorskip("habitat")
    code, output = record_script(tmp_path, "STEPS = 99\n" + TRAIN, *SHORT)
    assert code == 0 and read_trace(output)["habitat"]["recorded_without_gpu"] is True
    with habitat.Trace(str(output)) as trace:
        answer = trace.predict("T4", by="op")
    assert answer.iteration_ms > 0
    assert not any("left out" in line for line in answer.warnings), answer.warnings


PARALLEL = """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("{backend}")
model = {wrapper}(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).cuda(), device_ids=[0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    with model.no_sync() if hasattr(model, "no_sync") else torch.no_grad():
        pass
    loss = model(torch.randn(6, 4)).sum()
    parts = [torch.zeros((), device="cuda") for _ in range(dist.get_world_size())]
    dist.all_gather(parts, loss.detach())
    dist.all_reduce(parts[0], async_op=True).wait()
    seen = [None]
    dist.all_gather_object(seen, dist.get_rank())
    assert seen == [0] and dist.is_initialized() and len(parts) == 1
    return loss
"""


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
@pytest.mark.parametrize("wrapper", ["DistributedDataParallel", "nn.DataParallel"])
def test_one_process_of_a_parallel_script(tmp_path, capfd, backend, wrapper):
    trace = recorded(tmp_path, PARALLEL.format(backend=backend, wrapper=wrapper) + LOOP)
    assert shapes(trace, "aten::addmm") == [((8,), (6, 4)), ((2,), (6, 8))]
    assert "the script trains in parallel" in capfd.readouterr().err
    assert not torch.distributed.is_initialized()


def test_models_in_parallel_are_told_only_where_there_are_any(tmp_path, capfd):
    recorded(tmp_path, LINEAR.format(to=".cuda()", device=", device='cuda'") + LOOP)
    assert "in parallel" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "processes, begin, said",
    [
        ("1", "dist.send(torch.zeros(2).cuda(), 1)", "torch.distributed.send()"),
    ],
)
def test_what_needs_other_processes_is_refused_in_one_line(tmp_path, capfd, monkeypatch, processes, begin, said):
    monkeypatch.setenv("WORLD_SIZE", processes)
    body = PARALLEL.format(backend="nccl", wrapper="DistributedDataParallel") + begin + LOOP
    code, _ = record_script(tmp_path, HEAD + body, *QUICK)
    lines = capfd.readouterr().err.strip().splitlines()
    assert code == 1 and len(lines) == 1
    assert f"{said}: without a GPU one process on one GPU is recorded; run it as one process (WORLD_SIZE=1" in lines[0]


MANY = PARALLEL + """
shares = torch.utils.data.distributed.DistributedSampler(range(64))
assert dist.get_world_size() == 4 and dist.get_rank() == 2 and list(shares)[:2] != [0, 1] and len(shares) == 16
whole, part, names = torch.zeros(4, 3, device="cuda"), torch.zeros(1, 3, device="cuda"), [None] * 4
dist.all_gather_into_tensor(whole, part)
dist.reduce_scatter_tensor(part, whole)
dist.all_gather_object(names, "mine")
assert names == ["mine"] * 4
dist.barrier()
"""


def test_one_of_several_processes_does_what_is_its_own(tmp_path, capfd, monkeypatch):
    for name, value in (("WORLD_SIZE", "4"), ("RANK", "2"), ("LOCAL_RANK", "0")):
        monkeypatch.setenv(name, value)
    body = MANY.format(backend="nccl", wrapper="DistributedDataParallel").replace("assert seen == [0] and", "assert seen == [2] and")
    code, _ = record_script(tmp_path, HEAD + body.replace("len(parts) == 1", "len(parts) == 4") + LOOP, *QUICK)
    assert code == 0 and "habitat predict --gpus 4 adds it" in capfd.readouterr().err
    trace = read_trace(tmp_path / "step.rank2.json.gz")
    assert shapes(trace, "aten::addmm") == [((8,), (6, 4)), ((2,), (6, 8))]
    assert trace["habitat"]["rank"] is None and trace["habitat"]["world_size"] is None
    assert names(trace).count("aten::copy_") == 1  # of the gathered losses its own


GATHERS = """
table = nn.Parameter(torch.randn(100, 16, device="cuda"))
rows = torch.randint(100, (50,), device="cuda")
optimizer = torch.optim.SGD([table], lr=0.1)
def step():
    drawn = torch.randint(100, (7,), device="cuda")
    picked = table[rows]
    some = torch.gather(picked, 1, torch.zeros(50, 4, dtype=torch.long, device="cuda"))
    return picked.new_zeros(100, 4).scatter_add(0, rows[:, None].expand(-1, 4), some).sum()
"""


def test_gradients_of_gathers_add_into_zeros_in_place(tmp_path):
    trace = recorded(tmp_path, GATHERS + LOOP)
    names = [e["name"].removeprefix("aten::") for e in operations(trace)]
    assert [n for n in names if n.startswith(("scatter", "index_put"))] == ["scatter_add", "scatter_add_", "index_put_"]
    assert shapes(trace, "aten::zero_") == [((100, 4),), ((50, 16),), ((100, 16),)]
    assert shapes(trace, "aten::random_") == [((7,),)] and "new_zeros" not in names and "randint" not in names


def test_batched_products_are_added_to_a_copy(tmp_path):
    """But where the factor is zero, and in place. Of a single product the copy is no operation of its own."""
    trace = recorded(tmp_path, """
w = nn.Parameter(torch.randn(2, 4, 4, device="cuda"))
optimizer = torch.optim.SGD([w], lr=0.1)
def step():
    x, row = w.detach(), torch.ones(2, 1, 4, device="cuda")
    torch.baddbmm(row, x, x)
    torch.baddbmm(row, x, x, beta=0)
    torch.ones(2, 4, 4, device="cuda").baddbmm_(x, x)
    torch.addmm(x[0], x[0], x[1])
    return w.sum()
""" + LOOP)  # fmt: skip
    into = [e["args"] for e in operations(trace) if e["name"] == "aten::copy_"]
    assert [a["Input Dims"][:2] for a in into] == [[[2, 4, 4], [2, 4, 4]]] * 2  # the second: a gradient
    assert into[0]["Input Strides"][:2] == [[16, 4, 1], [4, 0, 1]]


def test_norms_say_that_their_channels_are_last(tmp_path):
    trace = recorded(tmp_path, """
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(2, 3, 6, 6, device="cuda").to(memory_format=torch.channels_last)
def step():
    with torch.autocast("cuda", torch.bfloat16):
        return model(x).sum()
""" + LOOP)  # fmt: skip
    strides = [e["args"]["Input Strides"] for e in operations(trace) if e["name"].startswith("aten::native_batch_norm")]
    last = [128, 1, 32, 8]
    assert strides[0][0] == last and strides[1][1] == last and len(strides) == 2


def test_clones_note_their_memory_format(tmp_path):
    trace = recorded(tmp_path, """
x = nn.Parameter(torch.randn(2, 3, 4, 5, device="cuda"))
optimizer = torch.optim.SGD([x], lr=0.1)
def step():
    y = x.detach().transpose(1, 2)
    for z in (y.contiguous(), y.clone(), x.detach().contiguous(memory_format=torch.channels_last)):
        z.add_(1)
    return x.sum()
""" + LOOP)  # fmt: skip
    assert [e["args"]["Concrete Inputs"][1] for e in operations(trace) if e["name"] == "aten::clone"] == ["0", "1", "2"]


def test_channels_stay_last(tmp_path):
    trace = recorded(tmp_path, """
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1)).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    return model(torch.randn(2, 3, 6, 6, device="cuda")).sum()
""" + LOOP)  # fmt: skip
    strides = {e["name"]: e["args"]["Input Strides"][0] for e in operations(trace)}
    assert strides["aten::cudnn_batch_norm"] == strides["aten::relu"] == strides["aten::convolution"] == [128, 1, 32, 8]
    assert strides["aten::threshold_backward"] == strides["aten::cudnn_batch_norm_backward"] == [128, 1, 32, 8]


def test_layer_norm_copies_what_is_not_contiguous(tmp_path):
    trace = recorded(tmp_path, """
norm = nn.LayerNorm(6).cuda()
optimizer = torch.optim.SGD(norm.parameters(), lr=0.1)
def step():
    return (norm(torch.randn(2, 6, 5, device="cuda").transpose(1, 2)).sum() + norm(torch.randn(2, 5, 6, device="cuda")).sum())
""" + LOOP)  # fmt: skip
    copied = [(e["args"]["Input Dims"][0], e["args"]["Input Strides"][0]) for e in operations(trace) if e["name"] == "aten::clone"]
    turned = ([2, 5, 6], [30, 1, 5])
    assert copied.count(turned) == 2  # forward and backward; the expanded gradients are copied, too
    assert all(strides != [30, 6, 1] for _, strides in copied)
