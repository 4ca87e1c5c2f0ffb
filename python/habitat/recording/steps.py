"""Counts the iterations that are recorded: one before them, in which what records them sets itself up, then N."""

from __future__ import annotations

from typing import Optional

from .modules import ModuleRanges


class RecordedSteps:
    """What a Session drives: `start()`, `step()` at every boundary until `done`, `export(path)`; `remove()` at any time.

    A class says what it does before the first recorded iteration, at each boundary, and to write and to end.
    """

    def __init__(self, iterations: int, modules: Optional[ModuleRanges]) -> None:
        """`modules`: the ranges of modules (modules.ModuleRanges) that run beside the recorded iterations, or None."""
        self._left = iterations + 1
        self._iterations = iterations
        self._modules = modules

    @property
    def done(self) -> bool:
        return self._left == 0

    @property
    def recorded(self) -> int:
        """Iterations recorded so far."""
        return max(0, self._iterations - self._left)

    def start(self) -> None:
        """Sets up; the iteration that follows is not recorded."""

    def step(self) -> None:
        self._left -= 1
        if self._left == self._iterations:
            self._before_the_first()
            if self._modules:
                self._modules.start()
        if self.done and self._modules:
            self._modules.stop()
        self._boundary()

    def export(self, path: str) -> None:
        raise NotImplementedError

    def remove(self) -> None:
        """Takes all hooks out again, whatever state they are in."""
        if self._modules:
            self._modules.stop()
        self._end()

    def _before_the_first(self) -> None:
        pass

    def _boundary(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError
