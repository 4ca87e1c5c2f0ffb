"""Packed sequences: PyTorch's functions read lengths from the memory of tensors, which these here take from what is known of them.

The steps are those of aten/src/ATen/native/PackedSequence.cpp, so that the same slices are copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Tuple

from .recurrent import cudnn_layers

if TYPE_CHECKING:
    from .values import Values


def rules(values: Values) -> List[Tuple[str, Any]]:
    """(name of an operation, what it does on a GPU)"""
    numbers = _Numbers(values)
    made = [("_pack_padded_sequence", numbers.pack), ("_pad_packed_sequence", numbers.pad), ("lstm.data", numbers.lstm)]
    return made + [(f"{kind}.data", numbers.layer(kind)) for kind in ("gru", "rnn_tanh", "rnn_relu")]


class _Numbers:
    def __init__(self, values: Values) -> None:
        self._values = values

    def _of(self, tensor: Any) -> List[int]:
        from .known import chosen, known

        real = known(tensor)
        if real is None:
            self._values.refuse("packed sequences are as long as values say")
        if chosen(tensor):
            self._values.note_choice()
        return [int(n) for n in real.tolist()]

    def pack(self, x: Any, lengths: Any, batch_first: bool) -> Tuple[Any, Any]:
        """All steps that the shortest sequence has, then what the next longer ones have beyond it, and so on."""
        import torch

        if batch_first:
            x = x.transpose(0, 1)
        blocks, sizes, done = [], [], 0
        ends = self._of(lengths)
        for shorter, end in enumerate(reversed(ends)):
            if end > done:
                batch = len(ends) - shorter
                blocks.append(x[done:end, :batch].contiguous().view(-1, *x.shape[2:]))
                sizes += [batch] * (end - done)
                done = end
        return torch.cat(blocks), torch.tensor(sizes)

    def pad(self, data: Any, batch_sizes: Any, batch_first: bool, padding: Any, total: int) -> Tuple[Any, Any]:
        import torch

        sizes = self._of(batch_sizes)
        out = torch.full((max(total, len(sizes)), sizes[0], *data.shape[1:]), padding, dtype=data.dtype, device=data.device)
        begin = step = 0
        while step < len(sizes):
            alike = sizes[step:].count(sizes[step])  # they never grow
            rows = alike * sizes[step]
            block = data[begin : begin + rows].view(alike, sizes[step], *data.shape[1:])
            out[step : step + alike, : sizes[step]].copy_(block)
            begin, step = begin + rows, step + alike
        lengths = [sum(size > sequence for size in sizes) for sequence in range(sizes[0])]
        return out.transpose(0, 1) if batch_first else out, torch.tensor(lengths)

    def lstm(self, x: Any, batch_sizes: Any, hx: Any, params: Any, *how: Any) -> Tuple[Any, Any, Any]:
        return self._layers("lstm", x, batch_sizes, hx[0], hx[1], params, *how)

    def layer(self, kind: str) -> Any:
        return lambda x, batch_sizes, hx, params, *how: self._layers(kind, x, batch_sizes, hx, None, params, *how)[:2]

    def _layers(self, kind: str, x: Any, batch_sizes: Any, hx: Any, cx: Any, params: Any, *how: Any) -> Tuple[Any, Any, Any]:
        given: List[Any] = [x, hx, cx, params, *how, False, self._of(batch_sizes)]
        return cudnn_layers(kind, *given)
