"""Counts the iterations that are recorded: one before them, in which what records them sets itself up, then N."""


class RecordedSteps:
    """What a Session drives: `start()`, `step()` at every boundary until `done`, `export(path)`; `remove()` at any time.

    A class says what it does before the first recorded iteration, at each boundary, and to write and to end.
    """

    def __init__(self, iterations, modules):
        """`modules`: the ranges of modules (profiling.ModuleRanges) that run beside the recorded iterations, or None."""
        self._left = iterations + 1
        self._iterations = iterations
        self._modules = modules

    @property
    def done(self):
        return self._left == 0

    @property
    def recorded(self):
        """Iterations recorded so far."""
        return max(0, self._iterations - self._left)

    def start(self):
        """Sets up; the iteration that follows is not recorded."""

    def step(self):
        self._left -= 1
        if self._left == self._iterations:
            self._before_the_first()
            if self._modules:
                self._modules.start()
        if self.done and self._modules:
            self._modules.stop()
        self._boundary()

    def export(self, path):
        raise NotImplementedError

    def remove(self):
        """Takes all hooks out again, whatever state they are in."""
        if self._modules:
            self._modules.stop()
        self._end()

    def _before_the_first(self):
        pass

    def _boundary(self):
        raise NotImplementedError

    def _end(self):
        raise NotImplementedError
