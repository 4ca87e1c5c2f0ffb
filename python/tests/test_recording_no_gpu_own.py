"""`habitat record --no-gpu` on what libraries bring of their own: classes of tensors, kernels in Triton, parameters of one number."""

import sys
import types

import pytest
from recording_helpers import HEAD, LINEAR, LOOP, QUICK, names, record_script, recorded, shapes

torch = pytest.importorskip("torch")

ON_GPU = LINEAR.format(to=".cuda()", device=", device='cuda'")

# Numbers in 8 bit beside a scale, as optimisers keep their state and layers their weights
IN_8_BIT = (
    ON_GPU
    + """
class In8Bit(torch.Tensor):
    @staticmethod
    def __new__(cls, codes, scale):
        return torch.Tensor._make_wrapper_subclass(cls, codes.shape, device=codes.device, dtype=torch.float32)
    def __init__(self, codes, scale):
        self.codes, self.scale = codes, scale
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.copy_.default:
            into, numbers = args
            into.codes.copy_((numbers / into.scale).to(torch.int8))
            return into
        if func is torch.ops.aten.mm.default:
            return torch.mm(args[0], args[1].codes.to(torch.float32) * args[1].scale)
        raise NotImplementedError(func)
state = In8Bit(torch.zeros(4, 4, dtype=torch.int8, device="cuda"), torch.ones((), device="cuda"))
print("where", state.device, state.is_cuda)
half = step
def step():
    with torch.no_grad():
        state.copy_(torch.randn(4, 4, device="cuda"))
        torch.mm(torch.randn(3, 4, device="cuda"), state)
    return half()
"""
)


def test_tensors_made_of_others_do_what_their_class_says(tmp_path, capfd):
    trace = recorded(tmp_path, IN_8_BIT + LOOP)
    assert "where cuda:0 True" in capfd.readouterr().out
    assert shapes(trace, "aten::div") == [((4, 4), ())]
    assert ((3, 4), (4, 4)) in shapes(trace, "aten::mm")


# What MONAI's MetaTensor and torchvision's tv_tensors are: a tensor that knows more
PICTURE = (
    ON_GPU
    + """
class Picture(torch.Tensor):
    def __repr__(self): return "a picture"
plain = step
def step():
    x = torch.randn(3, 5, device="cuda").as_subclass(Picture)
    x.spacing = 2.0
    y = (x + 1).cuda()
    print("is", type(y).__name__, isinstance(y, Picture), y.device, x.spacing, type(y.as_subclass(torch.Tensor)).__name__)
    return plain() + y.as_subclass(torch.Tensor).sum() + model(torch.randn(6, 4, device="cuda").as_subclass(Picture)).sum()
"""
)


def test_tensors_of_another_class_stay_in_it(tmp_path, capfd):
    trace = recorded(tmp_path, PICTURE + LOOP)
    assert "is Picture True cuda:0 2.0 FakeTensor" in capfd.readouterr().out
    assert ((3, 5), ()) in shapes(trace, "aten::add")


@pytest.mark.parametrize(
    "pair, said, asked, compared",
    [
        ("x, x", True, False, 0),
        ("x, x.view(3, 5)", True, False, 0),
        ("x, x[:2]", False, False, 0),
        ("x, torch.randn(3, 5, device='cuda')", False, True, 1),
    ],
)
def test_whether_tensors_are_equal(tmp_path, capfd, pair, said, asked, compared):
    body = f"\nfirst = step\ndef step():\n    x = torch.randn(3, 5, device='cuda')\n    print('equal', torch.equal({pair}))\n    return first()\n"
    trace = recorded(tmp_path, ON_GPU + body + LOOP)
    out, error = capfd.readouterr()
    assert f"equal {said}" in out and ("asked for values" in error) == asked
    assert len(shapes(trace, "aten::eq")) == len(shapes(trace, "aten::all")) == compared and "aten::equal" not in names(trace)


def test_what_comes_of_a_parameter_of_one_number_is_where_the_parameter_is(tmp_path, capfd):
    body = """
scale = nn.ParameterList([nn.Parameter(torch.tensor(0.5))]).cuda()[0]
print("scale", nn.functional.softplus(scale).device)
first = step
def step():
    return first() + (nn.functional.softplus(scale).reshape(1, 1) * torch.randn(3, 5, device="cuda")).sum()
"""
    recorded(tmp_path, ON_GPU + body + LOOP)
    assert "scale cuda:0" in capfd.readouterr().out


@pytest.fixture
def triton(monkeypatch):
    """As much of it as runs a kernel: it asks for a driver before anything else."""

    class Kernel:
        def __init__(self, fn):
            self.fn, self.__name__ = fn, fn.__name__

        def __getitem__(self, grid):
            return lambda *args: self.run(*args, grid=grid, warmup=False)

        def run(self, *args, **kwargs):
            raise AssertionError("libcuda.so cannot found!")

    class Chooser(Kernel):
        def __init__(self, fn):
            self.fn = fn

    made = {name: types.ModuleType(name) for name in ("triton", "triton.runtime", "triton.runtime.jit", "triton.runtime.autotuner")}
    made["triton.runtime"].jit, made["triton.runtime"].autotuner = made["triton.runtime.jit"], made["triton.runtime.autotuner"]
    made["triton.runtime.jit"].JITFunction = Kernel
    made["triton.runtime.autotuner"].Autotuner = type("Autotuner", (Chooser,), {})
    made["triton.runtime.autotuner"].Heuristics = type("Heuristics", (Chooser,), {})
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("wrapped", ["jit.JITFunction(norm)", "autotuner.Autotuner(autotuner.Heuristics(jit.JITFunction(norm)))"])
def test_a_kernel_in_triton_is_refused_in_one_line(tmp_path, capfd, triton, wrapped):
    body = f"from triton.runtime import autotuner, jit\ndef norm(x): pass\nkernel = {wrapped}\nkernel[(1,)](torch.ones(3, device='cuda'))\n"
    code, _ = record_script(tmp_path, HEAD + body, *QUICK)
    error = capfd.readouterr().err
    assert code == 1 and "Traceback" not in error
    assert "norm is a kernel written in Triton; without a GPU nothing compiles it" in error


