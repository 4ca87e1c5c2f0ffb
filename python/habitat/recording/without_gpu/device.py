"""What `torch.cuda`, tensors and modules say where a script is to find one GPU. Everything is put back by `remove()`."""

from __future__ import annotations

import logging
import sys
import types
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, NoReturn, Tuple

from ..boundary import Patch
from ..errors import AbortScript, RecordError
from .crossing import Nothing, pin, waited_for

if TYPE_CHECKING:
    from .allocations import Allocations
    from .events import Log
    from .values import Values

NAME = "no GPU (habitat record --no-gpu)"
MEMORY_BYTES = 1 << 40


class Device:
    def __init__(self, where: str, values: Values, allocations: Allocations, log: Log) -> None:
        self._values = values
        self._log = log
        self._allocations = allocations
        self.compiled = False  # the script asked for compiled kernels
        self.scripted = False  # and for TorchScript, whose functions run as they are here
        self._where = where
        self._patch = Patch()
        self._lists: List[Tuple[List[Any], Any]] = []  # a list of PyTorch's, and what was put into it

    def install(self) -> None:
        from . import own

        self._say_there_is_one()
        self._say_what_it_is()
        self._tensors()
        self._own_kernels()
        own.install(self._patch, self._values)
        self._not_traced()
        self._modules()
        self._data()
        self._optimizers()
        self._generators()
        # what it logs it raises as well, and that is said in one line
        self._set(logging.getLogger("torch._subclasses.fake_tensor"), "disabled", True)

    def remove(self) -> None:
        self._patch.remove()
        for owner, kind in self._lists:
            if kind in owner:
                owner.remove(kind)
        self._lists = []

    def _set(self, owner: Any, name: str, value: Any) -> None:
        if hasattr(owner, name):
            self._patch.put(owner, name, value)

    def _say_there_is_one(self) -> None:
        import torch

        cuda = torch.cuda
        facts = types.SimpleNamespace(
            name=NAME, major=9, minor=0, total_memory=MEMORY_BYTES, multi_processor_count=132, warp_size=32,
            max_threads_per_multi_processor=2048, is_integrated=False, gcnArchName="", uuid="", L2_cache_size=50 << 20,
        )  # fmt: skip
        answers = {
            "is_available": True, "device_count": 1, "current_device": 0, "get_device_name": NAME,
            "get_device_capability": (9, 0), "get_device_properties": facts, "is_bf16_supported": True, "_lazy_init": None,
            "init": None, "set_device": None, "empty_cache": None, "ipc_collect": None,
            "reset_peak_memory_stats": None, "reset_max_memory_allocated": None, "memory_summary": "",
            "mem_get_info": (MEMORY_BYTES, MEMORY_BYTES), "memory_stats": {}, "is_current_stream_capturing": False,
            "set_per_process_memory_fraction": None, "manual_seed": None, "manual_seed_all": None, "seed": None, "seed_all": None,
            "initial_seed": 0, "set_rng_state": None, "set_rng_state_all": None, "get_rng_state": torch.zeros(16, dtype=torch.uint8),
            "get_rng_state_all": [torch.zeros(16, dtype=torch.uint8)], "utilization": 0, "memory_usage": 0, "temperature": 0,
            "power_draw": 0, "clock_rate": 0, "list_gpu_processes": "", "can_device_access_peer": False,
        }  # fmt: skip
        for name, answer in answers.items():
            self._set(cuda, name, _always(answer))
        self._set(cuda, "synchronize", lambda device=None: self._log.wait("cudaDeviceSynchronize"))
        self._memory(cuda)
        for name in ("_record_memory_history", "_dump_snapshot"):
            self._set(cuda.memory, name, _always(None))
        stream, event = waited_for(self._log)
        for name in ("Stream", "current_stream", "default_stream"):
            self._set(cuda, name, stream)
        self._set(cuda, "Event", event)
        for name in ("stream", "device"):
            self._set(cuda, name, Nothing)
        refuse = self._no_graph  # a class: libraries name it in their annotations, which Python works out at import
        self._set(cuda, "CUDAGraph", type("CUDAGraph", (cuda.CUDAGraph,), {"__new__": lambda cls, *unused, **unused_too: refuse()}))
        self._patch.wrap(cuda, "make_graphed_callables", self._uncompiled)

    def _say_what_it_is(self) -> None:
        """The same by PyTorch's newer name for any GPU."""
        import torch

        accelerator = getattr(torch, "accelerator", None)
        answers = {
            "is_available": True, "device_count": 1, "current_accelerator": torch.device("cuda"), "current_device_index": 0,
            "current_device_idx": 0, "set_device_index": None, "set_device_idx": None, "set_stream": None,
            "current_stream": torch.cuda.current_stream(), "empty_cache": None,
        }  # fmt: skip
        for name, answer in answers.items() if accelerator else ():
            self._set(accelerator, name, _always(answer))
        if accelerator:
            self._set(accelerator, "synchronize", lambda device=None: self._log.wait("cudaDeviceSynchronize"))
        self._memory(accelerator)

    def _memory(self, owner: Any) -> None:
        """What scripts print of it; what the allocator has reserved is not known."""
        for name in ("memory_allocated", "memory_reserved"):
            self._set(owner, name, lambda *unused: self._allocations.now)
            self._set(owner, f"max_{name}", lambda *unused: self._allocations.peak)

    def _tensors(self) -> None:
        import torch
        from torch._subclasses import fake_tensor

        from .autocast import forget

        FakeTensor = fake_tensor.FakeTensor
        # PyTorch makes a tensor on the GPU that `is_available` claims before the first of its fake ones
        for name in ("init_gpu_context", "init_cuda_context"):
            self._set(fake_tensor, name, _always(None))
        self._set(FakeTensor, "__torch_dispatch__", classmethod(_asked_inside(FakeTensor.__torch_dispatch__)))
        if hasattr(torch.backends, "mha") and hasattr(torch.backends.mha, "_is_fastpath_enabled"):
            # One operation for a layer of an encoder in eval(), whose shapes PyTorch does not know: the same products one by one.
            self._set(torch.backends.mha, "_is_fastpath_enabled", False)
        self._set(FakeTensor, "is_cuda", property(lambda t: t.fake_device.type == "cuda"))
        self._set(FakeTensor, "is_cpu", property(lambda t: t.fake_device.type == "cpu"))
        self._set(FakeTensor, "is_meta", property(lambda t: t.fake_device.type == "meta"))
        self._set(FakeTensor, "get_device", lambda t: 0 if t.fake_device.type == "cuda" else -1)
        self._patch.wrap(torch.Tensor, "to", lambda before: lambda t, *a, **k: _to(before, t, *a, **k))
        self._set(torch.Tensor, "cuda", lambda t, device=None, non_blocking=False, **k: t.to("cuda", non_blocking=non_blocking, **k))
        self._set(torch.Tensor, "cpu", lambda t, **k: t.to("cpu", **k))
        self._patch.wrap(torch.Tensor, "type", _typed)
        self._patch.wrap(torch.Tensor, "new", _new)
        self._patch.wrap(torch.Tensor, "new_tensor", _new_tensor)
        self._set(torch.Tensor, "type_as", lambda t, other: t.to(other))
        self._set(torch.Tensor, "pin_memory", lambda t, device=None: pin(t))
        self._set(torch.Tensor, "record_stream", lambda t, stream: None)
        self._patch.wrap(torch.Tensor, "numpy", lambda before: _numpy(before, self._values))
        self._set(FakeTensor, "tolist", lambda t: t.cpu().numpy().tolist())
        self._patch.wrap(torch.Tensor, "__format__", _formatted)
        self._patch.wrap(torch.Tensor, "__deepcopy__", _copied)
        self._set(torch, "save", lambda *unused, **unused_too: self._values.note_saved())
        for name in ("nested_tensor", "as_nested_tensor", "nested_tensor_from_jagged"):
            self._set(torch.nested, name, lambda *unused, **unused_too: self._values.refuse("torch.nested makes a tensor of several lengths"))
        for name in ("tensor", "as_tensor", "asarray"):
            self._patch.wrap(torch, name, _made_on_host)

        def cleared(before: Callable[..., Any]) -> Callable[..., Any]:
            def clear() -> Any:
                forget()
                return before()

            return clear

        self._patch.wrap(torch, "clear_autocast_cache", cleared)

    def _not_traced(self) -> None:
        """Libraries ask whether a tensor is a fake one to find out whether a graph is traced, whose way hangs on no values; then they
        make masks that they leave out of a step that runs. This one runs."""
        import torch._subclasses

        self._set(torch._subclasses, "FakeTensor", _FakeOnlyWithin("FakeTensor", (), {}))

    def _own_kernels(self) -> None:
        """Functions of the script's own that PyTorch makes one kernel of: a mode of ours is asked from PyTorch 2.9 on only."""
        import torch

        def refused(before: Callable[..., Any]) -> Callable[..., Any]:
            def dispatch(operator: Any, key: Any, /, *args: Any, **kwargs: Any) -> Any:
                if key == torch._C.DispatchKey.Python:
                    self._values.refuse(f"{operator.name()} is one kernel made of the script's own functions", "nothing compiles it")
                return before(operator, key, *args, **kwargs)

            return dispatch

        self._patch.wrap(torch._ops.HigherOrderOperator, "dispatch", refused)

    def _modules(self) -> None:
        import torch

        self._patch.wrap(torch.nn.Module, "_apply", lambda before: _apply)
        self._patch.wrap(torch, "compile", self._uncompiled)
        self._patch.wrap(torch.nn.Module, "compile", self._uncompiled)
        for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):  # libraries make some at import that no step calls
            self._patch.wrap(kind, "__call__", self._noted_as_scripted)
        # TorchScript knows functions of PyTorch by their identity, and some are wrapped here
        self._patch.wrap(torch.jit._builtins, "_find_builtin", lambda before: lambda function: before(_unwrapped(function)))
        self._set(torch.nn.modules.rnn.RNNBase, "flatten_parameters", lambda module: None)

    def _no_graph(self) -> NoReturn:
        what = "the script captures a CUDA graph; without a GPU nothing can be captured: record it without graphs, or on a machine with a GPU"
        raise AbortScript(RecordError(self._where, what))

    def _uncompiled(self, before: Callable[..., Any]) -> Callable[..., Any]:
        """Compiled kernels cannot be made without a GPU: the model stays as it is, and that is said."""

        def compiled(model: Any = None, *unused: Any, **unused_too: Any) -> Any:
            self.compiled = True
            return model if model is not None else lambda model: model

        return compiled

    def _noted_as_scripted(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def scripted(*args: Any, **kwargs: Any) -> Any:
            self.scripted = True
            return before(*args, **kwargs)

        return scripted

    def _data(self) -> None:
        """Data are loaded for real: samplers and data sets need their numbers."""
        import torch

        def iterate(before: Callable[..., Any]) -> Callable[..., Any]:
            def iterated(loader: Any) -> Iterator[Any]:
                from torch.utils._python_dispatch import _disable_current_modes

                with _disable_current_modes():
                    batches = before(loader)
                while True:
                    with _disable_current_modes():
                        try:
                            batch = next(batches)
                        except StopIteration:
                            return
                    yield batch

            return iterated

        self._patch.wrap(torch.utils.data.DataLoader, "__iter__", iterate)

    def _optimizers(self) -> None:
        """Optimisers and the clipping of gradients run over lists only where they know the kind of tensor."""
        import importlib

        from torch._subclasses.fake_tensor import FakeTensor

        for name in ("torch.optim.optimizer", "torch.utils._foreach_utils"):
            kinds = getattr(importlib.import_module(name), "_foreach_supported_types", None)
            if isinstance(kinds, list) and FakeTensor not in kinds:
                kinds.append(FakeTensor)
                self._lists.append((kinds, FakeTensor))
        utils = importlib.import_module("torch.utils._foreach_utils")
        if hasattr(utils, "_get_foreach_kernels_supported_devices"):  # clipping asks for the device that lists are grouped by
            self._patch.wrap(utils, "_get_foreach_kernels_supported_devices", lambda before: lambda: [*before(), "meta"])

    def _generators(self) -> None:
        """A generator of random numbers on the GPU is one on the host: there are no values to draw."""
        import torch

        real: Any = torch.Generator

        kind = type("Kind", (type(real),), {"__instancecheck__": lambda cls, generator: isinstance(generator, real)})
        made = kind("Generator", (real,), {"__new__": lambda cls, device=None: real.__new__(real, "cpu")})
        self._set(torch, "Generator", made)


def _always(answer: Any) -> Callable[..., Any]:
    return lambda *unused, **unused_too: answer


def _to(before: Callable[..., Any], t: Any, *args: Any, **kwargs: Any) -> Any:
    """Copies between host and GPU, which PyTorch would take for copies between the devices it believes in."""
    import torch

    other = args[0] if args and isinstance(args[0], torch.Tensor) else kwargs.pop("other", None)
    if other is not None:
        device, dtype, memory_format = other.device, other.dtype, kwargs.get("memory_format")
        goes_on = kwargs.get("non_blocking", any(args[1:2]))
    else:
        copy = kwargs.pop("copy", False)
        rest = list(args)
        flags = [a for a in rest if isinstance(a, bool)]  # non_blocking, copy
        if flags:
            copy = copy or (flags[1] if len(flags) > 1 else False)
            rest = [a for a in rest if not isinstance(a, bool)]
        device, dtype, goes_on, memory_format = torch._C._nn._parse_to(*rest, **kwargs)
        goes_on = goes_on or any(flags[:1])
        if copy:
            return before(t, dtype or t.dtype, copy=True) if _same(t, device) else _moved(t, device, dtype, goes_on)
    if _same(t, device):
        more = {} if memory_format is None else {"memory_format": memory_format}
        return before(t, dtype or t.dtype, **more)
    return _moved(t, device, dtype, goes_on, memory_format)


def _typed(before: Callable[..., Any]) -> Callable[..., Any]:
    """The old names of formats say the device, too: torch.cuda.HalfTensor."""

    def typed(t: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        import torch

        name = dtype if isinstance(dtype, str) else f"{getattr(dtype, '__module__', '')}.{getattr(dtype, '__name__', '')}"
        if not name.startswith("torch.cuda."):
            said = before(t, dtype, *args, **kwargs)
            return said.replace(".meta.", ".cuda.") if dtype is None and t.is_cuda else said
        return t.to("cuda", getattr(torch, name.rpartition(".")[2]).dtype)

    return typed


def _new(before: Callable[..., Any]) -> Callable[..., Any]:
    """The old constructor, which PyTorch looks up by the device: of sizes, of numbers, or of another tensor's memory."""

    def new(t: Any, *args: Any, **kwargs: Any) -> Any:
        import torch

        if not t.is_cuda or not hasattr(t, "fake_device") or kwargs:
            return before(t, *args, **kwargs)
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            return torch.ops.aten.alias(args[0].detach())
        if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], torch.Size):
            return t.new_tensor(args[0])
        return t.new_empty(args[0] if args and isinstance(args[0], torch.Size) else args or (0,))

    return new


