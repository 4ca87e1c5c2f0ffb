"""A script that runs as if it had a GPU, and what a Session needs instead of a profiler. Imports PyTorch, as fake.py does."""

import json

from ..profiling import ModuleRanges
from .device import Device
from .dispatch import Overrides
from .events import Log, Ranges
from .fake import ShapesOnly
from .values import Values


class Pretence:
    """`open()` before the script is run, `close()` after it."""

    def __init__(self, where):
        self.log = Log()
        self.values = Values(where)
        self._device = Device()
        self._overrides = Overrides()
        self._mode = None

    def open(self):
        mode = ShapesOnly(self.log, self.values)
        self._overrides.install()
        self._device.install()
        mode.__enter__()
        self._mode = mode

    def close(self):
        mode, self._mode = self._mode, None
        if mode is not None:
            mode.__exit__(None, None, None)
        self._device.remove()
        self._overrides.remove()

    def profiler(self, iterations, modules):
        return OperationLog(self.log, iterations, modules)


class OperationLog:
    """In the place of profiling.IterationProfiler: the same calls, no clock."""

    def __init__(self, log, iterations, modules):
        self._log = log
        self._left = iterations + 1
        self._iterations = iterations
        self._modules = ModuleRanges(Ranges(log)) if modules else None

    @property
    def done(self):
        return self._left == 0

    @property
    def recorded(self):
        return max(0, self._iterations - self._left)

    def start(self):
        pass

    def step(self):
        self._left -= 1
        if self._left == self._iterations and self._modules:
            self._modules.start()
        if self._left == 0:
            self.remove()
        else:
            self._log.begin_iteration()

    def export(self, path):
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(self._log.trace(), stream)

    def remove(self):
        if self._modules:
            self._modules.stop()
        self._log.end()
