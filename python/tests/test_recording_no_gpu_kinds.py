"""`habitat record --no-gpu` on kinds of scripts whose operations go by values, lengths or masks: routers, packed sequences, attention."""

import logging
import textwrap

import pytest
from recording_helpers import HEAD, LINEAR, LOOP, QUICK, names, operations, record_script, recorded, shapes

import habitat

torch = pytest.importorskip("torch")

ON_GPU = LINEAR.format(to=".cuda()", device=", device='cuda'")


def refused(folder, capfd, body):
    """What a script is refused with, in one line."""
    code, _ = record_script(folder, HEAD + body, *QUICK)
    error = capfd.readouterr().err
    assert code == 1 and "Traceback" not in error
    return error


ROUTER = """
gate, experts = nn.Linear(4, 3).cuda(), nn.ModuleList(nn.Linear(4, 4) for _ in range(3)).cuda()
optimizer = torch.optim.SGD([*gate.parameters(), *experts.parameters()], lr=0.1)
def step():
    x = torch.randn(12, 4, device="cuda")
    weight, chosen = gate(x).softmax(-1).topk(2, -1)
    out = torch.zeros_like(x)
    for e in range(3):
        row, which = torch.where(chosen == e)
        out.index_add_(0, row, experts[e](x[row]) * weight[row, which, None])
    first = chosen[:, 0].bincount(minlength=3).tolist()
    print("first", first)
    return out.sum()
"""


def test_a_router_sends_as_many_rows_to_each_expert(tmp_path, capfd):
    trace = recorded(tmp_path, ROUTER + LOOP)
    out, error = capfd.readouterr()
    # 12 rows choose two of three experts each: 8 rows an expert
    assert shapes(trace, "aten::addmm")[1:] == [((4,), (8, 4))] * 3
    assert "first [4, 4, 4]" in out
    assert "goes by its own choice among values (topk, argmax, max, argmin, min) at train.py:14, train.py:16" in error


@pytest.mark.parametrize("choose", ["x.argmax(1)", "x.max(1).indices", "x.max(1, keepdim=True)[1].squeeze(1)", "x.t().argmax(0)", "x.argmin(1)", "x.min(1).indices"])
def test_choices_go_round(tmp_path, capfd, choose):
    recorded(tmp_path, ON_GPU + f"x = torch.randn(5, 3, device='cuda')\nprint('chosen', ({choose}).tolist())\n" + LOOP)
    assert "chosen [0, 1, 2, 0, 1]" in capfd.readouterr().out


def test_a_number_that_comes_of_a_choice_is_told_with_other_values(tmp_path, capfd):
    body = "\nx = torch.randn(6, 3, device='cuda')\nright = (x.argmax(1) == 1).sum().item()\nprint('right', right)\n"
    recorded(tmp_path, ON_GPU + body + LOOP)
    out, error = capfd.readouterr()
    assert "right 2" in out and "asked for values of tensors at train.py:13:" in error and "goes by its own choice" not in error


def test_values_of_a_whole_tensor_are_made_up_and_told(tmp_path, capfd):
    body = "\nx = torch.randn(3, device='cuda')\nprint('made up', x.tolist(), (x > 0).cpu().numpy())\n"
    recorded(tmp_path, ON_GPU + body + LOOP)
    out, error = capfd.readouterr()
    assert "made up [1.0, 1.0, 1.0] [False False False]" in out and "at train.py:13:" in error


def test_what_initialisation_asks_is_not_told(tmp_path, capfd):
    """It draws weights again until they are near enough. What the script itself asks on the same line is told."""
    drawn = "weight = nn.init.trunc_normal_(torch.empty(40, 40, device='cuda'), std=0.5)"
    recorded(tmp_path, ON_GPU + f"\n{drawn}\n" + LOOP)
    assert "asked for values" not in capfd.readouterr().err
    recorded(tmp_path, ON_GPU + f"\n{drawn}; print('far', (weight > 1).any().item())\n" + LOOP)
    out, error = capfd.readouterr()
    assert "far False" in out and "asked for values of tensors at train.py:12:" in error


EDGES = """
edges = torch.randint(0, 500, (2, 100_000), device="cuda")
kept = edges[:, edges[0] != edges[1]]
weight = torch.randn(100_000, device="cuda")
print("loops", 100 < 100_000 - kept.shape[1] < 300)
"""


