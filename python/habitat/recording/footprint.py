"""What a training step keeps in memory from one iteration to the next, and how large its parameters are.

Looked at once, between two iterations: the optimiser has stepped, gradients are still there. All sizes are in bytes;
a tensor that two owners share counts once. What is on another device than most of the parameters is left out.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional


class Optimizers:
    """Collects the optimisers that take a step between `start()` and `remove()`."""

    def __init__(self) -> None:
        self._seen: Dict[int, Any] = {}
        self._handle: Any = None

    def start(self) -> None:
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        self._handle = register_optimizer_step_pre_hook(self._note)

    def remove(self) -> None:
        if self._handle is not None:
            self._handle.remove()
        self._handle = None

    def found(self) -> List[Any]:
        return list(self._seen.values())

    def _note(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._seen[id(optimizer)] = optimizer


def footprint(modules: List[Any], optimizers: List[Any]) -> Optional[Dict[str, Any]]:
    """The `memory` object of a recording, or None if no module has parameters."""
    parameters = _unique(p for module in modules for p in module.parameters())
    if not parameters:
        return None
    devices = [p.device for p in parameters]
    device = max(set(devices), key=devices.count)
    gradients = [p.grad for p in parameters if p.grad is not None]
    states = [t for optimizer in optimizers for state in optimizer.state.values() for t in _tensors_of(state)]
    return {
        "parameters_bytes": _bytes(parameters, device),
        "buffers_bytes": _bytes((b for module in modules for b in module.buffers()), device),
        "gradients_bytes": _bytes(gradients, device),
        "optimizer_state_bytes": _bytes(states, device),
        "allocated_between_iterations_bytes": _allocated(device),
        "optimizers": sorted(type(optimizer).__name__ for optimizer in optimizers),
        "parameter_sizes": _sizes([p for p in parameters if p.requires_grad]),
    }


def _sizes(parameters: List[Any]) -> Dict[str, List[int]]:
    """Elements of each trained parameter by number format, in the order in which the model registered them."""
    sizes: Dict[str, List[int]] = {}
    for p in parameters:
        sizes.setdefault(str(p.dtype).replace("torch.", ""), []).append(p.numel())
    return sizes


def _tensors_of(state: Any) -> List[Any]:
    import torch

    values = state.values() if isinstance(state, dict) else ()
    return [value for value in values if isinstance(value, torch.Tensor)]


def _unique(tensors: Iterable[Any]) -> List[Any]:
    return list({id(t): t for t in tensors}.values())


def _bytes(tensors: Iterable[Any], device: Any) -> int:
    """Sizes of the tensors' storages on one device, each storage once."""
    storages: Dict[int, int] = {}
    for tensor in tensors:
        if tensor.device == device and tensor.device.type != "meta":
            for part in _parts(tensor):
                storage = part.untyped_storage()
                storages[storage._cdata] = storage.nbytes()
    return sum(storages.values())


def _parts(tensor: Any) -> List[Any]:
    """The dense tensors that hold its elements: those of a sparse one (an embedding's gradient), and of classes that wrap
    others, such as the shard that FSDP leaves on this device."""
    import torch

    compressed = ("crow_indices", "col_indices"), ("ccol_indices", "row_indices")
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr, torch.sparse_csc, torch.sparse_bsc):
        names = compressed[tensor.layout in (torch.sparse_csc, torch.sparse_bsc)]
        return [tensor.values()] + [getattr(tensor, name)() for name in names]
    if hasattr(tensor, "__tensor_flatten__"):
        return [part for name in tensor.__tensor_flatten__()[0] for part in _parts(getattr(tensor, name))]
    return [tensor]


def _allocated(device: Any) -> Optional[int]:
    import torch

    return torch.cuda.memory_allocated(device) if device.type == "cuda" and torch.cuda.is_initialized() else None
