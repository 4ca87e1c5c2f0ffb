"""How much memory of the GPU the tensors of a script would take, and the most of it at once.

Tensors here have no values, but their storages live as long as those of real tensors: as long as the script, autograd or an
optimiser holds them. Sizes are rounded as PyTorch's allocator rounds them. With them come the workspaces that cuBLAS is given
for as long as the process lives, one for each thread that multiplies matrices. Left out is what an operation takes for itself
alone while it runs (the workspace of a convolution, a buffer of a sort).
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Set, Tuple

import torch

from . import known

BLOCK = 512  # the allocator gives whole blocks
WORKSPACE = 34 << 20  # of cuBLAS on compute capability 9.0: 32 MiB, in the allocator's blocks of 2 MiB
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::addbmm", "aten::mv", "aten::addmv"}


class Allocations:
    def __init__(self) -> None:
        self.now = 0
        self.peak = 0
        self._multiplying: Set[bool] = set()  # the script's thread, and that of the backward pass
        self._held: Dict[int, Tuple[int, Any]] = {}  # a storage -> (its size, a weak reference that tells when it goes)

    def restart(self) -> None:
        """From here on the peak counts."""
        self.peak = self.now

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
            if key in self._held:
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

    def _when_gone(self, key: int) -> Callable[[Any], None]:
        def gone(_: Any) -> None:
            self.now -= self._held.pop(key)[0]

        return gone
