"""Recurrent layers on a GPU: one operation of cuDNN for all layers and steps, which a CPU build takes apart."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

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