def test_random_numbers_that_the_cpu_draws_are_counted(tmp_path):
    body = """
first = step
def step():
    torch.randn(100, 1000)
    torch.empty(50, 1000).uniform_()
    torch.randint(0, 3, (20, 1000))
    torch.zeros(90, 1000)
    torch.randn(80, 1000, device="cuda")
    return first()
"""
    trace = recorded(tmp_path, ON_GPU + body + LOOP)
    assert trace["habitat"]["cpu_data_ms"] == pytest.approx((100e3 * 7 + 50e3 * 5 + 20e3 * 4) / 1e6)
    assert "aten::randint" not in names(trace)  # no work of the GPU's
    assert "cpu_data_ms" not in recorded(tmp_path, ON_GPU + LOOP)["habitat"]


GIVEN = [
    ("torch.tensor([1.0, torch.tensor(2.0, device='cuda'), x.sum()], device='cuda')", "cuda:0 torch.float32 (3,)"),
    ("torch.as_tensor([[torch.tensor(3, device='cuda')], [x.shape[0]]])", "cpu torch.int64 (2, 1)"),
    ("x.type('torch.cuda.HalfTensor')", "cuda:0 torch.float16 (5, 3)"),
    ("x.cpu().type(torch.cuda.DoubleTensor)", "cuda:0 torch.float64 (5, 3)"),
    ("torch.distributions.Gamma(x.exp(), x.exp()).rsample()", "cuda:0 torch.float32 (5, 3)"),
    ("torch.distributions.Beta(x.exp(), x.exp()).sample()", "cuda:0 torch.float32 (5, 3)"),
    ("torch.binomial(x.exp(), x.sigmoid())", "cuda:0 torch.float32 (5, 3)"),
    ("x.new_tensor([1, 2])", "cuda:0 torch.float32 (2,)"),
    ("x.new_tensor(x[0, 0], dtype=torch.int64)", "cuda:0 torch.int64 ()"),
    ("x.index_copy(0, torch.tensor([0], device='cuda'), x[:1])", "cuda:0 torch.float32 (5, 3)"),
    ("x.new(2, 4)", "cuda:0 torch.float32 (2, 4)"),
    ("x.new([1, 2])", "cuda:0 torch.float32 (2,)"),
    ("x.new(x)", "cuda:0 torch.float32 (5, 3)"),
    ("torch.cuda.get_rng_state()", "cpu torch.uint8 (16,)"),
]  # fmt: skip


def test_tensors_are_made_as_on_a_gpu(tmp_path, capfd):
    body = "x = torch.randn(5, 3, device='cuda')\nprint('type', x.type())\nwith torch.random.fork_rng(): torch.cuda.manual_seed(1)\n"
    body += "".join(f"t = {made}; print('made', t.device, t.dtype, tuple(t.shape))\n" for made, _ in GIVEN)
    recorded(tmp_path, ON_GPU + body + LOOP)
    said = capfd.readouterr().out.splitlines()
    assert [line[5:] for line in said if line.startswith("made ")] == [expected for _, expected in GIVEN]
    assert "type torch.cuda.FloatTensor" in said


def test_whether_tensors_are_close(tmp_path, capfd):
    trace = recorded(tmp_path, ON_GPU + "step_ = step\ndef step():\n    print('close', torch.allclose(model[0].weight, model[0].weight * 2))\n    return step_()\n" + LOOP)
    out, error = capfd.readouterr()
    assert "close True" in out and "asked for values of tensors at train.py" in error
    assert len(shapes(trace, "aten::isclose")) == 1


@pytest.mark.parametrize("where", ["before", "after"])
def test_layers_whose_sizes_are_found_by_their_first_call(tmp_path, where):
    body = """
model = nn.Sequential(nn.LazyConv2d(8, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
BEFORE
print([type(part).__name__ for part in model], model(torch.randn(6, 3, 8, 8DEVICE)).shape)
AFTER
print("sizes", [tuple(p.shape) for p in model.parameters()], {str(t.device) for t in model.state_dict().values()})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    return model(torch.randn(6, 3, 8, 8, device="cuda")).sum()
"""
    names_of = {"before": ("model.cuda()", "", ", device='cuda'"), "after": ("", "model.cuda()", "")}
    before, after, device = names_of[where]
    trace = recorded(tmp_path, body.replace("BEFORE", before).replace("AFTER", after).replace("DEVICE", device) + LOOP)
    assert shapes(trace, "aten::addmm") == [((2,), (6, 288))]
    assert shapes(trace, "aten::convolution") == [((6, 3, 8, 8), (8, 3, 3, 3))]
    assert len(shapes(trace, "aten::cudnn_batch_norm")) == 1
