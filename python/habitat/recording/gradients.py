"""Moments within a backward pass: when so many parameters have their gradients.

A hook on every parameter would cost the CPU a few microseconds each, in a time that is to be the script's own. So one iteration is
counted, with a hook on each, and the iterations after it have hooks on those few alone behind whose gradients something is to happen.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Hashable, List, Set

EVERY = 32  # gradients: with their operations 100 to 500 launches, and a GPU's queue holds a thousand


class GradientStops:
    """`begin()` where an iteration begins: calls `stop(n)` after the n-th gradient, n a multiple of EVERY, once the order is known.

    The order is that of an iteration before, which began after an optimiser had stepped: its parameters are the ones looked at.
    """

    def __init__(self, stop: Callable[[Hashable], None]) -> None:
        self.stopped = False
        self._stop = stop
        self._parameters: Dict[int, weakref.ReferenceType[Any]] = {}  # by their id
        self._order: List[int] = []  # ids, as gradients came
        self._handles: List[Any] = []

    def learn(self, optimizer: Any) -> None:
        """The parameters of an optimiser that steps."""
        if self._order or self._handles:
            return
        for group in optimizer.param_groups:
            for p in group["params"]:
                if getattr(p, "is_leaf", False) and p.requires_grad:
                    self._parameters[id(p)] = weakref.ref(p)

    def begin(self) -> None:
        self.remove()
        if self._order:
            self._hook_the_chosen()
        else:
            for key in self._parameters:
                self._hook(key, lambda _, key=key: self._order.append(key))

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _hook(self, key: int, what: Callable[..., None]) -> None:
        hook = getattr(self._parameters[key](), "register_post_accumulate_grad_hook", None)  # PyTorch 2.1 and later
        if hook is not None:
            self._handles.append(hook(what))

    def _hook_the_chosen(self) -> None:
        chosen: Dict[int, Set[int]] = {}  # of a parameter: which of its gradients
        for n in range(EVERY, len(self._order), EVERY):
            key = self._order[n - 1]
            chosen.setdefault(key, set()).add(self._order[:n].count(key))
        for key, wanted in chosen.items():
            self._hook(key, self._counting(key, wanted))

    def _counting(self, key: int, wanted: Set[int]) -> Callable[..., None]:
        seen = 0

        def accumulated(_: Any) -> None:
            nonlocal seen
            seen += 1
            if seen in wanted:
                self.stopped = True
                self._stop((key, seen))

        return accumulated
