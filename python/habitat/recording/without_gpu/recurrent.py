"""Recurrent layers on a GPU: one operation of cuDNN for all layers and steps, which a CPU build takes apart."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Sequence, Tuple

RNN_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}


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
    out, h, c = cudnn_layers("lstm", x, hx[0], hx[1], params, has_biases, layers, dropout_p, train, bidirectional, batch_first)
    return out, h, c


def layer_of(kind: str) -> Callable[..., Any]:
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
        return cudnn_layers(kind, x, hx, None, params, has_biases, layers, dropout_p, train, bidirectional, batch_first)[:2]

    return layer


def lstm_cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tuple[Any, Any]:
    """A step of a layer: two products, and one kernel for all gates."""
    import torch

    gates = x.matmul(w_ih.t()), hx[0].matmul(w_hh.t())
    h, c, _ = torch.ops.aten._thnn_fused_lstm_cell(*gates, hx[1], b_ih, b_hh)
    return h, c


def gru_cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    import torch

    gates = x.matmul(w_ih.t()), hx.matmul(w_hh.t())
    return torch.ops.aten._thnn_fused_gru_cell(*gates, hx, b_ih, b_hh)[0]


def fused_gru_cell(input_gates: Any, hidden_gates: Any, hx: Any, *biases: Any) -> Tuple[Any, Any]:
    """The shapes of its results: the state, and what its gradient needs."""
    import torch

    return torch.empty_like(hx), hx.new_empty([hx.shape[0], 5 * hx.shape[1]])


def fused_gru_cell_backward(grad: Any, workspace: Any, has_bias: bool) -> Tuple[Any, ...]:
    """The shapes of the gradients of both kinds of gates, of the state and of the biases."""
    import torch

    gates = [grad.new_empty([grad.shape[0], 3 * grad.shape[1]]) for _ in range(2)]
    biases = [grad.new_empty([3 * grad.shape[1]]) if has_bias else None for _ in range(2)]
    return (*gates, torch.empty_like(grad), *biases)


def fused_lstm_cell(input_gates: Any, hidden_gates: Any, cx: Any, *biases: Any) -> Tuple[Any, Any, Any]:
    """PyTorch's rule asks biases that are not there for their device."""
    import torch

    return torch.empty_like(cx), torch.empty_like(cx), torch.empty_like(input_gates)


def fused_lstm_cell_backward(grad_h: Any, grad_c: Any, cx: Any, cy: Any, workspace: Any, has_bias: bool) -> Tuple[Any, Any, Any]:
    """PyTorch's rule knows no result that is none, as that of a bias that is not there."""
    import torch

    return torch.empty_like(workspace), torch.empty_like(cx), workspace.new_empty([workspace.shape[1]] if has_bias else [0])


@functools.lru_cache(maxsize=None)
def shapes() -> Dict[Any, Callable[..., Any]]:
    """Operations of PyTorch, and the shapes of their results."""
    import torch

    aten = torch.ops.aten
    return {
        aten._thnn_fused_gru_cell.default: fused_gru_cell,
        aten._thnn_fused_gru_cell_backward.default: fused_gru_cell_backward,
        aten._thnn_fused_lstm_cell.default: fused_lstm_cell,
        aten._thnn_fused_lstm_cell_backward_impl.default: fused_lstm_cell_backward,
    }


def cudnn_layers(
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
    batch_sizes: Sequence[int] = (),
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
    buffer = torch.empty(sum(p.numel() for p in params), dtype=params[0].dtype, device=x.device)
    out = torch.ops.aten._cudnn_rnn(
        x, list(params), per_layer, buffer, hx, cx, RNN_MODES[kind], hidden, hx.shape[-1] if projected else 0, layers,
        batch_first, dropout_p, train, bidirectional, list(batch_sizes), state)  # fmt: skip
    return out[0], out[1], out[2]
