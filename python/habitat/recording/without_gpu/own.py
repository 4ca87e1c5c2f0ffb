"""What scripts and libraries bring of their own: classes of tensors, and kernels written in Triton."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NoReturn

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..boundary import Patch
from .fake import GPU, has_own_rules

if TYPE_CHECKING:
    from .values import Values


def install(patch: Patch, values: Values) -> None:
    """Until `patch` is removed."""
    patch.wrap(torch.Tensor, "_make_wrapper_subclass", lambda before: _made_of_others(before, patch))
    patch.wrap(torch.Tensor, "as_subclass", _of_class)
    _without_sizes(patch)
    _in_triton(patch, values)


def _made_of_others(before: Callable[..., Any], patch: Patch) -> Callable[..., Any]:
    """Tensors made of several, such as numbers in 8 bit beside their scales. What they do comes to us by these. Where one says that it is
    on a GPU, PyTorch would ask the driver for it."""
    wrappers: List[Any] = []
    base: Any = torch._C.TensorBase

    def where(t: Any) -> Any:
        return GPU if "_habitat_on_gpu" in vars(t) else base.device.__get__(t)

    def made(kind: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None or torch.device(device).type != "cuda":
            return before(kind, *args, **({} if device is None else {"device": device}), **kwargs)
        if kind not in wrappers:
            wrappers.append(kind)
            patch.put(kind, "device", property(where))
            patch.put(kind, "is_cuda", property(lambda t: t.device.type == "cuda"))
        tensor = before(kind, *args, device="meta", **kwargs)
        tensor._habitat_on_gpu = True
        return tensor

    return made


def _of_class(before: Callable[..., Any]) -> Callable[..., Any]:
    """Tensors that know more than others (what a picture shows, how far its voxels are apart): ours stay what they are, and are of that class
    as well."""
    both: Dict[Any, Any] = {}

    def of_class(t: Any, kind: Any) -> Any:
        if not isinstance(t, FakeTensor) or has_own_rules(kind):
            return before(t, kind)
        if kind is not torch.Tensor and kind not in both:
            both[kind] = kind if issubclass(kind, FakeTensor) else _with_fake(kind)
        with torch._C.DisableTorchFunctionSubclass():
            view = torch.ops.aten.alias(t)
        view.__class__ = FakeTensor if kind is torch.Tensor else both[kind]
        return view

    return of_class


def _with_fake(kind: Any) -> Any:
    """A class of both. Fake tensors have no rules for functions, without which results are not of the class that their inputs are of."""
    asked = getattr(kind.__torch_function__, "__func__", None)
    made: Any = type(kind.__name__, (kind, FakeTensor), {"__module__": kind.__module__})
    if asked:
        made.__torch_function__ = classmethod(lambda cls, *args: asked(cls, *args))
    return made


def _without_sizes(patch: Patch) -> None:
    """Parameters and buffers of lazy layers, which have sizes after the first call. They are ours from the beginning and stay the same
    objects, as those do that move."""
    from torch.nn import parameter

    def materialize(t: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        made: Any = torch.empty(shape, device=device or t.fake_device, dtype=dtype or t.dtype)
        t.__class__ = FakeTensor
        t.data, t.fake_device = made, made.fake_device

    for kind in (parameter.UninitializedParameter, parameter.UninitializedBuffer):
        own = {
            "__module__": kind.__module__, "materialize": materialize, "__init__": lambda *unused, **unused_too: None,
            "shape": torch._C.TensorBase.shape,
        }  # fmt: skip
        patch.put(kind, "__new__", _new_without_sizes(type(kind.__name__, (kind, FakeTensor), own), kind is parameter.UninitializedParameter))


def _new_without_sizes(both: Any, learned: bool) -> Callable[..., Any]:
    both.__torch_function__ = torch._C._disabled_torch_function_impl

    def new(cls: Any, requires_grad: bool = learned, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:
        t: Any = torch.empty(0, device=device, dtype=dtype).requires_grad_(requires_grad)
        t._is_param = learned
        t.__class__ = both
        if not learned:
            t.persistent, t._is_buffer = persistent, True
        return t

    return new


def _in_triton(patch: Patch, values: Values) -> None:
    """Its kernels ask for the GPU's driver before they are compiled."""
    try:
        autotuner, jit = (importlib.import_module(f"triton.runtime.{name}") for name in ("autotuner", "jit"))
    except ImportError:
        return

    def run(kernel: Any, *unused: Any, **unused_too: Any) -> NoReturn:
        while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
            kernel = kernel.fn  # inside what chooses its sizes
        values.refuse(f"{getattr(kernel, '__name__', 'a function')} is a kernel written in Triton", "nothing compiles it")

    for kind in (jit.JITFunction, autotuner.Autotuner, autotuner.Heuristics):
        patch.put(kind, "run", run)
