"""The groups of iterations timed after profiling.

    one iteration passes -> a group is timed -> the script runs on for a while -> a group is timed

The iteration that passes is the one in which the trace was written: it runs with cold caches. The time between the groups is
what they are for; what it costs is bounded, since a group of slow iterations ends early.

Processes that train together must be stopped at the same iteration, or those that go on wait for ever for the others. Their
clocks agree on no iteration, so there everything goes by counts.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from .timing import Groups

GROUPS = 3  # with the one before profiling
GROUP_S = 10.0  # a group that has lasted this long ends
LEAST = 3  # once it has as many iterations
TOGETHER_PASS = 20  # iterations between the groups where processes train together


class LaterGroups:
    """`advance()` at every boundary; true once all groups are timed."""

    def __init__(self, groups: Groups, timed: int, pause_s: float, together: bool) -> None:
        self._groups = groups
        self._timed = timed
        self._pause_s = pause_s
        self._together = together
        self._timing, self._count = False, 0
        self._wait(1, 0.0)

    def advance(self) -> bool:
        self._count += 1
        if not self._timing:
            if self._has_passed():
                self._groups.open()
                self._timing, self._count, self._until = True, 0, time.monotonic() + GROUP_S
            return False
        self._groups.mark()
        if not self._is_full():
            return False
        self._groups.close()
        self._wait(TOGETHER_PASS, self._pause_s)
        return len(self._groups) >= GROUPS

    @property
    def progress(self) -> str:
        if self._timing:
            return f"timing again {self._count}/{self._timed}"
        if self._together:
            return f"running on before timing again {self._count}/{self._pass}"
        return f"running on before timing again ({max(0.0, self._until - time.monotonic()):.0f} s)"

    def _wait(self, iterations: int, seconds: float) -> None:
        self._timing, self._count = False, 0
        self._pass, self._until = iterations, time.monotonic() + seconds

    def _has_passed(self) -> bool:
        return self._count >= self._pass if self._together else time.monotonic() >= self._until

    def _is_full(self) -> bool:
        if self._count >= self._timed:
            return True
        return not self._together and self._count >= LEAST and time.monotonic() >= self._until


def trains_together(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether other processes train with this one."""
    import torch

    if environ.get("WORLD_SIZE", "").isdigit() and int(environ["WORLD_SIZE"]) > 1:
        return True
    distributed = torch.distributed
    return bool(distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1)
