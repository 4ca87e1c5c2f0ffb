"""Weights in parts (fully_shard, FullyShardedDataParallel) where a script trains in one process: they stay whole.

Their hooks read the memory of parameters, which has none here. What they do to the step of one GPU beside sending is done in their place:
the policy's formats. Weights are cast when their part of the model runs, as with what is gathered in that format; `habitat predict --gpus N
--sharded` takes those casts out again and puts the messages in.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Tuple

from ..boundary import Patch

if TYPE_CHECKING:
    from .allocations import Allocations

SHARDS = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp", "torch.distributed._composable.fsdp.fully_shard")
WRAPS = "torch.distributed.fsdp.fully_sharded_data_parallel"
INNER = "_fsdp_wrapped_module"  # PyTorch's name of the model inside the wrapper
NOT_PARTS = "_habitat_parts"


class WholeWeights:
    """`install()`; `used` says whether the script asked for parts."""

    def __init__(self, patch: Patch, allocations: Allocations) -> None:
        self.used = False
        self._patch = patch
        self._allocations = allocations

    def install(self) -> None:
        for name in SHARDS:
            with contextlib.suppress(ImportError, AttributeError):
                owner = importlib.import_module(name)
                self._patch.wrap(owner, "fully_shard", self._shard)
        with contextlib.suppress(ImportError, AttributeError):
            kind = importlib.import_module(WRAPS).FullyShardedDataParallel
            self._patch.wrap(kind, "__init__", lambda before: self._wrap())
            for name, value in _of_the_wrapper().items():
                self._patch.put(kind, name, value)

    def _shard(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def fully_shard(module: Any, *unused: Any, mp_policy: Any = None, **unused_too: Any) -> Any:
            self.used = True
            for one in module if isinstance(module, (list, tuple)) else [module]:
                if not hasattr(one, NOT_PARTS):
                    one.__class__ = _class_in_parts(type(one))
                    cast_while_it_runs(one, mp_policy, self._allocations)
            return module

        return fully_shard

    def _wrap(self) -> Callable[..., None]:
        def wrap(
            wrapper: Any, module: Any, process_group: Any = None, sharding_strategy: Any = None, cpu_offload: Any = None,
            auto_wrap_policy: Any = None, backward_prefetch: Any = None, mixed_precision: Any = None, *unused: Any, **more: Any,
        ) -> None:  # fmt: skip
            import torch

            self.used = True
            torch.nn.Module.__init__(wrapper)
            setattr(wrapper, INNER, module if getattr(cpu_offload, "offload_params", False) else module.cuda())
            for part in _parts_of(module, auto_wrap_policy):
                cast_while_it_runs(part, mixed_precision, self._allocations)
            cast_while_it_runs(wrapper, mixed_precision, self._allocations)

        return wrap


def _nothing(*unused: Any, **unused_too: Any) -> None:
    return None


def _class_in_parts(kind: type) -> type:
    """What fully_shard makes of a module's class: one whose methods have nothing to do."""
    with contextlib.suppress(ImportError):
        from torch.distributed.fsdp import FSDPModule

        idle: Dict[str, Any] = {name: _nothing for name, value in vars(FSDPModule).items() if callable(value) and not name.startswith("_")}
        return type(f"FSDP{kind.__name__}", (FSDPModule, kind), {**idle, "_apply": getattr(kind, "_apply")})
    return type(f"FSDP{kind.__name__}", (kind,), {})


