"""Operations that take another way on a GPU than on a CPU, told to PyTorch's dispatcher for tensors "on a GPU" alone.

A CPU build takes dropout, attention and recurrent layers apart, for it finds neither CUDA's kernels nor cuDNN. The rules here are
those of PyTorch 2.5 to 2.13 with cuDNN 9 on a GPU of compute capability 8.0 or more, as recordings show them.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterable, List, NoReturn, Optional, Tuple

from .fake import OF_GPU

RNN_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}


class Overrides:
    """`install()` and `remove()`."""

    def __init__(self) -> None:
        self._libraries: List[Any] = []

    def install(self) -> None:
        from .autocast import kernels

        self._add("AutogradCUDA", rules())
        self._add("CUDA", rules())
        self._add("CUDA", [(name.removeprefix("aten::"), _never) for name in OF_GPU if _is_there(name)])
        self._add("AutocastCUDA", kernels())

    def remove(self) -> None:
        for library in self._libraries:
            library._destroy()
        self._libraries = []

    def _add(self, key: str, functions: Iterable[Tuple[str, Any]]) -> None:
        import torch

        library = torch.library.Library("aten", "IMPL", key)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, function in functions:
                try:
                    library.impl(name, function, key, allow_override=True)
                except TypeError:  # before allow_override
                    library.impl(name, function, key)
        self._libraries.append(library)


def _is_there(name: str) -> bool:
    import torch

    return hasattr(torch.ops.aten, name.removeprefix("aten::"))


def _never(*unused: Any, **unused_too: Any) -> NoReturn:
    """A kernel: with one, PyTorch does not take the operation apart. The mode answers before it is reached."""
    raise NotImplementedError


def rules() -> List[Tuple[str, Any]]:
    """(name of an operation, what it does on a GPU)"""
    made = [
        ("dropout", dropout), ("dropout_", dropout_), ("scaled_dot_product_attention", attention),
        ("batch_norm", batch_norm), ("lstm.input", lstm),
    ]  # fmt: skip
    made += [(f"{kind}.input", _rnn(kind)) for kind in ("gru", "rnn_tanh", "rnn_relu")]
    if _is_there("aten::_fused_rms_norm"):
        made.append(("rms_norm", rms_norm))
    return made


def dropout(x: Any, p: float, train: bool) -> Any:
    import torch

    if not train or p == 0 or x.numel() == 0:
        return x
    return torch.native_dropout(x, p, True)[0]


def dropout_(x: Any, p: float, train: bool) -> Any:
    return x.copy_(dropout(x, p, train)) if train and p else x


def rms_norm(x: Any, normalized_shape: Any, weight: Any = None, eps: Optional[float] = None) -> Any:
    import torch

    return torch.ops.aten._fused_rms_norm(x, normalized_shape, weight, eps)[0]


def batch_norm(
    x: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float, eps: float, cudnn_enabled: bool
) -> Any:
    """cuDNN for what it takes, as `_batch_norm_impl_index` decides; PyTorch's own kernels for the rest."""
    import torch

    aten = torch.ops.aten
    narrow = x.dtype in (torch.float16, torch.bfloat16)
    same = weight is not None and weight.dtype == (torch.float32 if narrow else x.dtype)
    if cudnn_enabled and same and bias is not None and training and mean is not None and x.dtype != torch.float64:
        if x.dim() > 2 and x.numel() and weight.numel() and (x.dtype != torch.bfloat16 or torch.__version__ >= "2.6"):
            return aten.cudnn_batch_norm(x, weight, bias, mean, variance, training, momentum, eps)[0]
    return torch.native_batch_norm(x, weight, bias, mean, variance, training, momentum, eps)[0]


def attention(
    q: Any,
    k: Any,
    v: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: Optional[float] = None,
    enable_gqa: bool = False,
) -> Any:
    """cuDNN for halves without a mask, the memory-efficient kernel for the rest, spelled-out mathematics where neither can."""
    import torch

    aten = torch.ops.aten
    narrow = q.dtype in (torch.float16, torch.bfloat16)
    fits = q.dim() == 4 and q.shape[-1] == k.shape[-1] and q.shape[-1] % 8 == 0
    grouped = q.dim() == 4 and q.shape[1] != k.shape[1]
    training = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
    if narrow and fits and attn_mask is None and q.shape[-1] <= 128 and q.shape[-1] == v.shape[-1]:
        return aten._scaled_dot_product_cudnn_attention(q, k, v, None, training, dropout_p, is_causal, False, scale=scale)[0]
    if narrow and fits and attn_mask is None and q.shape[-1] <= 256 and q.shape[-1] == v.shape[-1]:
        return aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, False, scale=scale)[0]
    if fits and not grouped and q.dtype != torch.float64:
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill_(attn_mask.logical_not(), float("-inf"))
        if attn_mask is not None:
            attn_mask = attn_mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
        return aten._scaled_dot_product_efficient_attention(
            q, k, v, attn_mask, training, dropout_p, is_causal, scale=scale)[0]  # fmt: skip
    return aten._scaled_dot_product_attention_math(
        q, k, v, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=enable_gqa)[0]  # fmt: skip


def lstm(
    x: Any,
    hx: Any,
    params: Any,
    has_biases: bool,
    layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Tuple[Any, Any, Any]:
    out, h, c = _cudnn("lstm", x, hx[0], hx[1], params, has_biases, layers, dropout_p, train, bidirectional, batch_first)
    return out, h, c


def _rnn(kind: str) -> Callable[..., Any]:
    def layer(
        x: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        layers: int,
        dropout_p: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Tuple[Any, Any]:
        return _cudnn(kind, x, hx, None, params, has_biases, layers, dropout_p, train, bidirectional, batch_first)[:2]

    return layer


def _cudnn(
    kind: str,
    x: Any,
    hx: Any,
    cx: Any,
    params: Any,
    has_biases: bool,
    layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Tuple[Any, Any, Any]:
    import torch

    directions = 2 if bidirectional else 1
    per_layer = len(params) // (layers * directions)
    projected = kind == "lstm" and cx is not None and cx.shape[-1] != hx.shape[-1]
    hidden = (cx if cx is not None else hx).shape[-1]
    if dropout_p and train and layers > 1:
        state = torch.empty(1 << 20, dtype=torch.uint8, device=x.device)
    else:
        state = None
    buffer = torch.empty(sum(p.numel() for p in params), dtype=x.dtype, device=x.device)
    out = torch.ops.aten._cudnn_rnn(
        x, list(params), per_layer, buffer, hx, cx, RNN_MODES[kind], hidden, hx.shape[-1] if projected else 0, layers,
        batch_first, dropout_p, train, bidirectional, [], state)  # fmt: skip
    return out[0], out[1], out[2]
