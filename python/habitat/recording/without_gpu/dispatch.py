"""Operations that take another way on a GPU than on a CPU, told to PyTorch's dispatcher for tensors "on a GPU" alone.

A CPU build takes dropout, attention and recurrent layers apart, for it finds neither CUDA's kernels nor cuDNN. The rules here are
those of PyTorch 2.5 to 2.14 with cuDNN 9 on a GPU of compute capability 8.0 or more, as recordings show them.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Iterable, List, NoReturn, Optional, Tuple

from . import packed
from .fake import OF_GPU
from .recurrent import gru_cell, layer_of, lstm, lstm_cell

if TYPE_CHECKING:
    from .events import Log
    from .values import Values

RMS_NORM = "aten::_fused_rms_norm"


class Overrides:
    """`install()` and `remove()`."""

    def __init__(self, values: Values, log: Log) -> None:
        self._functions = rules(log) + packed.rules(values)
        self.functions = {f"aten::{name}": function for name, function in self._functions}
        self._libraries: List[Any] = []

    def install(self) -> None:
        from .autocast import kernels

        for key in ("AutogradCUDA", "CUDA"):
            self._add(key, self._functions)
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

    found = getattr(torch.ops.aten, name.removeprefix("aten::"), None)
    # PyTorch 2.8 has another of that name, for Apple's GPUs; on CUDA it takes the norm apart
    return found is not None and (name != RMS_NORM or found.default._schema.arguments[1].name == "normalized_shape")


def _never(*unused: Any, **unused_too: Any) -> NoReturn:
    """A kernel: with one, PyTorch does not take the operation apart. The mode answers before it is reached."""
    raise NotImplementedError


def rules(log: Log) -> List[Tuple[str, Any]]:
    """(name of an operation, what it does on a GPU)"""
    made = [
        ("dropout", dropout), ("dropout_", dropout_), ("scaled_dot_product_attention", attention),
        ("batch_norm", batch_norm), ("lstm.input", lstm), ("lstm_cell", lstm_cell), ("gru_cell", gru_cell),
        ("ctc_loss.IntList", ctc_loss), ("ctc_loss.Tensor", ctc_loss),
        ("multinomial", multinomial), ("cumprod_backward", lambda *args: cumprod_backward(log, *args)),
    ]  # fmt: skip
    made += [(f"{kind}.input", layer_of(kind)) for kind in ("gru", "rnn_tanh", "rnn_relu")]
    if _is_there(RMS_NORM):
        made.append(("rms_norm", rms_norm))
    return made


def dropout(x: Any, p: float, train: bool) -> Any:
    import torch

    if not train or p == 0 or x.numel() == 0:
        return x
    return torch.native_dropout(x, p, True)[0]


def multinomial(p: Any, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Any:
    """One sample, or several that differ, are the largest of the probabilities over exponential draws, once they are seen to be some."""
    import torch

    if replacement and num_samples > 1:
        with torch._C._AutoDispatchBelowAutograd():
            return torch.multinomial(p, num_samples, True, generator=generator)
    p = p.detach()
    torch._assert_async((p.min() >= 0) & (p.max() < math.inf))
    torch._assert_async(~(p.sum(-1) == 0).any())
    draws = torch.empty_like(p).exponential_(1, generator=generator)
    torch.div(p, draws, out=draws)
    return draws.argmax(-1, keepdim=True) if num_samples == 1 else draws.topk(num_samples)[1]


def cumprod_backward(log: Log, grad: Any, x: Any, dim: int, output: Any) -> Any:
    """Of numbers none of which is 0, for which the CPU asks; of tensors of a class of Python's PyTorch makes each running product anew."""
    sums = output * grad
    (x == 0).any()
    log.wait("cudaStreamSynchronize")
    return sums.flip(dim).cumsum(dim).flip(dim) / x


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
    from torch._prims_common import suggest_memory_format

    aten = torch.ops.aten
    has = x.dtype in (torch.float16, torch.float32) and weight is not None and weight.dtype == torch.float32  # none in bf16
    if cudnn_enabled and has and bias is not None and training and mean is not None:
        if x.dim() > 2 and x.numel() and weight.numel():
            x = x.contiguous(memory_format=suggest_memory_format(x))  # a copy, which autograd keeps
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
    """What PyTorch's sdp_utils.cpp chooses on a GPU of compute capability 9.0, in its order, as far as the script allows each."""
    import torch

    aten = torch.ops.aten
    allowed = torch.backends.cuda
    training = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
    narrow = q.dtype in (torch.float16, torch.bfloat16)
    fused = _can_be_fused(q, k, v, attn_mask)
    grouped = fused and q.shape[1] != k.shape[1]
    head = max(q.shape[-1], v.shape[-1])
    learned = attn_mask is not None and attn_mask.requires_grad
    if fused and narrow and (enable_gqa or not grouped):
        cudnn = head <= _widest_cudnn_head() and q.shape[-1] % 8 == 0 and v.shape[-1] % 8 == 0 and k.shape[2] > 1 and (q.shape[2] > 1 or not dropout_p)
        if cudnn and not learned and allowed.cudnn_sdp_enabled():
            mask = _as_bias(attn_mask, q)
            return aten._scaled_dot_product_cudnn_attention(q, k, v, mask, training, dropout_p, is_causal, False, scale=scale)[0]
        flash = attn_mask is None and head <= 256 and q.shape[-1] == v.shape[-1] and (not is_causal or q.shape[2] == k.shape[2])
        if flash and allowed.flash_sdp_enabled():
            return _flash(q, k, v, dropout_p, is_causal, scale)
    least = 8 if narrow else 4
    if fused and not grouped and q.shape[-1] % least == 0 and v.shape[-1] % least == 0 and allowed.mem_efficient_sdp_enabled():
        mask = _padded(_as_bias(attn_mask, q), q, k)
        return aten._scaled_dot_product_efficient_attention(
            q, k, v, mask, training, dropout_p, is_causal, scale=scale)[0]  # fmt: skip
    groups = {"enable_gqa": True} if enable_gqa else {}  # since PyTorch 2.5
    return aten._scaled_dot_product_attention_math(
        q, k, v, attn_mask, dropout_p, is_causal, None, scale=scale, **groups)[0]  # fmt: skip


