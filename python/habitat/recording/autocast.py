"""In which number format a model computes: autocast around its call, or entered inside it.

Scripts put `with torch.autocast(..)` around the call; accelerate, and with it Hugging Face's Trainer, put it into the model's
`forward`, where it is over again by the time hooks of the module run. So entering is watched while a model is called.
Compiled code enters nothing at run time: there the wrappers around `forward` are asked for the autocast they hold.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional, Set, Tuple

from .boundary import Patch


class AutocastWatch:
    """`begin()` and `end(module, inside)` around a call of an outermost model; `end` gives the format, or None.

    `inside` is the model in its wrappers.
    """

    def __init__(self) -> None:
        self._local = threading.local()
        self._patch = Patch()

    def start(self) -> None:
        import torch

        self._patch.wrap(torch.autocast, "__enter__", self._watch)

    def remove(self) -> None:
        self._patch.remove()

    def begin(self) -> None:
        entered: Set[Tuple[str, str]] = set()  # device and format
        self._local.entered = entered

    def end(self, module: Any, inside: Any) -> Optional[str]:
        kind = next(module.parameters()).device.type
        entered, self._local.entered = getattr(self._local, "entered", None) or set(), None
        dtypes = {dtype for device, dtype in entered if device == kind}
        return _around(kind) or "+".join(sorted(dtypes)) or _held_by_forward((module, inside), kind)

    def _watch(self, enter: Any) -> Callable[..., Any]:
        def watched(context: Any, *args: Any, **kwargs: Any) -> Any:
            result = enter(context, *args, **kwargs)
            entered = getattr(self._local, "entered", None)
            if entered is not None and _dtype_of(context):
                entered.add((context.device, _dtype_of(context)))
            return result

        return watched


def _around(kind: str) -> Optional[str]:
    import torch

    if kind not in ("cuda", "cpu") or not torch.is_autocast_enabled(kind):
        return None
    return _plain(torch.get_autocast_dtype(kind))


def _dtype_of(context: Any) -> Optional[str]:
    """Format of a torch.autocast; None where it is switched off."""
    return _plain(context.fast_dtype) if context._enabled else None


def _plain(dtype: Any) -> str:
    return str(dtype).replace("torch.", "")


def _held_by_forward(owners: Tuple[Any, ...], kind: str) -> Optional[str]:
    """Format of an enabled autocast that decorates the `forward` of a model."""
    import torch

    for owner in owners:
        function = owner.forward
        for _ in range(16):
            function = getattr(function, "__func__", function)
            for cell in getattr(function, "__closure__", None) or ():
                held = _content(cell)
                if isinstance(held, torch.autocast) and held.device == kind and _dtype_of(held):
                    return _dtype_of(held)
            function = getattr(function, "__wrapped__", None)
            if function is None:
                break
    return None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None
