"""The groups of iterations timed after profiling.

    one iteration passes -> a group is timed -> the script runs on for a while -> a group is timed

The iteration that passes is the one in which the trace was written: it runs with cold caches. The time between the groups is
what they are for; what it costs is bounded, since a group of slow iterations ends early.
"""

import time

GROUPS = 3  # with the one before profiling
GROUP_S = 10.0  # a group that has lasted this long ends
LEAST = 3  # once it has as many iterations


class LaterGroups:
    """`advance()` at every boundary; true once all groups are timed."""

    def __init__(self, groups, timed, pause_s):
        self._groups = groups
        self._timed = timed
        self._pause_s = pause_s
        self._wait(0.0)

    def advance(self):
        if self._count is None:
            if time.monotonic() >= self._until:
                self._groups.open()
                self._count, self._until = 0, time.monotonic() + GROUP_S
            return False
        self._groups.mark()
        self._count += 1
        if self._count < self._timed and not (self._count >= LEAST and time.monotonic() >= self._until):
            return False
        self._groups.close()
        self._wait(self._pause_s)
        return len(self._groups) >= GROUPS

    @property
    def progress(self):
        if self._count is None:
            return f"running on before timing again ({max(0.0, self._until - time.monotonic()):.0f} s)"
        return f"timing again {self._count}/{self._timed}"

    def _wait(self, seconds):
        self._count, self._until = None, time.monotonic() + seconds
