"""torch.distributed where a script trains in parallel: what one of its processes does, which exchanges nothing.

A build without CUDA has no NCCL, and the others read values that our tensors lack. So the group's backend is PyTorch's fake one, of as many
processes as the script is told of (WORLD_SIZE), models stay what they are inside DistributedDataParallel and DataParallel, and collectives
leave or copy what they are given. Everything is put back by `Patch.remove()` and `close()`.
"""

from __future__ import annotations

import contextlib
import math
import os
from typing import TYPE_CHECKING, Any, Callable, NoReturn

from ..boundary import Patch
from ..errors import AbortScript, RecordError
from .parts import WholeWeights

if TYPE_CHECKING:
    from .allocations import Allocations

# By place: the result is the input, or a part of it, or holds it first.
IN_PLACE = ("all_reduce", "broadcast", "reduce", "all_reduce_coalesced", "broadcast_object_list", "barrier", "monitored_barrier")
INTO_FIRST = ("all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single", "_all_gather_base", "_reduce_scatter_base")
INTO_PARTS = ("all_gather", "all_to_all")
FROM_PARTS = ("reduce_scatter",)
REMEDY = "run it as one process (WORLD_SIZE=1; DistributedDataParallel may stay), or record it on GPUs"
ONE_OF = "say of how many it is one: WORLD_SIZE={0} RANK=0 LOCAL_RANK=0 habitat record --no-gpu .."
NEED_ANOTHER = ("send", "recv", "isend", "irecv", "batch_isend_irecv")


class Done:
    """A collective that has ended."""

    def wait(self, timeout: Any = None) -> bool:
        return True

    def is_completed(self) -> bool:
        return True

    is_success = is_completed

    def get_future(self) -> Any:
        import torch

        future: Any = torch.futures.Future()
        future.set_result([])
        return future


