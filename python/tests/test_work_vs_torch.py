"""FLOP of matrix products, convolutions and attention against PyTorch's own flop counter.

Operations really run, on the CPU; what torch.profiler records of them (names, shapes, formats,
arguments) goes through the library by tests/unit/work_dump.c, and the sums are compared with
torch.utils.flop_counter. Where the two conventions differ, the test says so and by how much.
"""

import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest

torch = pytest.importorskip("torch")
from torch.profiler import ProfilerActivity, profile  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode, flop_registry  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTED = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::convolution", "aten::convolution_backward"}
FORMATS = {
    "double": "f64", "float": "f32", "c10::Half": "f16", "c10::BFloat16": "bf16", "long int": "i64", "int": "i32",
    "unsigned char": "i8", "signed char": "i8", "bool": "b8", "c10::complex<float>": "c64", "c10::complex<double>": "c128",
}  # fmt: skip


@pytest.fixture(scope="session")
def work_dump(tmp_path_factory):
    """The program that counts operations; an existing build is brought up to date, else one is made."""
    candidates = [os.environ.get("HABITAT_BUILD_DIR"), ROOT / "build-test" / "gcc"]
    build = next((pathlib.Path(c) for c in candidates if c and (pathlib.Path(c) / "work_dump").exists()), None)
    if build is None:
        build = tmp_path_factory.mktemp("build")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DHABITAT_RECORDER=OFF", "-DHABITAT_BENCH=OFF", "-DHABITAT_TRAINER=OFF"]
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, *options], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build, "--target", "work_dump"], check=True, capture_output=True)

    def count(lines):
        run = subprocess.run([build / "work_dump"], input="\n".join(lines) + "\n", capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        rows = [line.split("\t") for line in run.stdout.splitlines()]
        assert len(rows) == len(lines)
        for line, row in zip(lines, rows):
            assert row[3:5] == ["0", "1"], f"not counted: {line}"
        return [float(row[5]) for row in rows]

    return count


def sizes(dims):
    return "[" + ",".join(map(str, dims)) + "]"


def case_line(event):
    """One profiled operation in the notation of tests/unit/work_case.h."""
    args = event["args"]
    words = []
    for dims, kind, value in zip(args["Input Dims"], args["Input type"], args["Concrete Inputs"]):
        if kind == "TensorList":
            words.append("{" + ";".join(sizes(d) for d in dims) + "}")
        elif kind in FORMATS:
            words.append(FORMATS[kind] + sizes(dims))
        elif value:
            words.append("=" + value.replace(" ", ""))
        else:
            words.append("?" if kind else "-")
    return event["name"] + " | " + " ".join(words)


def profiled(function, folder, wanted):
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        function()
    path = folder / "trace.json"
    recorded.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    return [case_line(e) for e in events if e.get("cat") == "cpu_op" and e["name"] in wanted]


def torch_flop(function):
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


def check_equal(function, work_dump, folder, bias_flop=0):
    lines = profiled(function, folder, COUNTED)
    assert lines
    assert sum(work_dump(lines)) - bias_flop == torch_flop(function)


MATRIX = {
    "mm": lambda: torch.randn(7, 11) @ torch.randn(11, 5),
    "mm of transposed operands": lambda: torch.randn(11, 7).t() @ torch.randn(5, 11).t(),
    "mm in bf16": lambda: torch.randn(16, 8).bfloat16() @ torch.randn(8, 4).bfloat16(),
    "addmm": lambda: torch.addmm(torch.randn(5), torch.randn(7, 11), torch.randn(11, 5)),
    "bmm": lambda: torch.bmm(torch.randn(3, 7, 11), torch.randn(3, 11, 5)),
    "baddbmm": lambda: torch.baddbmm(torch.randn(3, 7, 5), torch.randn(3, 7, 11), torch.randn(3, 11, 5)),
    "matmul, batch folded": lambda: torch.randn(2, 3, 7, 11) @ torch.randn(11, 5),
    "matmul, batches broadcast": lambda: torch.randn(2, 1, 7, 11) @ torch.randn(3, 11, 5),
    "linear": lambda: torch.nn.Linear(11, 5)(torch.randn(2, 7, 11)),
    "linear and backward": lambda: torch.nn.Linear(11, 5)(torch.randn(2, 7, 11, requires_grad=True)).sum().backward(),
    "einsum": lambda: torch.einsum("bhid,bhjd->bhij", torch.randn(2, 3, 7, 11), torch.randn(2, 3, 5, 11)),
    "attention from parts": lambda: torch.nn.MultiheadAttention(12, 3)(*[torch.randn(7, 2, 12)] * 3)[0].sum().backward(),
    "mlp": lambda: torch.nn.Sequential(torch.nn.Linear(6, 9), torch.nn.ReLU(), torch.nn.Linear(9, 3))(torch.randn(4, 6)).sum().backward(),
}  # fmt: skip


@pytest.mark.parametrize("name", MATRIX)
def test_matrix_products(name, work_dump, tmp_path):
    check_equal(MATRIX[name], work_dump, tmp_path)


def convolutions():
    """48 convolutions with arguments drawn once and for all."""
    draw = random.Random(7)
    for dims, transposed, _ in itertools.product((1, 2, 3), (False, True), range(8)):
        groups = draw.choice((1, 1, 2, 4))
        stride = draw.choice((1, 2))
        options = {
            "kernel_size": [draw.choice((1, 2, 3)) for _ in range(dims)],
            "stride": stride,
            "padding": draw.choice((0, 1)),
            "dilation": draw.choice((1, 2)),
            "groups": groups,
            "bias": draw.choice((False, True)),
        }
        if transposed and stride == 2:
            options["output_padding"] = draw.choice((0, 1))
        size = [draw.choice((2, 3)), 4 * draw.choice((1, 2))] + [draw.choice((6, 7, 9)) for _ in range(dims)]
        yield dims, transposed, size, 4 * draw.choice((1, 2)), options


@pytest.mark.parametrize("dims,transposed,size,out,options", list(convolutions()))
def test_convolutions(dims, transposed, size, out, options, work_dump, tmp_path):
    kind = getattr(torch.nn, f"Conv{'Transpose' if transposed else ''}{dims}d")
    layer = kind(size[1], out, **options)
    data = torch.randn(*size, requires_grad=True)
    check_equal(lambda: layer(data.detach()), work_dump, tmp_path)

    # PyTorch counts every input channel for the weight's gradient, whatever the groups; and it leaves
    # out the additions of a bias gradient, one for each element of the output.
    forward = torch_flop(lambda: layer(data.detach()))
    result = layer(data)
    gradient = torch.ones_like(result)

    def backward():
        result.backward(gradient, retain_graph=True)

    assert torch_flop(backward) == forward * (1 + options["groups"])
    (line,) = profiled(backward, tmp_path, {"aten::convolution_backward"})
    assert work_dump([line]) == [2 * forward + (result.numel() if options["bias"] else 0)]


def test_gradient_of_the_weight_alone(work_dump, tmp_path):
    layer = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
    result = layer(torch.randn(2, 3, 9, 9))
    check_equal(lambda: result.sum().backward(retain_graph=True), work_dump, tmp_path)


FUSED = ["flash", "efficient", "cudnn"]
AFTER = {  # arguments after q, k, v: forward, and after out and the row statistics: backward
    "flash": ("=0.0 ={causal} =False -", "- - ={q} ={k} =0.0 ={causal} i64[] i64[] -"),
    "efficient": ("- =True =0.0 ={causal} -", "i64[] i64[] =0.0 =[True,True,True,False] ={causal} -"),
    "cudnn": ("- =True =0.0 ={causal} =False -", "i64[] i64[] - - - ={q} ={k} =0.0 ={causal} -"),
}


def attention_lines(kind, b, h, q, k, d, v, causal):
    shape_q, shape_k, shape_v, shape_o = [b, h, q, d], [b, h, k, d], [b, h, k, v], [b, h, q, v]
    t = [f"bf16{sizes(s)}" for s in (shape_q, shape_k, shape_v)]
    forward, backward = (text.format(causal=causal, q=q, k=k) for text in AFTER[kind])
    name = f"aten::_scaled_dot_product_{kind}_attention"
    bias = "- " if kind == "efficient" else ""
    output, rows = f"bf16{sizes(shape_o)}", f"f32{sizes([b, h, q])}"
    return (
        f"{name} | {' '.join(t)} {forward}",
        f"{name}_backward | {output} {' '.join(t)} {bias}{output} {rows} {backward}",
        (shape_q, shape_k, shape_v, shape_o),
    )


@pytest.mark.parametrize("kind", FUSED)
@pytest.mark.parametrize("b,h,q,k,d,v", [(2, 4, 16, 16, 8, 8), (1, 2, 12, 20, 8, 8), (3, 1, 5, 7, 6, 10), (8, 16, 512, 512, 64, 64)])
def test_fused_attention(kind, b, h, q, k, d, v, work_dump):
    forward, backward, shapes = attention_lines(kind, b, h, q, k, d, v, False)
    count = flop_registry[getattr(torch.ops.aten, f"_scaled_dot_product_{kind}_attention")]
    count_backward = flop_registry[getattr(torch.ops.aten, f"_scaled_dot_product_{kind}_attention_backward")]
    tensors = [torch.empty(s, device="meta") for s in shapes]
    expected = count(*tensors[:3], out_val=None)
    expected_backward = count_backward(tensors[3], *tensors[:3], out_val=None)
    assert work_dump([forward, backward]) == [expected, expected_backward]


@pytest.mark.parametrize("kind", FUSED)
def test_causal_attention_counts_the_visible_pairs(kind, work_dump):
    """PyTorch counts all q k pairs; q (q + 1) / 2 of them are under the diagonal."""
    full = work_dump(attention_lines(kind, 2, 4, 16, 16, 8, 8, False)[:2])
    causal = work_dump(attention_lines(kind, 2, 4, 16, 16, 8, 8, True)[:2])
    assert [c / f for c, f in zip(causal, full)] == [17 / 32, 17 / 32]


def test_profiled_attention(work_dump, tmp_path):
    """What the CPU really records of scaled_dot_product_attention is understood."""
    q = torch.randn(2, 4, 16, 8, requires_grad=True)
    names = [f"aten::_scaled_dot_product_flash_attention_for_cpu{end}" for end in ("", "_backward")]

    def step():
        torch.nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()

    lines = profiled(step, tmp_path, set(names))
    pairs = 2 * 4 * 16 * 16
    assert [line.split()[0] for line in lines] == names
    assert work_dump(lines) == [pairs * 4 * 8, pairs * 10 * 8]


def test_profiled_lstm(work_dump, tmp_path):
    """Recurrent layers are in no counter of PyTorch's: 2 * 4 H (I + H) a step and sequence."""
    layer = torch.nn.LSTM(6, 8)
    lines = profiled(lambda: layer(torch.randn(5, 3, 6)), tmp_path, {"aten::lstm"})
    assert work_dump(lines) == [2 * 4 * 8 * (6 + 8) * 5 * 3]
