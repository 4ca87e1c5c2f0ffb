"""Where one training iteration ends and the next begins.

`CycleFinder` is pure logic: it takes the sequence of optimiser steps and finds the block that repeats
(one optimiser: every step; a GAN: D, G; a Wasserstein GAN: D, D, D, D, D, G).
The sources below it turn what a script does into such events, through PyTorch's public global hooks, and
call `on_event(key)`. All of them are removed again by `remove()`; none is installed outside a recording.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Dict, Hashable, List, Optional, Protocol, Tuple

# What a source of boundaries calls: with an optimiser's or module's id, or with a word.
OnEvent = Callable[[Hashable], None]

FORGET_AFTER = 32  # events after which an optimiser that stepped no more is left out of the cycle


class CycleFinder:
    """Finds the repeating block in a sequence of keys, online.

    `push(key)` returns the pair (ends, changed): whether this event ends an iteration, and whether the
    block was found to be another one than thought, so that iterations counted before do not count.
    The first key is taken for a block of its own until another key shows up: a block must then be seen
    twice in full, with every key of the last `FORGET_AFTER` events in it.
    """

    def __init__(self) -> None:
        self.events: List[Hashable] = []
        self.period: Optional[int] = None
        self.phase = 0

    def push(self, key: Hashable) -> Tuple[bool, bool]:
        self.events.append(key)
        n = len(self.events)
        if n == 1:
            self.period, self.phase = 1, 0
            return True, False
        if self.period is not None and key == self.events[n - 1 - self.period]:
            return (n - self.phase) % self.period == 0, False
        had_period = self.period is not None
        self.period = None
        self._search()
        if self.period is None:
            return False, had_period
        return (n - self.phase) % self.period == 0, True

    def _search(self) -> None:
        """Takes the period that explains most of the past, the shortest of equals: short ones also occur by chance."""
        events = self.events[-8 * FORGET_AFTER :]
        dropped = len(self.events) - len(events)
        n = len(events)
        wanted = set(events[-FORGET_AFTER:])
        earliest = n
        for period in range(1, n // 2 + 1):
            start = n - period
            while start > 0 and events[start - 1] == events[start - 1 + period]:
                start -= 1
            if start < earliest and n - start >= 2 * period and wanted <= set(events[start:]):
                self.period, self.phase = period, dropped + start
                earliest = start


class Patch:
    """Replaces attributes of classes or modules for a while, and puts back what was there."""

    def __init__(self) -> None:
        self._undo: List[Tuple[Any, str, Any, bool]] = []

    def wrap(self, owner: Any, name: str, make: Callable[..., Any]) -> None:
        own = name in vars(owner)
        before = getattr(owner, name)
        wrapper = functools.wraps(before)(make(before))
        setattr(owner, name, wrapper)
        self._undo.append((owner, name, before, own))

    def put(self, owner: Any, name: str, value: Any) -> None:
        own = name in vars(owner)
        self._undo.append((owner, name, vars(owner)[name] if own else getattr(owner, name), own))  # a classmethod as such
        setattr(owner, name, value)

    def remove(self) -> None:
        for owner, name, before, own in reversed(self._undo):
            if own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
        self._undo = []


class Source(Protocol):
    """Where boundaries come from."""

    def remove(self) -> None: ...


class OptimizerSteps:
    """An event for every outermost optimiser step, also for those a GradScaler skipped or a CUDA graph replays.

    The key is the optimiser. A step inside another optimiser's step (ZeRO wrappers, look-ahead) is not an event.
    """

    def __init__(self, on_event: OnEvent) -> None:
        from torch.optim.optimizer import (
            register_optimizer_step_post_hook,
            register_optimizer_step_pre_hook,
        )

        self._on_event = on_event
        self._local = threading.local()
        self._captured: List[int] = []  # steps seen while a CUDA graph is being captured
        self._graphs: Dict[int, Tuple[Any, List[int]]] = {}  # id of a captured graph -> (the graph, keys of the steps inside it)
        self._patch = Patch()
        self._handles = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ]
        self._follow_scaler()
        self._follow_graphs()

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._patch.remove()

    def in_step(self) -> bool:
        """True inside an optimiser's step: in its closure."""
        return bool(self._local.__dict__.get("stack"))

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        stack = self._local.__dict__.setdefault("stack", [])
        # An optimiser that is still on the stack left its last step by an exception.
        if id(optimizer) in stack:
            del stack[stack.index(id(optimizer)) :]
        stack.append(id(optimizer))

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        stack = self._local.__dict__.setdefault("stack", [])
        if id(optimizer) in stack:
            del stack[stack.index(id(optimizer)) :]
        if stack:
            return
        if _capturing():
            self._captured.append(id(optimizer))
        elif getattr(self._local, "in_scaler", False):
            pass  # the wrapper of GradScaler.step reports it, skipped or not
        else:
            self._on_event(id(optimizer))

    def _follow_scaler(self) -> None:
        from torch.amp.grad_scaler import GradScaler

        def make(step: Any) -> Callable[..., Any]:
            def scaled_step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
                outermost = not getattr(self._local, "in_scaler", False)
                self._local.in_scaler = True
                try:
                    result = step(scaler, optimizer, *args, **kwargs)
                finally:
                    if outermost:
                        self._local.in_scaler = False
                if outermost and not _capturing():
                    self._on_event(id(optimizer))
                return result

            return scaled_step

        self._patch.wrap(GradScaler, "step", make)

    def _follow_graphs(self) -> None:
        import torch

        if not torch.backends.cuda.is_built():
            return
        graph_class = torch.cuda.CUDAGraph

        def make_end(capture_end: Any) -> Callable[..., Any]:
            def ended(graph: Any, *args: Any, **kwargs: Any) -> Any:
                result = capture_end(graph, *args, **kwargs)
                if self._captured:
                    self._graphs[id(graph)] = (graph, list(self._captured))
                    self._captured.clear()
                return result

            return ended

        def make_replay(replay: Any) -> Callable[..., Any]:
            def replayed(graph: Any, *args: Any, **kwargs: Any) -> Any:
                result = replay(graph, *args, **kwargs)
                for key in self._graphs.get(id(graph), (None, ()))[1]:
                    self._on_event(key)
                return result

            return replayed

        self._patch.wrap(graph_class, "capture_end", make_end)
        self._patch.wrap(graph_class, "replay", make_replay)


