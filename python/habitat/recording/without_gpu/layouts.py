"""How operations on a GPU want their tensors laid out: what is laid out otherwise they copy first, which is work of its own.

cuDNN computes a convolution in one layout: channels last where the images or the weights have them so, else the usual one. Lines are
images a pixel high, but PyTorch takes care that they go the usual way, also where a network transposed them (docs/decisions/0630).
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch._prims_common import suggest_memory_format

# Of their tensors so many are copied where those are not contiguous.
CONTIGUOUS_FIRST = {"aten::native_layer_norm": 1, "aten::native_layer_norm_backward": 2}
# Where the images are among their arguments; the weights come next, and what is before them is a gradient.
CONVOLUTIONS: Dict[str, int] = {"aten::convolution": 0, "aten::convolution_backward": 1}
FEW_CHANNELS = 4  # TF32's kernels of such images read them as they lie
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
    if name == "aten::cudnn_batch_norm_backward":
        order = suggest_memory_format(arguments[0])
        if not arguments[1].is_contiguous(memory_format=order):
            yield arguments[1], order
    first = CONVOLUTIONS.get(name)
    if first is None:
        return
    order = convolved_in(*arguments[first : first + 2])
    for t in arguments[: first + 2]:
        if not t.is_contiguous(memory_format=order):
            yield t, order


def worked_in(name: str, arguments: Any, result: Any) -> Tuple[int, int]:
    """Bytes that cuDNN takes for itself while it runs a convolution on matrix units: of weights, and of images, which it copies there with
    channels last unless they lie so. As the library does for recordings (docs/memory.md, workspaces of convolutions). Not known are
    spectra and tiles of strict fp32, and groups."""
    first = CONVOLUTIONS.get(name)
    if first is None:
        return 0, 0
    x, w = arguments[first : first + 2]
    stride, dilation, groups = arguments[first + 3], arguments[first + 5], arguments[first + 8]
    y = arguments[0] if first else result
    wide = x.dtype == torch.float32
    on_units = torch.backends.cudnn.allow_tf32 if wide else x.dtype in (torch.float16, torch.bfloat16)
    taken_as_it_is = wide and min(x.shape[1], y.shape[1]) <= FEW_CHANNELS
    product = math.prod(w.shape[2:]) == 1 and {*stride, *dilation} == {1}
    if not on_units or groups != 1 or product or taken_as_it_is or convolved_in(x, w) != torch.contiguous_format:
        return 0, 0
    return filled(w), filled(x) + filled(y)


def filled(t: Any) -> int:
    """Bytes of a tensor with channels last, filled up to 16 bytes."""
    unit = 16 // t.element_size()
    return int(t.shape[0] * math.prod(t.shape[2:]) * -(-t.shape[1] // unit) * 16)


def laid_out_by_cudnn(first: int, args: Any, result: Any) -> Any:
    """What cuDNN writes is laid out as it computed, which a CPU build does not know; `first`: where the images are."""
    order = convolved_in(*args[first : first + 2])
    if order == torch.contiguous_format:
        return result

    def last(t: Any) -> Any:
        of_images = isinstance(t, torch.Tensor) and t.dim() in ORDERS
        return torch.empty_like(t, memory_format=order) if of_images else t

    return tuple(map(last, result)) if isinstance(result, (list, tuple)) else last(result)
