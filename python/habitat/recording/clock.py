"""What the CPU takes for an iteration, by the host's clock.

Where the GPU binds a step, its time says nothing of the CPU's. So a few iterations of the warm-up begin on an idle GPU, and Python is
at their end when the CPU has launched all of them. A GPU's queue holds about a thousand launches, and the next one waits for room: so
the clock stands still in an iteration, before its first backward pass, within it after every `GRADIENTS` gradients of parameters, and
before its first optimiser step, until the GPU has caught up.

The clock runs before any profiler does. What else a call waits for is in its times; whoever reads them tells that from the trace.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable, Dict, Hashable, List, Optional, Set

from .boundary import Patch
from .gradients import EVERY as GRADIENTS
from .gradients import GradientStops


class HostClock:
    """`begin()` where an iteration begins, `end()` where it ends; `remove()` takes its hooks out again, safe at any time and twice.

    `look()` where an iteration begins that is not clocked: which gradients there are, and in which order, takes two to know.
    """

    def __init__(self) -> None:
        self.times_ms: List[float] = []
        self.parts: List[int] = []  # between two stops, of each iteration
        self._began_ns: Optional[int] = None
        self._passed_ns = 0
        self._stopped_at: Set[Hashable] = set()
        self._hooks: Optional[Patch] = None
        self._handle: Any = None
        self._gradients = GradientStops(self.stop_at)

    def look(self) -> None:
        self._install()
        self._gradients.begin()

    def begin(self) -> None:
        import torch

        self.look()
        self._passed_ns, self._stopped_at = 0, set()
        torch.cuda.synchronize()
        self._began_ns = time.perf_counter_ns()

    def end(self) -> None:
        if self._began_ns is not None:
            self.times_ms.append((self._passed_ns + time.perf_counter_ns() - self._began_ns) / 1e6)
            self.parts.append(1 + len(self._stopped_at))
        self._began_ns = None

    def stop_at(self, what: Hashable) -> None:
        """The first time that an iteration comes here the clock stands still until the GPU is idle."""
        import torch

        if self._began_ns is None or what in self._stopped_at or torch.cuda.is_current_stream_capturing():
            return
        self._passed_ns += time.perf_counter_ns() - self._began_ns
        self._stopped_at.add(what)
        torch.cuda.synchronize()
        self._began_ns = time.perf_counter_ns()

    def remove(self) -> None:
        if self._hooks is not None:
            self._hooks.remove()
            self._handle.remove()
            self._gradients.remove()
        self._hooks = self._handle = None

    def describe(self) -> Dict[str, Any]:
        """What the habitat object says of it [ms]; null without a GPU. Iterations of fewer parts than others are left out."""
        parts = max(self.parts, default=None)
        times = [round(t, 6) for t, n in zip(self.times_ms, self.parts) if n == parts]
        return {
            "cpu_ms": round(statistics.median(times), 6) if times else None,
            "cpu_ms_all": times,
            "cpu_ms_parts": parts,
            "cpu_ms_gradients": GRADIENTS if self._gradients.stopped else None,
        }

    def _install(self) -> None:
        import torch
        from torch.amp.grad_scaler import GradScaler
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        if self._hooks is not None:
            return

        def make(backward: Callable[..., Any]) -> Callable[..., Any]:
            def stopping(*args: Any, **kwargs: Any) -> Any:
                self.stop_at("backward")
                return backward(*args, **kwargs)

            return stopping

        def make_step(step: Callable[..., Any]) -> Callable[..., Any]:
            def learning(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
                self._gradients.learn(optimizer)  # the first steps with a scaler are often skipped
                return step(scaler, optimizer, *args, **kwargs)

            return learning

        self._hooks = Patch()
        self._hooks.wrap(GradScaler, "step", make_step)
        for name in ("backward", "grad"):
            self._hooks.wrap(torch.autograd, name, make)

        def stepping(optimizer: Any, *_: Any) -> None:
            self._gradients.learn(optimizer)
            self.stop_at("optimizer")

        self._handle = register_optimizer_step_pre_hook(stepping)