class ZeroGrads:
    """An event for every `zero_grad` of an optimiser or a module, at its start."""

    def __init__(self, on_event: OnEvent) -> None:
        import torch

        self._patch = Patch()
        self._inside = threading.local()

        def make(zero_grad: Any) -> Callable[..., Any]:
            def zeroed(owner: Any, *args: Any, **kwargs: Any) -> Any:
                outermost = not getattr(self._inside, "on", False)
                if outermost and not _capturing():
                    on_event(id(owner))
                self._inside.on = True
                try:
                    return zero_grad(owner, *args, **kwargs)
                finally:
                    if outermost:
                        self._inside.on = False

            return zeroed

        self._patch.wrap(torch.optim.Optimizer, "zero_grad", make)
        self._patch.wrap(torch.nn.Module, "zero_grad", make)

    def remove(self) -> None:
        self._patch.remove()


class Forwards:
    """An event at the start of every n-th outermost forward call of a module that has parameters."""

    def __init__(self, on_event: OnEvent, every: int) -> None:
        from torch.nn.modules import module as nn_module

        self._on_event = on_event
        self._every = every
        self._calls = 0
        self._local = threading.local()
        self._handles = [
            nn_module.register_module_forward_pre_hook(self._before),
            nn_module.register_module_forward_hook(self._after, always_call=True),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _before(self, module: Any, inputs: Any) -> None:
        if in_backward():
            return
        depth = getattr(self._local, "depth", 0)
        self._local.depth = depth + 1
        if depth or _compiling() or next(module.parameters(), None) is None:
            return
        self._calls += 1
        if (self._calls - 1) % self._every == 0 and not _capturing():
            try:
                self._on_event("forward")
            except BaseException:
                self._local.depth = 0
                raise

    def _after(self, module: Any, inputs: Any, output: Any) -> None:
        if in_backward():
            return
        self._local.depth = max(0, getattr(self._local, "depth", 0) - 1)


class Marks:
    """An event for every `habitat.recording.mark_iteration()` of the script."""

    listeners: List[OnEvent] = []  # what each open recording wants called

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        Marks.listeners.append(on_event)

    def remove(self) -> None:
        if self._on_event in Marks.listeners:
            Marks.listeners.remove(self._on_event)


def mark_iteration() -> None:
    """Says that one iteration ends here and the next begins (`--boundary mark`); does nothing outside a recording."""
    for listener in list(Marks.listeners):
        listener("mark")


def check_kind(kind: str) -> Tuple[str, int]:
    """Returns (kind, n) of a `--boundary` value, or raises ValueError saying what is allowed."""
    name, _, count = kind.partition(":")
    if name in ("optimizer", "zero_grad", "mark") and not count:
        return name, 1
    if name == "forward":
        if not count:
            return name, 1
        if count.isdigit() and int(count) > 0:
            return name, int(count)
    raise ValueError(f"'{kind}' is no boundary; use optimizer, zero_grad, forward:N (N >= 1) or mark")


def open_source(kind: str, on_event: OnEvent) -> Source:
    """Installs the hooks of one kind of boundary; the result has `remove()`."""
    name, count = check_kind(kind)
    if name == "optimizer":
        return OptimizerSteps(on_event)
    if name == "zero_grad":
        return ZeroGrads(on_event)
    if name == "forward":
        return Forwards(on_event, count)
    return Marks(on_event)


def _capturing() -> bool:
    import torch

    return bool(torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())


def in_backward() -> bool:
    """Inside a backward pass modules are called by checkpoints that compute a part of the forward pass again."""
    import torch

    return bool(torch._C._current_graph_task_id() != -1)


def _compiling() -> bool:
    import torch

    return bool(torch.compiler.is_compiling())