class Distributed:
    def __init__(self, where: str, allocations: Allocations) -> None:
        self.used = False  # the script wraps its model or asks for a group
        self._processes = 1
        self._where = where
        self._started = False
        self._patch = Patch()
        self._weights = WholeWeights(self._patch, allocations)

    def install(self) -> None:
        import torch

        self._patch.wrap(torch.nn.DataParallel, "__init__", lambda before: _wrap(self))
        self._patch.wrap(torch.nn.DataParallel, "forward", lambda before: _forward)
        if not torch.distributed.is_available():
            return
        parallel = torch.nn.parallel.DistributedDataParallel
        self._patch.wrap(parallel, "__init__", lambda before: _wrap(self))
        self._patch.wrap(parallel, "forward", lambda before: _forward)
        for name in ("register_comm_hook", "_register_builtin_comm_hook", "_set_static_graph"):
            if hasattr(parallel, name):
                self._patch.put(parallel, name, lambda *unused, **unused_too: None)
        self._patch.put(parallel, "join", lambda *unused, **unused_too: contextlib.nullcontext())
        self._everywhere("init_process_group", self._begin)
        for kind in ("nccl", "gloo", "ucc", "mpi"):
            self._everywhere(f"is_{kind}_available", lambda before: lambda: True)
        self._collectives()
        self._weights.install()
        self._meshes()

    def remove(self) -> None:
        if self._started:
            import torch

            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()
        self._patch.remove()

    def in_parts(self) -> bool:
        return self._weights.used

    def warning(self) -> str:
        count = str(self._processes) if self._processes > 1 else "N"
        if self._weights.used:
            return (
                "the script keeps weights in parts (fully_shard, FullyShardedDataParallel): the step of one GPU is recorded, with all of"
                f" them; habitat predict --gpus {count} --sharded tells that of several"
            )
        if not self.used:
            return ""
        return (
            "the script trains in parallel (torch.distributed, DistributedDataParallel or DataParallel): the step of one GPU is"
            f" recorded, without the exchange of gradients; habitat predict --gpus {count} adds it"
        )

    def _everywhere(self, name: str, make: Callable[..., Any]) -> None:
        """In the package that scripts import it from, and in the module that PyTorch's own code does."""
        import torch

        for owner in (torch.distributed, torch.distributed.distributed_c10d):
            if hasattr(owner, name):
                self._patch.wrap(owner, name, make)

    def _refuse(self, what: str, remedy: str = REMEDY) -> NoReturn:
        raise AbortScript(RecordError(self._where, f"{what}: without a GPU one process on one GPU is recorded; {remedy}"))

    def _begin(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def begin(
            backend: Any = None, init_method: Any = None, timeout: Any = None, world_size: int = -1, rank: int = -1, *rest: Any, **more: Any
        ) -> None:
            try:
                from torch.testing._internal.distributed.fake_pg import FakeStore
            except ImportError:
                self._refuse("this PyTorch has no group of processes without a network")
            self._processes = world_size if world_size > 0 else int(os.environ.get("WORLD_SIZE", "1"))
            which = rank if rank >= 0 else int(os.environ.get("RANK", "0"))
            before("fake", rank=which, world_size=self._processes, store=FakeStore())
            self.used = self._started = True

        return begin

    def _collectives(self) -> None:
        for name in IN_PLACE:
            self._everywhere(name, lambda before: lambda *a, async_op=False, **k: _end(async_op))
        for name in INTO_FIRST:
            self._everywhere(name, lambda before: _copying(_what_fits))
        for name in INTO_PARTS:
            self._everywhere(name, lambda before: _copying(_into_parts))
        for name in FROM_PARTS:
            self._everywhere(name, lambda before: _copying(lambda out, parts: [(out, parts[0])]))
        self._everywhere("all_gather_object", lambda before: _gather_object)
        self._everywhere("gather_object", lambda before: lambda given, parts=None, *a, **k: _gather_object(parts, given))
        for name in NEED_ANOTHER:
            self._everywhere(name, lambda before: self._refusing(f"torch.distributed.{before.__name__}()"))

    def _meshes(self) -> None:
        """A mesh is PyTorch's own; the default group is begun with it, as it does."""
        import importlib

        def make(before: Callable[..., Any]) -> Callable[..., Any]:
            def init_device_mesh(device_type: Any, mesh_shape: Any, *rest: Any, **more: Any) -> Any:
                import torch

                if not torch.distributed.is_initialized():
                    torch.distributed.init_process_group()
                count = math.prod(mesh_shape)
                if count > self._processes:
                    self._refuse(f"the script wants {count} processes", ONE_OF.format(count))
                return before(device_type, mesh_shape, *rest, **more)

            return init_device_mesh

        for name in ("torch.distributed.device_mesh", "torch.distributed"):
            with contextlib.suppress(ImportError, AttributeError):
                self._patch.wrap(importlib.import_module(name), "init_device_mesh", make)

    def _refusing(self, what: str) -> Callable[..., NoReturn]:
        return lambda *unused, **unused_too: self._refuse(what)




def _wrap(told: Distributed) -> Callable[..., None]:
    """A wrapper that only holds the model."""

    def wrap(self: Any, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, *unused: Any, **more: Any) -> None:
        import torch

        told.used = True
        torch.nn.Module.__init__(self)
        self.module, self.device_ids, self.output_device, self.dim = module, device_ids, output_device, dim
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.find_unused_parameters = bool(more.get("find_unused_parameters", False))

    return wrap


def _forward(self: Any, *inputs: Any, **named: Any) -> Any:
    """Both wrappers take inputs to the GPU of the model, where they know of one."""
    import torch
    from torch.utils._pytree import tree_map

    if self.device_ids or isinstance(self, torch.nn.DataParallel):
        inputs, named = tree_map(lambda v: v.to("cuda") if isinstance(v, torch.Tensor) else v, (inputs, named))
    return self.module(*inputs, **named)


def _end(async_op: bool) -> Any:
    return Done() if async_op else None


def _what_fits(out: Any, given: Any) -> Any:
    """Of a result that several processes fill its own part, of an input that they share one."""
    count = min(out.numel(), given.numel())
    if out.numel() == given.numel():
        return [(out, given)]
    return [(out.reshape(-1)[:count], given.reshape(-1)[:count])]


def _into_parts(parts: Any, given: Any) -> Any:
    return zip(parts, given if isinstance(given, (list, tuple)) else [given])


def _copying(pairs: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def collective(out: Any, given: Any, *unused: Any, async_op: bool = False, **unused_too: Any) -> Any:
        import torch

        with torch.no_grad():
            for to, of in pairs(out, given):
                to.copy_(of)
        return _end(async_op)

    return collective


def _gather_object(parts: Any, given: Any, *unused: Any, **unused_too: Any) -> None:
    if parts:
        parts[:] = [given] * len(parts)
