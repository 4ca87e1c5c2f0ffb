"""Profiles N iterations with torch.profiler.

The profiler is started one iteration early (its `warmup` state): CUPTI then sets itself up outside the recorded
iterations. `ProfilerStep#n` ranges mark the iterations in the trace. Before the first recorded iteration the GPU
is left to finish, or kernels of the iteration before would be in the trace; inside the recorded ones nothing waits.
"""

from __future__ import annotations

import gc
from typing import Any, Dict, List

from .modules import ModuleRanges
from .steps import RecordedSteps


class IterationProfiler(RecordedSteps):
    """Records with torch.profiler."""

    def __init__(self, iterations: int, modules: bool = True) -> None:
        super().__init__(iterations, ModuleRanges() if modules else None)
        self._profile: Any = None  # torch.profiler.profile, from start() on

    def start(self) -> None:
        import torch.profiler as profiler

        self._profile = profiler.profile(
            activities=_activities(),
            schedule=profiler.schedule(wait=0, warmup=1, active=self._iterations, repeat=1),
            record_shapes=True,
            **_keep_events(),
            **_synchronisation_events(),
        )
        self._profile.start()

    def export(self, path: str) -> None:
        self._profile.stop()
        self._profile.export_chrome_trace(path)
        self._profile = None

    def _before_the_first(self) -> None:
        collect_garbage()
        wait_for_gpu()

    def _boundary(self) -> None:
        self._profile.step()

    def _end(self) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            try:
                profile.stop()
            except Exception:  # a half-started profiler has nothing to stop
                pass


class BlockProfiler:
    """Profiles what lies between `start()` and `stop()` as one iteration (`habitat_iteration#0`)."""

    def __init__(self, modules: bool = True) -> None:
        self._modules = ModuleRanges() if modules else None
        self._profile: Any = None  # from start() on, and a range in it
        self._range: Any = None

    def start(self) -> None:
        import torch

        self._profile = torch.profiler.profile(activities=_activities(), record_shapes=True, **_synchronisation_events())
        collect_garbage()
        wait_for_gpu()
        self._profile.start()
        if self._modules:
            self._modules.start()
        self._range = torch.profiler.record_function("habitat_iteration#0")
        self._range.__enter__()

    def stop(self) -> None:
        self._range.__exit__(None, None, None)
        if self._modules:
            self._modules.stop()
        wait_for_gpu()
        self._profile.stop()

    def export(self, path: str) -> None:
        self._profile.export_chrome_trace(path)


def collect_garbage() -> None:
    """Python does so when many objects are new, as after the profiler's start: where Transformers is imported the CPU
    stands still for a quarter of a second, which the one profiled iteration had and none of those before."""
    if gc.isenabled():
        gc.collect()


def wait_for_gpu() -> None:
    import torch

    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _keep_events() -> Dict[str, Any]:
    """One cycle is recorded and exported: newer PyTorch warns of cleared events unless told to keep them."""
    import inspect

    from torch.profiler import profile

    return {"acc_events": True} if "acc_events" in inspect.signature(profile.__init__).parameters else {}


def _synchronisation_events() -> Dict[str, Any]:
    """Has CUPTI say what each wait waited for (`cuda_sync` events): a replay of the iteration needs it. PyTorch 2.1 on."""
    import torch

    if not torch.cuda.is_available():
        return {}
    try:
        from torch._C._profiler import _ExperimentalConfig

        return {"experimental_config": _ExperimentalConfig(enable_cuda_sync_events=True)}
    except (ImportError, TypeError):
        return {}


def _activities() -> List[Any]:
    import torch
    from torch.profiler import ProfilerActivity

    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    return activities