def test_edges_of_a_graph_are_taken_out_by_a_mask(tmp_path, capfd):
    """One of 500 is a loop on the average; numbers of which nothing is known choose nothing."""
    recorded(tmp_path, ON_GPU + EDGES + LOOP)
    out, error = capfd.readouterr()
    assert "loops True" in out and "asked for values" not in error
    trace = recorded(tmp_path, ON_GPU + EDGES + "total = 0\nfor i in range(9):\n    optimizer.zero_grad()\n    step().backward()\n"
                     "    total = total + edges[:, edges[0] != edges[1]].sum()\n    optimizer.step()\n")  # fmt: skip
    ((mask, (found, _)),) = shapes(trace, "aten::nonzero")
    assert mask == (100_000,) and 99_700 < found < 99_900
    # the kernel's numbers are those of its leading dimensions
    [(source, [chosen])] = shapes(trace, "aten::index")
    assert source == (100_000, 2) and 99_700 < chosen[0] < 99_900
    assert "aten::index asks for the values of a tensor" in refused(tmp_path, capfd, ON_GPU + EDGES + "edges[:, weight > 0]\n" + LOOP)


MASKED = """
def step():
    labels = torch.randint(-100, 10, (6,), device="cuda") * 0 + torch.tensor([3, -100, 1, 1, -100, 0], device="cuda")
    kept = labels >= 0
    out = model(torch.randn(6, 4, device="cuda"))
    every = out.masked_select(kept[:, None])
    print("kept", tuple(out[kept].shape), tuple(out[kept, 1].shape), tuple(every.shape))
    return nn.functional.cross_entropy(out[kept], labels[kept] % 2) + every.sum()
"""


def test_a_known_mask_takes_rows_of_what_is_not_known(tmp_path, capfd):
    """As losses do that leave out labels: the mask says how many rows there are, whatever is in them."""
    trace = recorded(tmp_path, ON_GPU + MASKED + LOOP)
    out, error = capfd.readouterr()
    assert "kept (4, 2) (4,) (8,)" in out and "asked for values" not in error
    assert shapes(trace, "aten::_log_softmax")[0][0] == (4, 2)
    hidden = MASKED.replace("labels >= 0", "model(torch.randn(6, 4, device='cuda'))[:, 0] > 0")
    assert "aten::masked_select asks for the values of a tensor" in refused(tmp_path, capfd, ON_GPU + hidden + LOOP)


DRAWN = """
skip = [torch.rand(1).item() for _ in range(4)] + [torch.empty(1).uniform_(2, 3).item()]
print("differ", len(set(skip)) == 5 and 2 <= skip[4] < 3, torch.bernoulli(torch.ones(2)).tolist())
"""


def test_few_random_numbers_of_the_host_are_drawn(tmp_path, capfd):
    recorded(tmp_path, DRAWN + ON_GPU + LOOP)
    out, error = capfd.readouterr()
    assert "differ True [1.0, 1.0]" in out and "asked for values" not in error


POLICY = """
def step():
    d = torch.distributions.Categorical(logits=model(torch.randn(6, 4, device="cuda")))
    n = torch.distributions.Normal(torch.zeros(2, device="cuda"), torch.ones(2, device="cuda"))
    return d.log_prob(d.sample()).sum() + n.log_prob(torch.randn(2, device="cuda")).sum()
"""


@pytest.mark.parametrize("device", ["", ", device='cuda'"])
def test_samples_are_split_by_random_numbers(tmp_path, capfd, device):
    body = f"\ntraining = (torch.rand(500{device}) < 0.8).cuda()\nx = torch.randn(500, 4, device='cuda')\n"
    body += "def step():\n    return model(x[training]).sum()\n"
    trace = recorded(tmp_path, ON_GPU + body + LOOP)
    ((_, (rows, _)),) = {pair for pair in shapes(trace, "aten::addmm") if pair[0] == (8,)}
    assert 350 < rows < 450 and "asked for values" not in capfd.readouterr().err


def test_distributions_find_their_numbers_valid(tmp_path):
    trace = recorded(tmp_path, ON_GPU + POLICY + LOOP)
    assert "aten::exponential_" in names(trace) and "aten::_is_all_true" not in names(trace) and "aten::all" in names(trace)


def test_distributions_of_an_older_pytorch_find_their_numbers_valid(tmp_path, capfd, monkeypatch):
    """Before 2.7 they asked another operation, whose answer nothing tells from one that the script asks for."""
    monkeypatch.setattr(torch, "_is_all_true", lambda valid: valid.all())
    recorded(tmp_path, ON_GPU + POLICY + LOOP)
    assert "asked for values" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "body, said",
    [
        ("torch.eye(4).to_sparse().cuda()", "aten::_to_copy"),
        ("torch.eye(4).cuda().to_sparse()", "aten::_to_sparse"),
        ("nn.Embedding(9, 4, sparse=True).cuda()(torch.tensor([1, 2], device='cuda')).sum().backward()", "sparse tensor"),
        ("torch.nested.nested_tensor([torch.ones(3, 4), torch.ones(5, 4)], layout=torch.jagged).cuda()", "torch.nested"),
    ],
)
def test_what_has_no_shape_is_refused_in_one_line(tmp_path, capfd, body, said):
    error = refused(tmp_path, capfd, body + "\n")
    assert "train.py:6: " in error and said in error and "record on a machine with a GPU" in error


