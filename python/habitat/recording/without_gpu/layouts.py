"""How operations on a GPU want their tensors laid out: what is laid out otherwise they copy first, which is work of its own.

cuDNN computes a convolution in one layout: channels last where the images or the weights have them so, else the usual one. Lines are
images a pixel high, but PyTorch takes care that they go the usual way, also where a network transposed them (docs/decisions/0630).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch._prims_common import suggest_memory_format

# Of their tensors so many are copied where those are not contiguous.
CONTIGUOUS_FIRST = {"aten::native_layer_norm": 1, "aten::native_layer_norm_backward": 2}
# Where the images are among their arguments; the weights come next, and what is before them is a gradient.
CONVOLUTIONS: Dict[str, int] = {"aten::convolution": 0, "aten::convolution_backward": 1}
ORDERS = {4: torch.channels_last, 5: torch.channels_last_3d}  # by rank


def convolved_in(images: Any, weights: Any) -> torch.memory_format:
    last = ORDERS.get(weights.dim())
    if last is not None and any(suggest_memory_format(t) == last for t in (images, weights)):
        return last
    return torch.contiguous_format


def copied_first(name: str, arguments: List[Any]) -> Iterator[Tuple[Any, torch.memory_format]]:
    """The tensors that an operation copies before it begins, and into which layout."""
    for t in arguments[: CONTIGUOUS_FIRST.get(name, 0)]:
        if not t.is_contiguous():
            yield t, torch.contiguous_format
    first = CONVOLUTIONS.get(name)
    if first is None:
        return
    order = convolved_in(*arguments[first : first + 2])
    for t in arguments[: first + 2]:
        if not t.is_contiguous(memory_format=order):
            yield t, order


def laid_out_by_cudnn(first: int, args: Any, result: Any) -> Any:
    """What cuDNN writes is laid out as it computed, which a CPU build does not know; `first`: where the images are."""
    order = convolved_in(*args[first : first + 2])
    if order == torch.contiguous_format:
        return result

    def last(t: Any) -> Any:
        of_images = isinstance(t, torch.Tensor) and t.dim() in ORDERS
        return torch.empty_like(t, memory_format=order) if of_images else t

    return tuple(map(last, result)) if isinstance(result, (list, tuple)) else last(result)
