"""Operations that can be measured: from parameters to a callable that launches the work once.

An operation is (op, pass, dtype, shape): `op` and the keys of `shape` are those of `habitat op`, `pass` is forward,
backward (all gradients), backward_input or backward_weight. Inputs are made once and reused, so tensors that fit in the
last-level cache are warm; docs/dataset.md says so to whoever reads the numbers.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Tuple

from .dataset import Shape

# Launches the work once; and what makes such a callable for sizes, a number format and a pass.
Launch = Callable[[], Any]
Builder = Callable[[Shape, str, str], Launch]


def torch_dtype(dtype: str) -> Any:
    import torch

    return {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[dtype]


def set_precision(dtype: str) -> None:
    """Lets matrix units round fp32 inputs to tf32, or not; for products and convolutions alike."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    torch.backends.cudnn.allow_tf32 = dtype == "tf32"


def _random(shape: Tuple[int, ...], dtype: str, gradient: bool = False) -> Any:
    import torch

    values = torch.randn(shape, device=_device(), dtype=torch.float32).to(torch_dtype(dtype))
    return values.requires_grad_(gradient)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _gradient_of(forward: Callable[[], Any], inputs: Tuple[Any, ...]) -> Launch:
    """A callable that computes the gradients of `inputs`; the forward pass is done once, here."""
    import torch

    out = forward()
    gradient = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, inputs, gradient, retain_graph=True)