def test_a_pytorch_built_for_cuda_asks_for_its_driver():
    from habitat.recording.without_gpu.fake import lacks_shapes

    assert lacks_shapes(RuntimeError("Found no NVIDIA driver on your system. Please check"))
    assert lacks_shapes(NotImplementedError("Could not run 'aten::_to_copy' with arguments"))
    assert not lacks_shapes(NotImplementedError("forward")) and not lacks_shapes(RuntimeError("mat1 and mat2 shapes"))


def test_a_pytorch_built_for_cuda_finds_no_gpu_before_its_first_tensor(tmp_path, monkeypatch):
    """It asks the driver there, since torch.cuda.is_available() says that there is a GPU (PyTorch 2.11)."""
    from torch._subclasses import fake_tensor

    def first(device):
        if torch.cuda.is_available():
            raise RuntimeError("Found no NVIDIA driver on your system.")

    monkeypatch.setattr(fake_tensor, "init_gpu_context", first, raising=False)  # as it is called since 2.5
    recorded(tmp_path, ON_GPU + LOOP)
    assert fake_tensor.init_gpu_context is first


def test_rules_of_shapes_do_not_look_for_the_gpu(tmp_path):
    """PyTorch's own rules run beside the mode (that of a layer norm in 2.6); a call that goes to the tensor's GPU first finds none."""
    recorded(tmp_path, ON_GPU + """
from torch.utils._python_dispatch import _disable_current_modes
x = torch.randn(4, 6, device="cuda").t()
with _disable_current_modes():
    assert x.contiguous().device.type == "cuda"
""" + LOOP)  # fmt: skip


@pytest.mark.parametrize(
    "step, read, written",
    [
        ("SGD(WEIGHTS, lr=0.1, fused=True)", 2, 1),
        ("SGD(WEIGHTS, lr=0.1, momentum=0.9, fused=True)", 3, 2),
        ("Adagrad(WEIGHTS, fused=True)", 3, 2),
        ("Adam(WEIGHTS, fused=True)", 4, 3),
        ("Adam(WEIGHTS, amsgrad=True, fused=True)", 5, 4),
        ("AdamW(WEIGHTS, lr=torch.tensor(0.1), fused=True)", 4, 3),
    ],
)
def test_a_step_of_an_optimiser_in_one_kernel(tmp_path, step, read, written):
    """PyTorch has a rule of shapes for Adam's alone; before 2.12 CUDA has none of Adagrad."""
    if "Adagrad" in step and torch.__version__ < "2.12":
        pytest.skip("PyTorch refuses it on a GPU")
    trace = recorded(tmp_path, ON_GPU + f"optimizer = torch.optim.{step.replace('WEIGHTS', 'model.parameters()')}\n" + LOOP)
    name = f"aten::_fused_{step.split('(')[0].lower()}_"
    assert names(trace).count(name) == 1
    assert {n for n in names(trace) if n.startswith("aten::_foreach_")} <= {"aten::_foreach_add_"}  # counters of steps
    with habitat.Trace(str(tmp_path / "step.json.gz")) as recording:
        (row,) = [row for row in recording.explain("H200-SXM5-141GB")["rows"] if row["op"] == name]
    assert row["class"] == "optimizer" and row["bytes"] == 58 * 4 * (read + written)  # the model has 58 parameters


def test_what_is_said_in_one_line_is_not_logged_beside_it(tmp_path, capfd):
    """As PyTorch does where it is built for CUDA: with the whole stack."""
    log = "import logging\nlog, shown = logging.getLogger('torch._subclasses.fake_tensor'), logging.StreamHandler()\n"
    log += "log.addHandler(shown)\nlog.error('failed while attempting to run meta')\nlog.removeHandler(shown)\n"
    error = refused(tmp_path, capfd, log + "torch.eye(4).cuda().to_sparse()\n")
    assert "failed while attempting" not in error
    assert not logging.getLogger("torch._subclasses.fake_tensor").disabled


def test_weights_are_not_written_over(tmp_path, capfd):
    kept = tmp_path / "weights.pt"
    torch.save({"kept": torch.ones(2)}, kept)
    recorded(tmp_path, ON_GPU + f"torch.save(model.state_dict(), {str(kept)!r})\n" + LOOP)
    assert torch.load(kept)["kept"].tolist() == [1, 1]
    assert "the script saves at train.py:11: without a GPU there is nothing to save" in capfd.readouterr().err