def _of_the_wrapper() -> Dict[str, Any]:
    """Methods of FullyShardedDataParallel for a model whose weights are whole."""
    import torch

    def forward(self: Any, *inputs: Any, **named: Any) -> Any:
        return getattr(self, INNER)(*inputs, **named)

    def clip(self: Any, max_norm: Any, norm_type: Any = 2.0) -> Any:
        return torch.nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)

    def named(what: Callable[..., Iterator[Tuple[str, Any]]]) -> Callable[..., Iterator[Tuple[str, Any]]]:
        def without_the_wrapper(self: Any, *how: Any, **more: Any) -> Iterator[Tuple[str, Any]]:
            for name, value in what(self, *how, **more):
                yield name.replace(INNER + ".", ""), value

        return without_the_wrapper

    def no_context(*unused: Any, **unused_too: Any) -> Any:
        return contextlib.nullcontext()

    module = torch.nn.Module
    return {
        "forward": forward, "clip_grad_norm_": clip, "apply": module.apply, "_apply": module._apply,
        "named_parameters": named(module.named_parameters), "named_buffers": named(module.named_buffers),
        "no_sync": no_context, "summon_full_params": staticmethod(no_context), "state_dict_type": staticmethod(no_context),
        "set_state_dict_type": staticmethod(_nothing), "register_comm_hook": _nothing,
    }  # fmt: skip


def _parts_of(module: Any, policy: Any) -> List[Any]:
    """Modules that the policy wraps by themselves."""
    if policy is None:
        return []
    if hasattr(policy, "_run_policy"):
        return [one for one in policy._run_policy(module, set(), {}) if one is not module]
    sizes = {one: sum(p.numel() for p in one.parameters()) for one in module.modules()}
    return [one for one, size in sizes.items() if one is not module and policy(module=one, recurse=False, nonwrapped_numel=size)]


# ---- the policy's formats ----


def cast_while_it_runs(module: Any, policy: Any, allocations: Allocations) -> None:
    """Weights of `module` that no part inside it has, and what is given to it, are in the policy's format while it runs. The casts take no
    memory: a part's weights are gathered when it runs and gone behind it, where autograd would keep these."""
    setattr(module, NOT_PARTS, True)
    narrow, wanted = getattr(policy, "param_dtype", None), getattr(policy, "output_dtype", None)
    seen: List[Any] = []

    def before(_: Any, args: Any, kwargs: Any) -> Any:
        if not seen:  # parts inside it are known by now
            seen.extend(_own(module))
            for one in seen:
                _swap_while_it_runs(one, narrow, allocations)
        return (_cast(args, narrow), _cast(kwargs, narrow)) if getattr(policy, "cast_forward_inputs", True) else None

    if narrow is not None:
        module.register_forward_pre_hook(before, with_kwargs=True)
    if wanted is not None:
        module.register_forward_hook(lambda _, args, output: _cast(output, wanted))


def _own(module: Any) -> Iterator[Any]:
    """It and the modules inside it that belong to no part of their own."""
    yield module
    for inner in module.children():
        if not hasattr(inner, NOT_PARTS):
            yield from _own(inner)


def _swap_while_it_runs(module: Any, narrow: Any, allocations: Allocations) -> None:
    """Also of modules inside a part: a checkpoint runs them again when the part is over. Inside of one another nothing is left to swap."""
    swapped: List[Tuple[Any, str, Any]] = []

    def before(*unused: Any) -> None:
        _take_back(swapped)
        allocations.paused = True
        try:
            _swap(module, narrow, swapped)
        finally:
            allocations.paused = False

    module.register_forward_pre_hook(before)
    module.register_forward_hook(lambda *unused: _take_back(swapped), always_call=True)  # a checkpoint leaves by an exception


def _swap(module: Any, narrow: Any, swapped: List[Tuple[Any, str, Any]]) -> None:
    casts: Dict[int, Any] = {}  # a weight that two modules share is cast once
    for owner in _own(module):
        for name, weight in owner._parameters.items():
            if weight is None or not weight.is_floating_point() or weight.dtype == narrow:
                continue
            if id(weight) not in casts:
                casts[id(weight)] = weight.to(narrow)
            swapped.append((owner, name, weight))
    for owner, name, weight in swapped:
        owner._parameters[name] = casts[id(weight)]


def _take_back(swapped: List[Tuple[Any, str, Any]]) -> None:
    for owner, name, weight in swapped:
        owner._parameters[name] = weight
    swapped.clear()


def _cast(values: Any, kind: Any) -> Any:
    import torch
    from torch.utils._pytree import tree_map

    return tree_map(lambda v: v.to(kind) if isinstance(v, torch.Tensor) and v.is_floating_point() else v, values)
