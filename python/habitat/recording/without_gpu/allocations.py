"""How much memory of the GPU the tensors of a script would take, and the most of it at once.

Tensors here have no values, but their storages live as long as those of real tensors: as long as the script, autograd or an
optimiser holds them. Sizes are rounded as PyTorch's allocator rounds them. With them come the workspaces that cuBLAS is given
for as long as the process lives, one for each thread that multiplies matrices, and what a convolution on matrix units copies while it
runs (layouts.py). Left out is what other operations take for themselves alone (spectra of a convolution in strict fp32, a buffer of a sort).

Some of it no batch changes: what there is when the recorded iteration begins (weights, states), gradients of parameters, casts of
weights, workspaces, what an optimiser makes in its step. With another batch another moment may be the one that takes most, so those are noted that may be.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, List, Set, Tuple

import torch

from . import known

BLOCK = 512  # the allocator gives whole blocks
WORKSPACE = 34 << 20  # of cuBLAS on compute capability 9.0: 32 MiB, in the allocator's blocks of 2 MiB
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::addbmm", "aten::mv", "aten::addmv"}
CASTS = "aten::_to_copy"
MOMENTS_MOST = 16  # as many as the reader of traces takes
Moment = Tuple[int, int]  # what no batch changes, and the rest [byte]


class Held:
    """A storage that lives."""

    def __init__(self, size: int, kept: bool, gone: Any) -> None:
        self.size, self.kept, self.gone = size, kept, gone


class Allocations:
    def __init__(self) -> None:
        self.now = 0
        self.kept = 0  # of it, what no batch changes
        self.peak = 0
        self.paused = False  # what is made now takes no memory that counts, nor do views of it
        self.passes: List[Moment] = []  # outside of the steps of an optimiser
        self.steps: List[Moment] = []
        self._uncounted: Dict[int, Any] = {}
        self._in_steps = 0  # of optimisers, one inside the other
        self.stepped_on_host = 0  # numbers that an optimiser changes there
        self._handles: List[Any] = []
        self._multiplying: Set[bool] = set()  # the script's thread, and that of the backward pass
        self._held: Dict[int, Held] = {}  # by storage

    def restart(self) -> None:
        """From here on the peak and the moments count."""
        self.peak = self.now
        for held in self._held.values():
            held.kept = True
        self.kept = self.now
        self.passes, self.steps = [], []
        self._note_moment()

    def install(self) -> None:
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

        self._handles = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(lambda *unused: self._step(-1)),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _before_step(self, optimizer: Any, *unused: Any) -> None:
        self._step(1)
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self.stepped_on_host = max(self.stepped_on_host, sum(p.numel() for p in parameters if p.device.type == "cpu"))

    def _step(self, more: int) -> None:
        self._in_steps = max(0, self._in_steps + more)

    def note(self, name: str, made: Any, given: Any = None) -> None:
        """The results of an operation, of which each storage counts once. given: its first argument."""
        if name in PRODUCTS:
            backward = torch._C._current_autograd_node() is not None
            if backward not in self._multiplying:
                self._multiplying.add(backward)
                self._add(WORKSPACE, True)
        kept = (name == CASTS and isinstance(given, torch.nn.Parameter)) or self._is_of_a_step()
        for tensor in known.tensors_in(made):
            if tensor.device.type != "cuda":
                continue
            storage = tensor.untyped_storage()
            key, size = storage._cdata, -(-storage.nbytes() // BLOCK) * BLOCK
            if key in self._uncounted:
                continue
            if self.paused:
                self._uncounted[key] = weakref.ref(storage, self._when_forgotten(key))
            elif key in self._held:
                self._grow(key, size)
            elif size:
                self._held[key] = Held(size, kept, weakref.ref(storage, self._when_gone(key)))
                self._add(size, kept)

    def _is_of_a_step(self) -> bool:
        """What an optimiser makes for itself; not the passes of a closure that it calls."""
        return bool(self._in_steps) and not torch.is_grad_enabled() and torch._C._current_autograd_node() is None

    def keep(self, made: Any) -> None:
        """These are gradients of parameters."""
        for tensor in known.tensors_in(made):
            held = self._held.get(tensor.untyped_storage()._cdata)
            if held is not None and not held.kept:
                held.kept = True
                self.kept += held.size

    def _grow(self, key: int, size: int) -> None:
        """A result that was given, and is larger than it was."""
        held = self._held[key]
        if size > held.size:
            more, held.size = size - held.size, size
            self._add(more, held.kept)

    def pass_by(self, kept: int, rest: int) -> None:
        """What the latest operation took for itself alone: of what no batch changes, and the rest."""
        if (kept or rest) and not self.paused:
            self.peak = max(self.peak, self.now + kept + rest)
            self._note_moment(kept, rest)

    def _add(self, size: int, kept: bool) -> None:
        self.now += size
        self.kept += size if kept else 0
        self.peak = max(self.peak, self.now)
        self._note_moment()

    def _note_moment(self, kept_too: int = 0, rest_too: int = 0) -> None:
        now = (self.kept + kept_too, self.now - self.kept + rest_too)
        moments = self.steps if self._in_steps else self.passes
        if any(kept >= now[0] and rest >= now[1] for kept, rest in moments):
            return
        moments[:] = [m for m in moments if m[0] > now[0] or m[1] > now[1]] + [now]
        if len(moments) > 256:
            moments[:] = outermost(moments)

    def _when_forgotten(self, key: int) -> Callable[[Any], None]:
        def forgotten(_: Any) -> None:
            self._uncounted.pop(key)

        return forgotten

    def _when_gone(self, key: int) -> Callable[[Any], None]:
        def gone(_: Any) -> None:
            held = self._held.pop(key)
            self.now -= held.size
            self.kept -= held.size if held.kept else 0

        return gone


def outermost(moments: List[Moment]) -> List[Moment]:
    """Those that are the most for some batch, as kept + rest x batch: with ever more of what grows. Of too many those that grow most."""
    found: List[Moment] = []
    for now in sorted(set(moments), key=lambda m: (m[1], m[0])):
        while found and (found[-1][0] <= now[0] or (len(found) > 1 and not _turns(found[-2], found[-1], now))):
            found.pop()
        found.append(now)
    return found[-MOMENTS_MOST:]


def _turns(a: Moment, b: Moment, c: Moment) -> bool:
    """Whether b is above the line from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) > (c[0] - a[0]) * (b[1] - a[1])