PACKED = """
layer = nn.{layer}(4, 5, 2, batch_first=True).cuda()
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
def step():
    x = torch.randn(3, 7, 4, device="cuda")
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2, 7, 4]), batch_first=True, enforce_sorted=False)
    out, lengths = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
    print("padded", tuple(out.shape), lengths.tolist())
    return out.sum()
"""


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_packed_sequences(tmp_path, capfd, layer):
    trace = recorded(tmp_path, PACKED.format(layer=layer) + LOOP)
    assert "padded (3, 7, 5) [2, 7, 4]" in capfd.readouterr().out
    (call,) = [e for e in trace["traceEvents"] if e["name"] == "aten::_cudnn_rnn"]
    assert call["args"]["Input Dims"][0] == [13, 4] and call["args"]["Concrete Inputs"][14] == "[3, 3, 2, 2, 1, 1, 1]"
    # two steps of three sequences, two of two, three of one: copied in and out block by block
    assert shapes(trace, "aten::copy_")[:3] == [((2, 3, 5), (2, 3, 5)), ((2, 2, 5), (2, 2, 5)), ((3, 1, 5), (3, 1, 5))]
    assert "aten::_cudnn_rnn_backward" in names(trace)


def test_lengths_that_nobody_knows_are_refused(tmp_path, capfd):
    body = "x = torch.randn(3, 7, 4, device='cuda')\nn = (x[:, 0, 0] > 0).long().cpu() + 1\nnn.utils.rnn.pack_padded_sequence(x, n, True, False)\n"
    assert "packed sequences are as long as values say" in refused(tmp_path, capfd, body)


def test_a_loss_of_sequences(tmp_path):
    body = """
model = nn.Linear(4, 6).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    scores = model(torch.randn(9, 2, 4, device="cuda")).log_softmax(-1)
    return F.ctc_loss(scores, torch.ones(2, 3, dtype=torch.long, device="cuda"), torch.tensor([9, 8]), torch.tensor([3, 2]))
"""
    trace = recorded(tmp_path, body + LOOP)
    assert shapes(trace, "aten::_ctc_loss") == [((9, 2, 6), (2, 3))]
    assert shapes(trace, "aten::_log_softmax_backward_data") == [((9, 2, 6), (9, 2, 6))]


GROUPED = """
weight = nn.Parameter(torch.randn(2, 16, 24, dtype=torch.{format}, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=0.1)
def step():
    x = torch.randn(32, 16, dtype=torch.{format}, device="cuda")
    return F.grouped_mm(x, weight, offs=torch.tensor([8, 32], dtype=torch.int32, device="cuda")).sum()
"""


@pytest.mark.skipif(not hasattr(torch.nn.functional, "grouped_mm"), reason="this PyTorch has no products by group")
def test_products_by_group_are_one_kernel_in_bf16_alone(tmp_path):
    one = recorded(tmp_path, GROUPED.format(format="bfloat16") + LOOP)
    assert shapes(one, "aten::_grouped_mm")[0] == ((32, 16), (2, 16, 24)) and "aten::mm" not in names(one)
    each = recorded(tmp_path, GROUPED.format(format="float32") + LOOP)
    assert "aten::_grouped_mm" not in names(each)
    forward = [((8, 16), (16, 24)), ((24, 16), (16, 24))]
    backward = [((16, 8), (8, 24)), ((16, 24), (24, 24))]
    assert shapes(each, "aten::mm")[:2] == forward and sorted(shapes(each, "aten::mm")[2:]) == sorted(backward)


ATTENTION = """
x = torch.randn(2, 4, 16, {head}, dtype=torch.{format}, device="cuda", requires_grad=True)
bias = torch.zeros(16, 16, 4, dtype=torch.{format}, device="cuda")
optimizer = torch.optim.SGD([x], lr=0.1)
def step():
    return F.scaled_dot_product_attention({call}).sum()
"""
MASK = "bias.permute(2, 0, 1).contiguous()[None]"
# PyTorch has cuDNN 9.10 from 2.8 on, which takes heads of up to 256 on Hopper.
WIDE = "cudnn_attention" if tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 8) else "flash_attention"