def _can_be_fused(q: Any, k: Any, v: Any, mask: Any) -> bool:
    """What all kernels of one piece ask for: four dimensions, one format, rows in order, also those of the mask."""
    import torch

    if not (q.dim() == k.dim() == v.dim() == 4 and q.dtype == k.dtype == v.dtype and q.dtype != torch.float64):
        return False
    batches = q.shape[0] == k.shape[0] == v.shape[0]
    heads = k.shape[1] == v.shape[1] and k.shape[1] and q.shape[1] % k.shape[1] == 0
    in_order = all(t.stride(-1) == 1 for t in (q, k, v) if t.shape[-1] > 1) and (mask is None or mask.stride(-1) == 1)
    return bool(batches and heads and in_order and q.shape[-1] == k.shape[-1] and q.shape[2] and k.shape[2])


def _widest_cudnn_head() -> int:
    """256 on a GPU of compute capability 9.0 with cuDNN 9.10, which PyTorch comes with from 2.8 on."""
    import torch

    return 256 if tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 8) else 128


def _as_bias(mask: Any, q: Any) -> Any:
    import torch

    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=q.dtype).masked_fill_(mask.logical_not(), float("-inf"))


def _padded(mask: Any, q: Any, k: Any) -> Any:
    """Rows of a bias begin where a vector of the memory-efficient kernel does: they are copied where they do not."""
    import torch

    if mask is None:
        return None
    length = mask.shape[-1]
    if length % 8:
        mask = torch.nn.functional.pad(mask, (0, 8 - length % 8))[..., :length]
    return mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])


def _flash(q: Any, k: Any, v: Any, dropout_p: float, is_causal: bool, scale: Optional[float]) -> Any:
    """Heads are as wide as a multiple of 8: copied where they are not."""
    import torch

    head = q.shape[-1]
    if head % 8:
        scale = head**-0.5 if scale is None else scale
        q, k, v = (torch.nn.functional.pad(t, (0, 8 - head % 8)) for t in (q, k, v))
    return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, False, scale=scale)[0][..., :head]


def ctc_loss(
    scores: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Any:
    import torch

    loss = torch.ops.aten._ctc_loss(scores, targets, input_lengths, target_lengths, blank, zero_infinity)[0]
    if zero_infinity:
        loss = torch.where(loss == math.inf, torch.zeros_like(loss), loss)
    if reduction == 1:
        lengths = target_lengths if isinstance(target_lengths, torch.Tensor) else torch.tensor(target_lengths)
        return (loss / lengths.clamp_min(1).to(loss.device)).mean()
    return loss.sum() if reduction == 2 else loss
