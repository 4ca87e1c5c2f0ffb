"""What one iteration is made of: the model's class and its batch size, where they can be known.

Watches one unprofiled iteration through the global forward hooks, then takes them out again. With compiled
code in the process only calls of compiled modules are watched: global hooks that are there while something compiles
end up in the compiled code.

The batch size is the first dimension that all tensors given to the outermost model share, or the number of samples where those are
given in lists, as detectors take images of several sizes and what is to be found in each. With several forward
calls an iteration it is their sum if each call has its own backward pass (gradient accumulation). Calls
inside a backward pass are no others: a checkpoint computes a part again. Nor are calls with the same tensors: an optimiser that looks
twice (SAM) sees the same samples. Where some calls, not all, are given what asks for its own gradient, an attack may have changed the
samples of the others. Everything else is not known, and said so with None.
"""

from __future__ import annotations

import functools
import gc
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from .autocast import AutocastWatch
from .boundary import Patch, in_backward


def compiled_code_runs() -> bool:
    """True once torch.compile has compiled something in this process."""
    import sys

    if "torch._dynamo" not in sys.modules:
        return False
    from torch._dynamo.utils import counters

    return bool(counters["frames"]["total"] > 0)


def bare(module: Any) -> Any:
    """The user's model inside wrappers (DistributedDataParallel, DataParallel, torch.compile)."""
    import torch

    wrappers = (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)
    while True:
        if isinstance(module, wrappers):
            module = module.module
        elif hasattr(module, "_orig_mod"):
            module = module._orig_mod
        else:
            return module


def _compiled_in_place() -> List[Any]:
    """Models that `module.compile()` compiled. The class of such a module is as it was, so they are looked for among all objects.
    A part of a larger model is none: of the call around it nothing is known."""
    import torch

    modules = [thing for thing in gc.get_objects() if issubclass(type(thing), torch.nn.Module) and "_modules" in vars(thing)]
    compiled = {id(m): m for m in modules if vars(m).get("_compiled_call_impl") is not None}
    for holder in modules if compiled else ():
        for part in holder.modules():
            if id(part) in compiled and _elements(part) < _elements(holder):
                del compiled[id(part)]
    return list(compiled.values())


def _elements(module: Any) -> int:
    return sum(p.numel() for p in module.parameters())


class Call(NamedTuple):
    """A forward call of an outermost module."""

    module: Any
    first: Optional[int]  # dimension; None: not known
    with_gradients: bool
    given: List[Any]  # weak references to the tensors
    changed: bool  # by gradients of what was given

    def sees_as(self, other: Call) -> bool:
        """Whether both were given the same tensors."""
        alive = [(a(), b()) for a, b in zip(self.given, other.given)]
        return len(self.given) == len(other.given) > 0 and all(a is b is not None for a, b in alive)


