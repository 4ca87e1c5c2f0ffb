"""Autocast for tensors "on a GPU": PyTorch's rules of `torch.autocast("cuda")` (torch/docs/amp), by operation.

The kernels that PyTorch brings ask each tensor whether it is on a GPU, inside, where ours say no.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

# Arguments of a call of an operation; a cast gives them in the formats of autocast, with the format that narrow ones take.
Arguments = Sequence[Any]
Keywords = Dict[str, Any]
Call = Tuple[Arguments, Keywords]
Cast = Callable[[Any, Arguments, Keywords, Any], Call]

NARROW = """_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
cudnn_convolution cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm
chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
scaled_dot_product_attention""".split()
HALF = ["_cudnn_rnn"]  # whatever autocast's format is: PyTorch's wrapper of it names half
WIDE = """acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm native_layer_norm
group_norm frobenius_norm nuclear_norm cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d
hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss
soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp
upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d upsample_bilinear2d upsample_trilinear3d
upsample_bicubic2d _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d _upsample_bilinear2d_aa
_upsample_bicubic2d_aa""".split()
WIDE_RESULT = "prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm sum".split()
WIDEST = "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add".split()

_narrowed: Dict[int, Tuple[Any, Any]] = {}  # id of a parameter -> (the parameter, its narrow copy), until autocast is left


def forget() -> None:
    """What leaving the outermost autocast does."""
    _narrowed.clear()


def kernels() -> List[Tuple[str, Any]]:
    """(name of an operation with its overload, its kernel under autocast)"""
    import torch

    made = []
    for names, cast in ((NARROW, _narrow), (HALF, _half), (WIDE, _wide), (WIDE_RESULT, _wide_result), (WIDEST, _widest)):
        for name in names:
            packet = getattr(torch.ops.aten, name, None)
            for overload in packet.overloads() if packet else ():
                full = f"aten::{name}" if overload == "default" else f"aten::{name}.{overload}"
                if _has_kernel(full) or name in HALF:  # a CPU build has none
                    made.append((full.removeprefix("aten::"), _kernel(getattr(packet, overload), cast)))
    return made


def _has_kernel(name: str) -> bool:
    import torch

    try:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCUDA"))
    except RuntimeError:  # TorchScript's alone: einsum.sublist
        return False


def _kernel(operation: Any, cast: Cast) -> Callable[..., Any]:
    import torch

    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)

    def under_autocast(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(keys):
            narrow = torch.get_autocast_dtype("cuda")
            taken, named = cast(operation, args, kwargs, narrow)
            return operation(*taken, **named)

    return under_autocast


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value):
        return [function(v) if isinstance(v, torch.Tensor) else v for v in value]
    return value


def _eligible(t: Any) -> bool:
    import torch

    return bool(t.is_floating_point() and t.device.type == "cuda" and t.dtype != torch.float64)


def _all(args: Arguments, kwargs: Keywords, dtype: Any) -> Call:
    def cast(t: Any) -> Any:
        return _to(t, dtype) if _eligible(t) else t

    return [_each(a, cast) for a in args], {k: _each(v, cast) for k, v in kwargs.items()}


def _to(t: Any, dtype: Any) -> Any:
    import torch

    if t.dtype == dtype:
        return t
    kept = t.is_leaf and t.requires_grad and t.dtype == torch.float32 and torch.is_autocast_cache_enabled()
    if kept and id(t) in _narrowed:
        return _narrowed[id(t)][1]
    made = t.to(dtype)
    if kept and dtype != torch.float32:
        _narrowed[id(t)] = (t, made)
    return made


def _narrow(operation: Any, args: Arguments, kwargs: Keywords, narrow: Any) -> Call:
    return _all(args, kwargs, narrow)


def _half(operation: Any, args: Arguments, kwargs: Keywords, narrow: Any) -> Call:
    """Weights go into a buffer in half, filled with zeros before, anew in every call."""
    import torch

    def cast(t: Any) -> Any:
        return t.to(torch.float16) if _eligible(t) else t

    taken = list(args)
    buffer = [a.name for a in operation._schema.arguments].index("weight_buf")
    if taken[buffer] is not None and _eligible(taken[buffer]) and taken[buffer].dtype != torch.float16:
        taken[buffer] = torch.zeros(taken[buffer].shape, dtype=torch.float16, device=taken[buffer].device)
    return [_each(a, cast) for a in taken], {k: _each(v, cast) for k, v in kwargs.items()}


def _wide(operation: Any, args: Arguments, kwargs: Keywords, narrow: Any) -> Call:
    import torch

    return _all(args, kwargs, torch.float32)


def _wide_result(operation: Any, args: Arguments, kwargs: Keywords, narrow: Any) -> Call:
    """The result's format, where the script names none: casting and computing are one kernel."""
    import torch

    names = [a.name for a in operation._schema.arguments]
    at = names.index("dtype") if "dtype" in names else None
    given = kwargs.get("dtype") if at is None or at >= len(args) else args[at]
    if at is not None and given is None and _eligible(args[0]):
        args = list(args)
        if at < len(args):
            args[at] = torch.float32
        else:
            kwargs = {**kwargs, "dtype": torch.float32}
    return args, kwargs


def _widest(operation: Any, args: Arguments, kwargs: Keywords, narrow: Any) -> Call:
    import torch

    found = []
    for value in args:
        _each(value, lambda t: found.append(t.dtype) if _eligible(t) else None)
    return _all(args, kwargs, torch.float32 if torch.float32 in found else narrow) if found else (args, kwargs)