def _new_tensor(before: Callable[..., Any]) -> Callable[..., Any]:
    """Numbers where another tensor is: PyTorch would ask the real GPU for room."""

    def new_tensor(t: Any, data: Any, *, dtype: Any = None, device: Any = None, **kwargs: Any) -> Any:
        import torch

        if not hasattr(t, "fake_device"):
            return before(t, data, dtype=dtype, device=device, **kwargs)
        return torch.tensor(data, dtype=dtype or t.dtype, device=device or t.fake_device, **kwargs)

    return new_tensor


def _same(t: Any, device: Any) -> bool:
    return device is None or device.type in (t.device.type, "meta" if t.device.type == "cuda" else "")


def _moved(t: Any, device: Any, dtype: Any, goes_on: bool = False, memory_format: Any = None) -> Any:
    import torch

    if device.type == "cuda":
        device = torch.device("cuda", device.index or 0)
    return torch.ops.aten._to_copy(t, dtype=dtype, device=device, non_blocking=goes_on, memory_format=memory_format)


def _unwrapped(function: Any) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _made_on_host(before: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        import torch

        args = (_in_numbers(args[0]), *args[1:]) if args else args
        device = _usual_device() if device is None else device
        if device is None or torch.device(device).type != "cuda":
            return before(*args, **kwargs, **({} if device is None else {"device": device}))
        requires_grad = kwargs.pop("requires_grad", False)
        tensor = before(*args, device="cpu", **kwargs).to(device)
        return tensor.requires_grad_() if requires_grad else tensor

    return made


def _in_numbers(data: Any) -> Any:
    """Lists of numbers, some of which are tensors: PyTorch would ask the real GPU for these."""
    import torch

    if not isinstance(data, (list, tuple)) or not any(isinstance(part, (list, tuple, torch.Tensor)) for part in data):
        return data

    def number(part: Any) -> Any:
        if not isinstance(part, torch.Tensor) or part.numel() != 1:
            return _in_numbers(part)
        return part.tolist() if part.dim() else part.item()

    return [number(part) for part in data]


def _usual_device() -> Any:
    """What `with torch.device(..)` or `torch.set_default_device()` said; PyTorch looks for it in the calls that it knows only."""
    from torch import overrides
    from torch.utils import _device

    modes: List[Any] = getattr(overrides, "_get_current_function_mode_stack", list)()
    said = [mode.device for mode in modes if isinstance(mode, _device.DeviceContext)]
    return said[-1] if said else None


def _numpy(before: Callable[..., Any], values: Values) -> Callable[..., Any]:
    def array(t: Any, *args: Any, **kwargs: Any) -> Any:
        import torch
        from torch._subclasses.fake_tensor import FakeTensor

        if not isinstance(t, FakeTensor):
            return before(t, *args, **kwargs)
        with torch.utils._python_dispatch._disable_current_modes():
            return before(values.all_of(t), *args, **kwargs)

    return array


def _formatted(before: Callable[..., Any]) -> Callable[..., Any]:
    def text(t: Any, how: str) -> str:
        if how and hasattr(t, "fake_device") and t.dim() == 0:
            return format(t.item(), how)
        return str(before(t, how))

    return text


class _FakeOnlyWithin(type):
    """In the place of PyTorch's class of fake tensors: PyTorch's own code gets its answers, all other code that a tensor is none."""

    def __instancecheck__(cls, value: Any) -> bool:
        return _within_torch() and isinstance(value, _class_of_fake())

    def __subclasscheck__(cls, kind: Any) -> bool:
        return _within_torch() and issubclass(kind, _class_of_fake())


def _within_torch() -> bool:
    """Whether code of PyTorch's asks, two calls up."""
    return str(sys._getframe(2).f_globals.get("__name__")).split(".")[0] == "torch"


def _class_of_fake() -> Any:
    from torch._subclasses import fake_tensor

    return fake_tensor.FakeTensor


def _asked_inside(before: Callable[..., Any]) -> Callable[..., Any]:
    """The answer of fake.py to where a tensor is, for PyTorch's own rules of shapes, which run without our mode."""
    import torch

    from .fake import ASK_DEVICE

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is ASK_DEVICE and args[0].fake_device.type == "cuda":
            return torch.device("meta")
        return before(func, types, args, kwargs)

    return dispatch


def _copied(before: Callable[..., Any]) -> Callable[..., Any]:
    """A tensor with values is copied with them: one that was loaded, or that PyTorch keeps with a fake one of the host. Fake memory
    would be put under what is copied of it."""

    def copied(t: Any, memo: Any) -> Any:
        from torch.utils._python_dispatch import _disable_current_modes

        if hasattr(t, "fake_device"):
            return before(t, memo)
        with _disable_current_modes():
            return before(t, memo)

    return copied


def _apply(module: Any, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
    """torch.nn.Module._apply, with parameters that stay the same objects when they move."""
    import torch

    if recurse:
        for child in module.children():
            child._apply(fn)
    for key, parameter in module._parameters.items():
        if parameter is None:
            continue
        with torch.no_grad():
            moved = fn(parameter)
            _become(module, key, parameter, moved)
            if parameter.grad is not None:
                parameter.grad = fn(parameter.grad)
    for key, buffer in module._buffers.items():
        if isinstance(buffer, torch.nn.parameter.UninitializedBuffer):
            _become(module, key, buffer, fn(buffer))
        elif buffer is not None:
            module._buffers[key] = fn(buffer)
    return module


def _become(module: Any, key: str, parameter: Any, moved: Any) -> None:
    import torch

    if moved is parameter:
        return
    if not hasattr(parameter, "fake_device"):
        module._parameters[key] = torch.nn.Parameter(moved, parameter.requires_grad)
        return
    parameter.data = moved
    parameter.fake_device = moved.fake_device
    parameter.constant = moved.constant  # else what is computed from a parameter of one known number stays on the host
    parameter._habitat_twin = getattr(moved, "_habitat_twin", None)