class Observer:
    """Forward calls of outermost modules with parameters and backward passes, between start and stop."""

    def __init__(self, in_step: Callable[[], bool] = lambda: False) -> None:
        self._in_step = in_step
        self._local = threading.local()
        self._handles: List[Any] = []
        self._patch = Patch()
        self.calls: List[Call] = []
        self.backwards = 0
        self.calls_in_step = 0
        self._watch = AutocastWatch()
        self._autocast: Dict[int, Optional[str]] = {}

    def start(self) -> None:
        import torch

        if compiled_code_runs():
            from torch._dynamo.eval_frame import OptimizedModule

            self._patch.wrap(OptimizedModule, "__call__", self._watch_compiled)  # and no autocast: see there
            for module in _compiled_in_place():
                self._patch.wrap(module, "_compiled_call_impl", functools.partial(self._watch_one, module))
        else:
            from torch.nn.modules import module as nn_module

            self._handles = [nn_module.register_module_forward_pre_hook(self._note_depth)]
            try:
                hook = nn_module.register_module_forward_hook(self._after, always_call=True, with_kwargs=True)
            except TypeError:  # PyTorch before 2.6 tells such hooks no keywords
                hook = nn_module.register_module_forward_hook(self._after_positional, always_call=True)
            self._handles.append(hook)
            self._watch.start()
        self._patch.wrap(torch.autograd, "backward", self._watch_backward)

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._patch.remove()
        self._watch.remove()

    def _watch_backward(self, backward: Any) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.backwards += not in_backward()
            return backward(*args, **kwargs)

        return counted

    def _watch_compiled(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(module: Any, *args: Any, **kwargs: Any) -> Any:
            return self._noted(module, functools.partial(call, module), args, kwargs)

        return called

    def _watch_one(self, module: Any, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            return self._noted(module, call, args, kwargs)

        return called

    def _noted(self, module: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A compiled module is called: noted, unless another is around it."""
        depth = getattr(self._local, "depth", 0)
        if depth == 0 and not in_backward():
            self._note(module, args, kwargs)
        self._local.depth = depth + 1
        try:
            return call(*args, **kwargs)
        finally:
            self._local.depth = depth

    def _note_depth(self, module: Any, inputs: Any) -> None:
        if in_backward():
            return
        depth = getattr(self._local, "depth", 0)
        self._local.depth = depth + 1
        if depth == 0:
            self._watch.begin()

    def _after_positional(self, module: Any, inputs: Any, output: Any) -> None:
        """No keywords are told; no output where `forward` raised."""
        if output is None:
            self._after(module, inputs, output)
        else:
            self._after(module, inputs, {}, output)

    def _after(self, module: Any, inputs: Any, *more: Any) -> None:
        """`more`: keywords and output; the output alone where `forward` raised, which is no whole call."""
        if in_backward():
            return
        self._local.depth = max(0, getattr(self._local, "depth", 0) - 1)
        if self._local.depth == 0 and len(more) == 2:
            self._note(module, inputs, more[0])

    def _note(self, module: Any, args: Any, kwargs: Any) -> None:
        import torch

        if next(module.parameters(), None) is None:
            return
        first = None
        if not _sequence_comes_first(module) and not _is_mapped():
            first = _samples([*args, *kwargs.values()])
        tensors = list(_tensors([*args, *kwargs.values()]))
        given = [weakref.ref(t) for t in tensors]
        self.calls.append(Call(bare(module), first, torch.is_grad_enabled(), given, any(t.requires_grad for t in tensors)))
        self._autocast[id(bare(module))] = self._watch.end(module, bare(module))
        self.calls_in_step += self._in_step()

    def modules(self) -> List[Any]:
        """The outermost modules called, each once."""
        return list({id(call.module): call.module for call in self.calls}.values())

    def model(self) -> Any:
        """The outermost module with the most parameters among those called, or None."""
        return max(self.modules(), key=_elements, default=None)

    def precision(self) -> Dict[str, Optional[str]]:
        """Number formats of the model: of its parameters, and of autocast around or inside its call (None: no autocast)."""
        model = self.model()
        if model is None:
            return {}
        kinds = sorted({str(p.dtype).replace("torch.", "") for p in model.parameters()})
        return {"parameter_dtype": "+".join(kinds), "autocast": self._autocast[id(model)]}

    def batch_size(self, one_optimizer: bool = True) -> Optional[int]:
        """Samples an iteration, or None where the calls do not tell."""
        model = self.model()
        calls = [call for call in self.calls if call.module is model]
        if any(call.with_gradients for call in calls):
            calls = [call for call in calls if call.with_gradients]
        different = [call for i, call in enumerate(calls) if not any(call.sees_as(before) for before in calls[:i])]
        sizes = [call.first for call in different if call.first is not None]
        if not sizes or len(sizes) < len(different):
            return None
        if len(sizes) == 1:
            return sizes[0]
        if one_optimizer and len({call.changed for call in different}) > 1:
            return None
        if self.calls_in_step > 1:  # a closure called again and again (LBFGS) sees the same samples
            return None
        if one_optimizer:
            return sum(sizes) if self.backwards == len(calls) else None
        return sizes[0] if len(set(sizes)) == 1 else None


def _samples(given: List[Any]) -> Optional[int]:
    """How many samples a model is given, or None where the tensors do not tell."""
    import torch

    lists = [value for value in given if isinstance(value, (list, tuple))]
    one_each = [value for value in lists if value and all(isinstance(part, dict) for part in value)]
    images = [t for value in lists for t in value if isinstance(t, torch.Tensor) and t.dim() < 4]
    if list(_tensors([value for value in given if not isinstance(value, (list, tuple))])):
        given = [value for value in given if not any(value is one for one in one_each)]
    elif images:  # the first dimension of one is its channels
        lengths = {len(value) for value in lists}
        return lengths.pop() if one_each and len(lengths) == 1 else None
    sizes = {t.shape[0] for t in _tensors(given) if t.dim() > 0}
    return sizes.pop() if len(sizes) == 1 else None


def _tensors(value: Any) -> Iterator[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def _is_mapped() -> bool:
    """Whether torch.func.vmap is around the call: what is given is one sample of those that it maps over, and their number is not shown."""
    import torch

    functorch: Any = getattr(torch._C, "_functorch", None)
    if not hasattr(functorch, "get_interpreter_stack"):
        return False  # an older PyTorch
    stack = functorch.get_interpreter_stack()
    return any(level.key() == functorch.TransformType.Vmap for level in stack or ())


def _sequence_comes_first(module: Any) -> bool:
    """True if a part of the module takes (sequence, batch, ..): the first dimension may then be no batch."""
    return any(getattr(part, "batch_first", True) is False for part in module.modules())
