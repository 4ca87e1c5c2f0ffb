"""How much memory of the GPU the tensors of a script would take, and the most of it at once.

Tensors here have no values, but their storages live as long as those of real tensors: as long as the script, autograd or an
optimiser holds them. Sizes are rounded as PyTorch's allocator rounds them. With them come the workspaces that cuBLAS is given
for as long as the process lives, one for each thread that multiplies matrices. Left out is what an operation takes for itself
alone while it runs (the workspace of a convolution, a buffer of a sort).
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, List, Set, Tuple

import torch

from . import known

BLOCK = 512  # the allocator gives whole blocks
WORKSPACE = 34 << 20  # of cuBLAS on compute capability 9.0: 32 MiB, in the allocator's blocks of 2 MiB
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::addbmm", "aten::mv", "aten::addmv"}


class Allocations:
    def __init__(self) -> None:
        self.now = 0
        self.peak = 0
        self.passes_peak = 0  # outside of the steps of an optimiser
        self.paused = False  # what is made now takes no memory that counts, nor do views of it
        self._uncounted: Dict[int, Any] = {}
        self._steps = 0  # of optimisers, one inside the other
        self._handles: List[Any] = []
        self._multiplying: Set[bool] = set()  # the script's thread, and that of the backward pass
        self._held: Dict[int, Tuple[int, Any]] = {}  # a storage -> (its size, a weak reference that tells when it goes)

    def restart(self) -> None:
        """From here on the peaks count."""
        self.peak = self.passes_peak = self.now

    def install(self) -> None:
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

        self._handles = [
            register_optimizer_step_pre_hook(lambda *unused: self._step(1)),
            register_optimizer_step_post_hook(lambda *unused: self._step(-1)),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _step(self, more: int) -> None:
        self._steps = max(0, self._steps + more)

    def note(self, name: str, made: Any) -> None:
        """The results of an operation, of which each storage counts once."""
        if name in PRODUCTS:
            backward = torch._C._current_autograd_node() is not None
            if backward not in self._multiplying:
                self._multiplying.add(backward)
                self._add(WORKSPACE)
        for tensor in known.tensors_in(made):
            if tensor.device.type != "cuda":
                continue
            storage = tensor.untyped_storage()
            key, size = storage._cdata, -(-storage.nbytes() // BLOCK) * BLOCK
            if key in self._uncounted:
                continue
            if self.paused:
                self._uncounted[key] = weakref.ref(storage, lambda _, key=key: self._uncounted.pop(key))
            elif key in self._held:
                self._grow(key, size)
            elif size:
                self._held[key] = (size, weakref.ref(storage, self._when_gone(key)))
                self._add(size)

    def _grow(self, key: int, size: int) -> None:
        """A result that was given, and is larger than it was."""
        before, gone = self._held[key]
        if size > before:
            self._held[key] = (size, gone)
            self._add(size - before)

    def _add(self, size: int) -> None:
        self.now += size
        self.peak = max(self.peak, self.now)
        if not self._steps:
            self.passes_peak = max(self.passes_peak, self.now)

    def _when_gone(self, key: int) -> Callable[[Any], None]:
        def gone(_: Any) -> None:
            self.now -= self._held.pop(key)[0]

        return gone