@pytest.mark.parametrize(
    "format, head, call, kernel",
    [
        ("bfloat16", 64, "x, x, x", "cudnn_attention"),
        ("bfloat16", 64, f"x, x, x, {MASK}", "cudnn_attention"),
        ("bfloat16", 64, f"x, x, x, {MASK}.requires_grad_()", "efficient_attention"),
        ("bfloat16", 64, "x, x, x, bias.permute(2, 0, 1)[None]", "attention_math"),
        ("bfloat16", 192, "x, x, x", WIDE),
        ("bfloat16", 256, "x, x, x", WIDE),
        ("bfloat16", 60, "x, x, x", "flash_attention"),
        ("bfloat16", 264, "x, x, x", "efficient_attention"),
        ("bfloat16", 192, "x, x, x, is_causal=True", WIDE),
        ("bfloat16", 60, "x[:, :, :8], x, x, is_causal=True", "attention_math"),
        ("float32", 60, "x, x, x", "efficient_attention"),
        ("float32", 62, "x, x, x", "attention_math"),
        ("float32", 64, "x, x[:1], x[:1]", "attention_math"),
        ("float32", 64, f"x, x, x, {MASK}", "efficient_attention"),
        ("float32", 64, "x, x, x, bias.permute(2, 0, 1)[None]", "attention_math"),
    ],
)
def test_the_kernel_of_attention_is_that_of_a_gpu(tmp_path, format, head, call, kernel):
    trace = recorded(tmp_path, ATTENTION.format(format=format, head=head, call=call) + LOOP)
    seen = [name for name in names(trace) if "_scaled_dot_product" in name and "backward" not in name]
    assert seen == ([] if kernel == "attention_math" else [f"aten::_scaled_dot_product_{kernel}"])


def test_a_script_chooses_among_kernels_of_attention(tmp_path):
    only = "    with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION]):\n        return"
    body = ATTENTION.format(format="bfloat16", head=64, call="x, x, x").replace("    return", only)
    begin = "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
    assert "aten::_scaled_dot_product_efficient_attention" in names(recorded(tmp_path, begin + body + LOOP))


def test_rows_of_a_bias_are_copied_to_where_the_kernel_takes_them(tmp_path):
    body = ATTENTION.format(format="float32", head=64, call="x[:, :, :15], x[:, :, :15], x[:, :, :15], torch.zeros(15, 15, device='cuda')")
    trace = recorded(tmp_path, body + LOOP)
    assert shapes(trace, "aten::constant_pad_nd") == [((15, 15), ())]


HELD = """
def held():
    return torch.cuda.memory_allocated() - before
before = torch.cuda.memory_allocated()
x = torch.empty(1000, device="cuda")  # 4000 bytes, in whole blocks of 512: 4096
said = [held()]
view = x[10:].reshape(-1, 5)
del x
said += [held()]
view = view.half()  # 1980 bytes: 2048
said += [held(), torch.cuda.max_memory_allocated() - before]
kept = view.exp().requires_grad_().mul(2).exp()  # autograd keeps what exp() gave, not what mul() did
said += [held()]
view.resize_(2000)  # 4000 bytes
said += [held()]
a = torch.ones(4, 4, device="cuda", requires_grad=True)
product = a @ a  # 512 bytes each, and a workspace for cuBLAS
said += [held()]
del product
print("held", said)
"""


def test_memory_is_that_of_tensors_that_are_held(tmp_path, capfd):
    recorded(tmp_path, HELD + ON_GPU + LOOP)
    # the half beside the whole: 6144; then exp()'s leaf and last result; 2048 more where it grew; 34 MiB of workspace
    assert f"held [4096, 4096, 2048, 6144, 6144, 8192, {8192 + 1024 + (34 << 20)}]" in capfd.readouterr().out


STEP = """
model = nn.Linear(512, 1024, bias=False).cuda()
optimizer = torch.optim.Adam(model.parameters())
def step():
    return model(torch.ones(256, 512, device="cuda")).sum()
"""


def test_the_peak_of_a_step_is_recorded(tmp_path):
    trace = recorded(tmp_path, STEP + LOOP)
    weight, out, x = 4 * 512 * 1024, 4 * 256 * 1024, 4 * 256 * 512
    peak = trace["habitat"]["peak_memory_bytes"] - 2 * (34 << 20)
    # weight, gradient, two moments and what Adam divides by, at the optimiser's step
    assert 5 * weight <= peak <= 5 * weight + out + x + 8192


def test_each_dimension_is_rolled_by_a_kernel_of_its_own(tmp_path):
    body = "\ndef step():\n    return torch.roll(model(torch.randn(6, 4, device='cuda')), (1, -1), (0, 1)).sum()\n"
    assert shapes(recorded(tmp_path, ON_GPU + body + LOOP), "aten::roll") == [((6, 2), ())] * 4  # two forward, two backward


PARTS = """
w = nn.Linear(6, 5).cuda()
optimizer = torch.optim.SGD(w.parameters(), lr=0.1)
words = torch.tensor([[1, 2, -1], [3, -1, -1]]).cuda()
def step():
    y = w(torch.randn(4, 7, 6, device="cuda"))
    {body}
    return y.sum()
"""


