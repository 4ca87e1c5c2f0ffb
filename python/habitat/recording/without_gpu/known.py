"""Values that a script can know without a GPU: those of small tensors that hang on no parameter and nothing drawn at random.

Widths of layers, rates of dropout, lengths and masks are often worked out with tensors. Each operation on such tensors is done on
real ones of the host as well, their twins, so that what a script asks of them is right and takes the way that it takes on a GPU.
Random whole numbers count as known: they stand for data, of which others would be as good.
"""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

import torch
from torch.utils._python_dispatch import _disable_current_modes

MOST_ELEMENTS = 1 << 16  # of one tensor: models and data are no values that a script asks for
RANDOM_DATA = {"aten::randint", "aten::randint_like", "aten::randperm"}
UNDEFINED = {
    "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided", "aten::set_",
    "aten::resize_", "aten::record_stream", "aten::is_pinned",
}  # fmt: skip
# They write running means and variances, their fourth and fifth argument, and their schemas do not say so.
RUNNING = {"aten::native_batch_norm", "aten::cudnn_batch_norm"}


class Twin:
    """A tensor with values, and whether they still hold: tensors that share memory share that."""

    def __init__(self, real: Any, holds: List[bool], of: Any = None) -> None:
        self.real, self.holds = real, holds
        self.memory = None if of is None else _memory(of)  # `t.data = other` takes another's, and no operation tells

    def __deepcopy__(self, memo: Any) -> Twin:
        return Twin(self.real.clone(), list(self.holds))


def tensors_in(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


def known(tensor: Any) -> Optional[Any]:
    """The tensor with its values, or None. A tensor that was loaded for real is its own twin."""
    if not hasattr(tensor, "fake_device"):
        return tensor if tensor.numel() <= MOST_ELEMENTS and tensor.device.type == "cpu" else None
    twin = getattr(tensor, "_habitat_twin", None)
    if twin is None or not twin.holds[0] or twin.memory not in (None, _memory(tensor)):
        return None
    return twin.real


def computed(func: Any, args: Any, kwargs: Any) -> Tuple[bool, Any]:
    """(whether all that an operation reads is known, its result on the host)"""
    name = func._schema.name
    random = torch.Tag.nondeterministic_seeded in func.tags and name not in RANDOM_DATA
    if name in UNDEFINED or random:
        return False, None
    if any(known(t) is None for t in tensors_in((*args, *kwargs.values()))):
        return False, None
    try:
        with _disable_current_modes(), torch.no_grad():
            real = {key: _on_host(key, value) for key, value in kwargs.items()}
            return True, func(*[_on_host("", a) for a in args], **real)
    except Exception:  # no such operation on the host, or one that is wrong: the shapes say so
        return False, None


def follow(func: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Gives the result of an operation its values, or takes them from what it wrote into."""
    results = list(tensors_in(result))
    inputs = list(tensors_in((*args, *kwargs.values())))
    if any(t.numel() > MOST_ELEMENTS for t in results):
        done, real = False, None
    else:
        done, real = computed(func, args, kwargs)
    if not done:
        if func._schema.is_mutable or func._schema.name in RUNNING:
            _forget(_written(func, args, kwargs))
        return
    memory = {_memory(t._habitat_twin.real): t._habitat_twin.holds for t in inputs if hasattr(t, "_habitat_twin")}
    for fake, value in zip(results, tensors_in(real)):
        if hasattr(fake, "fake_device") and fake.shape == value.shape and fake.dtype == value.dtype:
            fake._habitat_twin = Twin(value, memory.get(_memory(value), [True]), fake)


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


def _memory(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)