def _linear(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    x, w = _random((s["m"], s["k"]), dtype), _random((s["n"], s["k"]), dtype)
    bias = _random((s["n"],), dtype)
    return lambda: torch.nn.functional.linear(x, w, bias)


def _gemm(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    a = _random((s["k"], s["m"]) if s.get("trans_a") else (s["m"], s["k"]), dtype)
    b = _random((s["n"], s["k"]) if s.get("trans_b") else (s["k"], s["n"]), dtype)
    a, b = (a.t() if s.get("trans_a") else a), (b.t() if s.get("trans_b") else b)
    return lambda: torch.mm(a, b)


def _bmm(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    a, b = _random((s["b"], s["m"], s["k"]), dtype), _random((s["b"], s["k"], s["n"]), dtype)
    return lambda: torch.bmm(a, b)


def _pair(s: Shape, name: str, default: int) -> Tuple[int, int]:
    """Height and width of a parameter that has one value for both, or one for each."""
    both = s.get(name, default)
    return s.get(f"{name}_h", both), s.get(f"{name}_w", both)


def _conv(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    transposed, groups = bool(s.get("transposed")), s.get("groups", 1)
    layout = torch.channels_last if s.get("channels_last") else torch.contiguous_format
    x = _random((s["batch"], s["c_in"], s["in"], s["in"]), dtype).contiguous(memory_format=layout)
    channels = (s["c_in"], s["c_out"] // groups) if transposed else (s["c_out"], s["c_in"] // groups)
    w = _random((*channels, *_pair(s, "kernel", 1)), dtype).contiguous(memory_format=layout)
    args = (_pair(s, "stride", 1), _pair(s, "padding", 0), _pair(s, "dilation", 1), transposed, (0, 0), groups)
    forward: Launch = lambda: torch.ops.aten.convolution(x, w, None, *args)  # noqa: E731
    if which == "forward":
        return forward
    gradient = torch.randn_like(forward())
    mask = {"backward": [True, True, False], "backward_input": [True, False, False],
            "backward_weight": [False, True, False]}[which]  # fmt: skip
    return lambda: torch.ops.aten.convolution_backward(gradient, x, w, None, *args, mask)


def _attention(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    shape: Callable[[int, int], Tuple[int, ...]] = lambda heads, length: (s["batch"], heads, length, s["head_dim"])  # noqa: E731
    train = which != "forward"
    q = _random(shape(s["heads"], s["q_len"]), dtype, train)
    k, v = (_random(shape(s["kv_heads"], s["kv_len"]), dtype, train) for _ in range(2))
    forward = lambda: torch.nn.functional.scaled_dot_product_attention(  # noqa: E731
        q, k, v, is_causal=bool(s.get("causal")), enable_gqa=s["kv_heads"] != s["heads"])  # fmt: skip
    return _gradient_of(forward, (q, k, v)) if train else forward


def _rnn(kind: str) -> Builder:
    def build(s: Shape, dtype: str, which: str) -> Launch:
        import torch

        net = getattr(torch.nn, kind)(s["input"], s["hidden"], s["layers"], bidirectional=bool(s.get("bidirectional")))
        net = net.to(_device(), torch_dtype(dtype))
        x = _random((s["steps"], s["batch"], s["input"]), dtype, which != "forward")
        forward = lambda: net(x)[0]  # noqa: E731
        return _gradient_of(forward, (x, *net.parameters())) if which != "forward" else forward

    return build


def _softmax(name: str) -> Builder:
    def build(s: Shape, dtype: str, which: str) -> Launch:
        import torch

        x = _random((s["rows"], s["columns"]), dtype, which != "forward")
        forward = lambda: getattr(torch, name)(x, -1)  # noqa: E731
        return _gradient_of(forward, (x,)) if which != "forward" else forward

    return build


def _layer_norm(s: Shape, dtype: str, which: str) -> Launch:
    import torch

    x = _random((s["rows"], s["columns"]), dtype, which != "forward")
    w, b = (_random((s["columns"],), dtype, which != "forward") for _ in range(2))
    forward = lambda: torch.nn.functional.layer_norm(x, (s["columns"],), w, b)  # noqa: E731
    return _gradient_of(forward, (x, w, b)) if which != "forward" else forward


def _batch_norm(s: Shape, dtype: str, which: str) -> Launch:
    """rows = batch * pixels, columns = channels, as an NCHW tensor of square images where rows allow it."""
    import torch

    train = which != "forward"
    x = _random((s["batch"], s["c_in"], s["in"], s["in"]), dtype, train)
    w, b = (_random((s["c_in"],), "fp32", train) for _ in range(2))
    mean, var = torch.zeros_like(w, requires_grad=False), torch.ones_like(w, requires_grad=False)
    forward = lambda: torch.nn.functional.batch_norm(x, mean, var, w, b, training=True)  # noqa: E731
    return _gradient_of(forward, (x, w, b)) if train else forward


def _elementwise(kind: str) -> Builder:
    def build(s: Shape, dtype: str, which: str) -> Launch:
        import torch

        x = _random((s["columns"],), dtype, which != "forward")
        if kind in ("add", "mul", "div"):
            y = _random((s["columns"],), dtype)
            return lambda: getattr(torch, kind)(x, y)
        function = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu,
                    "tanh": torch.tanh, "copy": torch.clone}[kind]  # fmt: skip
        return _gradient_of(lambda: function(x), (x,)) if which != "forward" else lambda: function(x)

    return build


BUILDERS = {
    "gemm": _gemm, "linear": _linear, "bmm": _bmm, "conv2d": _conv, "conv_transpose2d": _conv,
    "attention": _attention, "lstm": _rnn("LSTM"), "gru": _rnn("GRU"), "softmax": _softmax("softmax"),
    "log_softmax": _softmax("log_softmax"), "layer_norm": _layer_norm, "batch_norm": _batch_norm,
    **{kind: _elementwise(kind) for kind in ("add", "mul", "div", "relu", "gelu", "silu", "tanh", "copy")},
}  # fmt: skip


def build(op: str, which: str, dtype: str, shape: Shape) -> Launch:
    """A callable that launches the operation once. Raises KeyError for an unknown op, RuntimeError without memory."""
    set_precision(dtype)
    return BUILDERS[op](shape, dtype, which)


def elements(op: str, shape: Shape) -> float:
    """Elements of the largest tensors together: what decides whether a shape fits in memory."""
    s = shape
    if op in ("gemm", "linear", "bmm"):
        return s.get("b", 1) * (s["m"] * s["k"] + s["k"] * s["n"] + s["m"] * s["n"])
    if op in ("conv2d", "conv_transpose2d"):
        up = s.get("stride", 1) ** (2 if op == "conv_transpose2d" else -2)
        pixels = s["batch"] * s["in"] ** 2
        return pixels * (s["c_in"] + s["c_out"] * up) + s["c_in"] * s["c_out"] * s["kernel"] ** 2
    if op == "attention":
        return 2 * s["batch"] * s["head_dim"] * (s["heads"] * s["q_len"] + s["kv_heads"] * s["kv_len"])
    if op in ("lstm", "gru"):
        return s["layers"] * s["hidden"] * (8 * s["hidden"] + 8 * s["batch"] * s["steps"])
    if op == "batch_norm":
        return 2 * s["batch"] * s["c_in"] * s["in"] ** 2
    return 2 * math.prod(s.get(key, 1) for key in ("rows", "columns"))