def operations_of(folder, body):
    """(name, sizes of its first tensors) of what a line of a step does, between its product and its sum."""
    trace = recorded(folder, PARTS.format(body=body) + LOOP)
    seen = [(e["name"][6:], *e["args"]["Input Dims"][:2]) for e in operations(trace)]
    begin = next(i for i, op in enumerate(seen) if op[0] == "addmm")
    end = max(i for i, op in enumerate(seen) if op[0] == "sum" and op[1] == [4, 7, 5])
    return seen[begin + 1 : end]


def test_distances_are_made_of_a_product(tmp_path):
    """As recordings of a GPU show them: squares, their sums, a product of both with a column of each, and its root."""
    seen = operations_of(tmp_path, "torch.cdist(y.detach(), y.detach(), compute_mode='use_mm_for_euclid_dist')")
    names = ["pow", "sum", "ones_like", "pow", "sum", "ones_like", "mul", "cat", "cat", "bmm", "clamp_min_", "sqrt_"]
    assert [name for name, *_ in seen] == names
    assert seen[9] == ("bmm", [4, 7, 7], [4, 7, 7]) and seen[10][1] == [4, 7, 7]


@pytest.mark.parametrize(
    "body, names",
    [
        ("z = y.logsumexp(-1)", "amax abs eq masked_fill_ sub exp_ sum log_ add_"),
        ("z = F.binary_cross_entropy_with_logits(y, torch.rand_like(y))", "rand_like log_sigmoid_forward fill_ sub_ mul_ sub_ mean"),
        ("z = F.soft_margin_loss(y, y.detach())", "neg mul_ exp_ log1p_ mean copy_"),
        ("z = y.masked_fill(y.detach() > 0, 1.0)", "gt clone masked_fill_"),
        ("z = torch.isinf(y)", "abs eq"),
        ("z = torch.dist(y, y.detach())", "sub norm"),
    ],
)
def test_what_a_gpu_does_in_several_kernels_is_taken_apart(tmp_path, body, names):
    """As recordings of a GPU show it, and the parts are inside an operation of which nothing else is said."""
    assert [name for name, *_ in operations_of(tmp_path, body)] == names.split()
    trace = recorded(tmp_path, PARTS.format(body=body) + LOOP)
    around = [e for e in trace["traceEvents"] if e["cat"] == "cpu_op" and not e["args"]]
    first, last = around[0]["ts"], around[0]["ts"] + around[0]["dur"]
    parts = [e["name"][6:] for e in operations(trace) if first < e["ts"] < last]
    assert parts == names.split()[names.startswith(("gt", "rand")) :]


def test_gradients_of_distances_are_made_pair_by_pair(tmp_path):
    body = "z = torch.cdist(y, torch.ones(4, 3, 5, device='cuda'), p=1); y = y + z.sum()"
    trace = recorded(tmp_path, PARTS.format(body=body) + LOOP)
    assert shapes(trace, "aten::_cdist_forward") == [((4, 7, 5), (4, 3, 5))]
    assert shapes(trace, "aten::_cdist_backward") == [((4, 7, 3), (4, 7, 5))]
    assert ((4, 3, 7, 5), ()) in shapes(trace, "aten::sum")


def test_gradients_of_a_border_are_added_to_zeros(tmp_path):
    body = "z = torch.nn.functional.pad(y, (1, 1), mode='reflect'); y = y + z.sum()"
    trace = recorded(tmp_path, PARTS.format(body=body) + LOOP)
    assert shapes(trace, "aten::reflection_pad1d_backward") == [((4, 7, 7), (4, 7, 5))]
    assert shapes(trace, "aten::zero_").count(((4, 7, 5),)) == 1


def test_products_may_name_the_format_of_their_result(tmp_path, capfd):
    if "dtype" not in torch.ops.aten.addmm.overloads():
        pytest.skip("since PyTorch 2.8")
    body = """
        a = torch.ones(4, 8, device="cuda", dtype=torch.bfloat16)
        sums = torch.zeros(4, 4, device="cuda")
        torch.addmm(sums, a, a.t(), out_dtype=torch.float32, out=sums)
        print("made", torch.mm(a, a.t(), out_dtype=torch.float32).dtype, torch.addmm(sums, a, a.t(), out_dtype=torch.float32, beta=0).dtype)
    """
    trace = recorded(tmp_path, PARTS.format(body=textwrap.indent(textwrap.dedent(body), "    ")) + LOOP)
    assert "made torch.float32 torch.float32" in capfd.readouterr().out
    assert shapes(trace, "aten::mm")[0] == ((4, 8), (8, 4)) and ((4, 4), (4, 8)) in shapes(trace, "aten::addmm")


