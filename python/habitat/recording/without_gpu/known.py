"""Values that a script can know without a GPU: those of small tensors that hang on no parameter and nothing drawn at random.

Widths of layers, rates of dropout, lengths and masks are often worked out with tensors. Each operation on such tensors is done on
real ones of the host as well, their twins, so that what a script asks of them is right and takes the way that it takes on a GPU.
Random whole numbers count as known: they stand for data, of which others would be as good. So do numbers between 0 and 1, by which
scripts split their data and mask their samples, and few other random numbers of the host, by which they choose a branch, a size or a
layer to leave out.

Which of its rows a script takes by unknown values (topk of a router's scores) is made up: each as often as any other. Values that come
of such a choice are marked, so that a warning can say so.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, List, Optional, Tuple

import torch
from torch.utils._python_dispatch import _disable_current_modes

MOST_ELEMENTS = 1 << 16  # of one tensor: models and data are no values that a script asks for
MOST_WHOLE = 1 << 22  # of whole numbers and truth values: the edges of a graph, from which scripts take some out by a mask
MOST_DRAWN = 16  # numbers that the host draws at once to choose by them; more are weights or data
RANDOM_DATA = {"aten::randint", "aten::randint_like", "aten::randperm", "aten::rand", "aten::rand_like"}
# Whole numbers are written into what is empty, at places that are known; what nobody has written is read as 0.
EMPTY = {"aten::empty", "aten::empty_like", "aten::new_empty"}
UNDEFINED = EMPTY | {
    "aten::empty_strided", "aten::new_empty_strided", "aten::set_", "aten::resize_", "aten::record_stream", "aten::is_pinned",
}  # fmt: skip
# They choose among the elements along a dimension: the place of the dimension, of the number of choices, of the indices in the result.
CHOICES = {
    "aten::topk": (2, 1, 1), "aten::argmax": (1, None, None), "aten::max.dim": (1, None, 1),
    "aten::argmin": (1, None, None), "aten::min.dim": (1, None, 1),
}  # fmt: skip
# They write running means and variances, their fourth and fifth argument, and their schemas do not say so.
RUNNING = {"aten::native_batch_norm", "aten::cudnn_batch_norm"}


class Twin:
    """A tensor with values, and whether they still hold: tensors that share memory share that."""

    def __init__(self, real: Any, holds: List[bool], of: Any = None, chosen: bool = False) -> None:
        self.real, self.holds = real, holds
        self.chosen = chosen  # comes of a choice that was made up
        self.memory = None if of is None else memory_of(of)  # `t.data = other` takes another's, and no operation tells

    def __deepcopy__(self, memo: Any) -> Twin:
        with _disable_current_modes():
            return Twin(self.real.clone(), list(self.holds), chosen=self.chosen)


def tensors_in(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


def _is_small(tensor: Any) -> bool:
    numbers = tensor.dtype.is_floating_point or tensor.dtype.is_complex
    return bool(tensor.numel() <= (MOST_ELEMENTS if numbers else MOST_WHOLE))


def known(tensor: Any) -> Optional[Any]:
    """The tensor with its values, or None. A tensor that was loaded for real is its own twin."""
    if not hasattr(tensor, "fake_device"):
        return tensor if _is_small(tensor) and tensor.device.type == "cpu" else None
    twin = getattr(tensor, "_habitat_twin", None)
    if twin is None or not twin.holds[0] or twin.memory not in (None, memory_of(tensor)):
        return None
    return twin.real


def computed(func: Any, args: Any, kwargs: Any) -> Tuple[bool, Any]:
    """(whether all that an operation reads is known, its result on the host)"""
    name = func._schema.name
    if torch.Tag.nondeterministic_seeded in func.tags and name not in RANDOM_DATA:
        return _drawn(func, args, kwargs)
    if name in UNDEFINED and name not in EMPTY:
        return False, None
    if any(known(t) is None for t in tensors_in((*args, *kwargs.values()))):
        return False, None
    try:
        with _disable_current_modes(), torch.no_grad():
            real = {key: _on_host(key, value) for key, value in kwargs.items()}
            made = func(*[_on_host("", a) for a in args], **real)
            if name in EMPTY and made.dtype.is_floating_point:
                return False, None
            return True, made.zero_() if name in EMPTY else made
    except Exception:  # no such operation on the host, or one that is wrong: the shapes say so
        return False, None


def _drawn(func: Any, args: Any, kwargs: Any) -> Tuple[bool, Any]:
    """The same of an operation that draws numbers: few on the host are drawn for real."""
    given = list(tensors_in((*args, *kwargs.values())))
    into = args[0] if func._schema.is_mutable and given else None
    size = [args[0]] if args and isinstance(args[0], (list, tuple)) else []
    drawn = [math.prod(shape) for shape in size] + [t.numel() for t in given]
    device = kwargs.get("device")
    if not drawn or max(drawn) > MOST_DRAWN or any(t.device.type != "cpu" for t in given):
        return False, None
    if device is not None and device.type != "cpu" or into is not None and into.requires_grad:
        return False, None
    host = [_on_host("", a) for a in args]
    if into is not None and host[0] is None:
        host[0] = torch.zeros(into.shape, dtype=into.dtype)
    if any(isinstance(a, torch.Tensor) and real is None for a, real in zip(args, host)):
        return False, None
    with _disable_current_modes(), torch.no_grad():
        return True, func(*host, **{key: _on_host(key, value) for key, value in kwargs.items()})


def places(mask: Any) -> Tuple[Any, ...]:
    """Where a mask on the host is true, by dimension."""
    with _disable_current_modes():
        return tuple(mask.nonzero().unbind(1))


def count_true(mask: Any, shape: Any) -> int:
    """How often it is where it is expanded to a shape."""
    with _disable_current_modes():
        return int(mask.expand(shape).count_nonzero())


def chosen(value: Any) -> bool:
    """Whether values hang on a choice that was made up."""
    twins = [getattr(t, "_habitat_twin", None) for t in tensors_in(value)]
    return any(twin.chosen for twin in twins if twin is not None)


def default_of(func: Any, place: int) -> Any:
    return func._schema.arguments[place].default_value


def _choose(func: Any, args: Any, result: Any) -> None:
    """Indices of elements chosen by unknown values: all in turn, so that each is chosen as often as any other."""
    along, number, place = CHOICES[func.name()]
    indices = result if place is None else result[place]
    dim = args[along] if len(args) > along else default_of(func, along)
    source = args[0].shape
    if dim is None:  # of all elements, as if they lay in a row
        source, dim = (args[0].numel(),), 0
    if not source or not 0 < indices.numel() <= MOST_ELEMENTS:
        return
    each = args[number] if number is not None else 1
    with _disable_current_modes():
        rows = indices.numel() // each
        turns = (torch.arange(rows * each) % source[dim]).reshape(rows, each)
        moved = [n for i, n in enumerate(source) if i != dim % len(source)] + [each]
        real = turns.reshape(moved).movedim(-1, dim).reshape(indices.shape).contiguous()
    indices._habitat_twin = Twin(real, [True], indices, chosen=True)


def follow(func: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Gives the result of an operation its values, or takes them from what it wrote into."""
    results = list(tensors_in(result))
    inputs = list(tensors_in((*args, *kwargs.values())))
    if not all(_is_small(t) for t in results):
        done, real = False, None
    else:
        done, real = computed(func, args, kwargs)
    if not done:
        if func._schema.is_mutable or func._schema.name in RUNNING:
            _forget(_written(func, args, kwargs))
        if func.name() in CHOICES and results:
            _choose(func, args, result)
        return
    made_up = chosen(inputs)
    memory = {memory_of(t._habitat_twin.real): t._habitat_twin.holds for t in inputs if hasattr(t, "_habitat_twin")}
    for fake, value in zip(results, tensors_in(real)):
        dense = hasattr(fake, "fake_device") and fake.layout == value.layout == torch.strided
        if dense and fake.shape == value.shape and fake.dtype == value.dtype:
            fake._habitat_twin = Twin(value, memory.get(memory_of(value), [True]), fake, made_up)


def _on_host(key: str, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return known(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_on_host("", part) for part in value)
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return None if key == "pin_memory" else value


def _written(func: Any, args: Any, kwargs: Any) -> List[Any]:
    """The tensors that an operation writes into."""
    found: List[Any] = list(tensors_in(list(args[3:5]))) if func._schema.name in RUNNING else []
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found += tensors_in(args[place] if place < len(args) else kwargs.get(argument.name))
    return found


def _forget(written: List[Any]) -> None:
    for tensor in written:
        twin = getattr(tensor, "_habitat_twin", None)
        if twin is not None:
            twin.holds[0] = False


def memory_of(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)