def test_a_sample_is_the_largest_of_draws(tmp_path):
    checks = ["min", "ge", "max", "lt", "bitwise_and", "_assert_async", "sum", "eq", "any", "bitwise_not", "_assert_async"]
    one = operations_of(tmp_path, "torch.multinomial(y[0], 1)")
    assert [name for name, *_ in one] == [*checks, "exponential_", "div", "argmax"]
    some = operations_of(tmp_path, "torch.multinomial(y[0], 3)")
    assert [name for name, *_ in some] == [*checks, "exponential_", "div", "topk"]
    # with replacement weights are summed up, and each sample is where a random number lies in the sums
    assert [name for name, *_ in operations_of(tmp_path, "torch.multinomial(y[0], 3, True)")] == ["sum", "cumsum", "random_"]


def test_matrices_of_a_diagonal_are_filled(tmp_path):
    assert operations_of(tmp_path, "torch.eye(3, 4, device='cuda')") == [("zero_", [3, 4]), ("fill_", [3], [])]
    assert operations_of(tmp_path, "torch.diag_embed(y[0, 0].detach())") == [("zero_", [5, 5]), ("copy_", [5], [5])]
    assert operations_of(tmp_path, "torch.linspace(0, 1, 9, device='cuda')") == [("fill_", [9], [])]
    assert operations_of(tmp_path, "torch.randint_like(words, 9)") == [("random_", [2, 3])]
    assert operations_of(tmp_path, "torch.diag(words[:, :2])") == [("copy_", [2], [2])]
    repeated = operations_of(tmp_path, "y.detach().repeat_interleave(torch.tensor([1, 2, 1, 0]).cuda(), 0)")[-3:]
    assert repeated == [("cumsum", [4], []), ("fill_", [4], []), ("index_select", [4, 7, 5], [])]


def test_points_of_a_picture_are_sampled_into_zeros(tmp_path):
    body = "z = F.grid_sample(y.detach()[None], torch.rand(1, 3, 2, 2, device='cuda'), align_corners=False)"
    (one,) = (op for op in operations_of(tmp_path, "from torch.nn import functional as F; " + body) if "grid" in op[0])
    assert one == ("grid_sampler_2d", [1, 4, 7, 5], [1, 3, 2, 2])
    seen = operations_of(tmp_path, "from torch.nn import functional as F; " + body.replace(".detach()", "") + "; y = y + z.sum()")
    assert "grid_sampler_2d" in [name for name, *_ in seen]


def test_what_a_mask_takes_is_counted_first(tmp_path):
    seen = operations_of(tmp_path, "words.masked_select(words > 0)")
    assert seen == [("gt", [2, 3], []), ("nonzero", [2, 3], [3, 2]), ("index", [2, 3], [[3], [3]])]


def test_rows_are_written_where_a_mask_is(tmp_path):
    """As a model of pictures and words puts the one into the other: the mask of rows is spread, then the rest is copied."""
    body = "z = y.detach()[..., 0].masked_scatter((words > 0).any(1)[:, None].expand(2, 7).repeat(2, 1)[:, :1], torch.ones(9, device='cuda'))"
    seen = operations_of(tmp_path, body)
    assert [op for op in seen if op[0] in ("clone", "masked_scatter_")][-3:] == [("clone", [4, 7], []), ("clone", [4, 7], []), ("masked_scatter_", [4, 7], [4, 1])]


def test_a_gradient_is_taken_where_a_mask_is(tmp_path):
    body = "z = torch.zeros(4, 7, device='cuda').masked_scatter(torch.ones(4, 7, device='cuda') > 0, y[..., 0]); y = y + z.sum()"
    trace = recorded(tmp_path, PARTS.format(body=body) + LOOP)
    assert shapes(trace, "aten::nonzero") == [((4, 7), (28, 2))] and not shapes(trace, "aten::masked_scatter_backward")


def test_the_largest_of_all_elements(tmp_path, capfd):
    recorded(tmp_path, ON_GPU + "x = torch.randn(5, 3, device='cuda')\nprint('chosen', x.argmax().item(), x.argmin(keepdim=True).shape)\n" + LOOP)
    assert "chosen 0 torch.Size([1, 1])" in capfd.readouterr().out


def test_a_failure_after_made_up_values_says_so(tmp_path, capfd):
    code, _ = record_script(tmp_path, HEAD + PARTS.format(body="if not (y > 0).any(): raise ValueError('no')") + LOOP, *QUICK)
    error = capfd.readouterr().err
    assert code == 1 and "the script failed (exit code 1); nothing was recorded; it had asked for values of tensors at train.py:" in error


def test_a_check_of_what_is_in_order_goes_well(tmp_path, capfd):
    """Corners of boxes, errors below a limit. Whether words are at their end is no such check: generating goes on."""
    body = """
        if not (y[..., 1:] >= y[..., :-1]).all() or not ((y > 0) & (y < 1)).all(): raise ValueError('no')
        print('ended', bool((words.float().softmax(-1).argmax(-1) == 5).all()), bool((y[..., 0] == 0).all()))
    """
    recorded(tmp_path, PARTS.format(body=textwrap.indent(textwrap.dedent(body), "    ")) + LOOP)
    out, error = capfd.readouterr()
    assert "ended False False" in out and "asked for values of tensors at train.py" in error


def test_a_loss_that_is_asked_for_again_is_another_number(tmp_path):
    """Else LBFGS would take it for one that changes no more, and end after two of its evaluations."""
    body = ON_GPU + """
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
def closure():
    optimizer.zero_grad()
    loss = model(torch.randn(6, 4, device="cuda")).square().sum()
    loss.backward()
    return loss
for i in range(9):
    optimizer.step(closure)
"""
    assert len(shapes(recorded(tmp_path, body), "aten::addmm")) == 5 * 2


@pytest.mark.parametrize("other", ["2", "weight[..., None]"])
def test_zeros_that_nobody_keeps_cost_nothing(tmp_path, other):
    """The gradient of signs is zeros without memory, and so is what multiplies it; then it is added to another gradient."""
    body = f"weight = y[..., 0].detach(); y = y + torch.sgn(y * {other}) + y.square()"
    trace = recorded(tmp_path, PARTS.format(body=body) + LOOP)
    seen = names(trace)
    assert "aten::sgn" in seen and not any("zerotensor" in name or name.startswith("prims::") for name in seen)
    assert not [e for e in trace["traceEvents"] if e["cat"] == "cuda_runtime"]  # a number is no copy from the host


@pytest.mark.parametrize("loss, labels", [("multi_margin_loss", "(6,)"), ("multilabel_margin_loss", "(6, 2)")])
def test_losses_of_margins(tmp_path, loss, labels):
    body = ON_GPU + f"""
def step():
    return nn.functional.{loss}(model(torch.randn(6, 4, device="cuda")), torch.randint(0, 2, {labels}, device="cuda"))
"""
    trace = recorded(tmp_path, body + LOOP)
    assert shapes(trace, f"aten::{loss}_backward")[0][1] == (6, 2)


@pytest.mark.parametrize("cell, gates, sums", [("LSTMCell", 4, 1), ("GRUCell", 3, 2)])
@pytest.mark.parametrize("bias", [True, False])
def test_a_recurrent_cell_is_two_products_and_a_kernel(tmp_path, cell, gates, sums, bias):
    """As recorded on an H100."""
    body = f"""
model = nn.{cell}(3, 5, bias={bias}).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    h = torch.zeros(2, 5, device="cuda")
    h = model(torch.randn(2, 3, device="cuda"), {"(h, h)" if cell == "LSTMCell" else "h"})
    return {"h[0].sum() + h[1].sum()" if cell == "LSTMCell" else "h.sum()"}
"""
    trace = recorded(tmp_path, body + LOOP)
    seen = [e["name"] for e in operations(trace)]
    kind = cell[:-4].lower()
    assert shapes(trace, "aten::mm")[:2] == [((2, 3), (3, 5 * gates)), ((2, 5), (5, 5 * gates))]
    at = next(i for i, name in enumerate(seen) if name.startswith(f"aten::_thnn_fused_{kind}_cell_backward"))
    assert seen.count(f"aten::_thnn_fused_{kind}_cell") == 1 and "aten::sigmoid" not in seen
    assert seen[at + 1 :].count("aten::sum") == (sums if bias else 0)


@pytest.mark.parametrize(
    "made, seen",
    [
        ("torch.hann_window(8, device='cuda')", ["aten::fill_"]),
        ("torch.tril_indices(3, 3, device='cuda')", ["aten::fill_"]),
        ("torch.randperm(9, device='cuda')", ["aten::random_", "aten::sort"]),
        ("torch.multinomial(weights, 5, replacement=True)", ["aten::sum", "aten::cumsum", "aten::random_"]),
    ],
)
def test_what_is_made_or_drawn_is_known_work(tmp_path, made, seen):
    trace = recorded(tmp_path, ON_GPU.replace("def step():", f"weights = torch.rand(4, 6, device='cuda')\ndef step():\n    made = {made}", 1) + LOOP)
    assert [e["name"] for e in operations(trace)][: len(seen)] == seen
