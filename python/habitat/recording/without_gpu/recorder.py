"""A script that runs as if it had a GPU, and what a Session needs instead of a profiler. Imports PyTorch, as fake.py does."""

from __future__ import annotations

from typing import Dict, List, Optional, Union

import json
import warnings

from ..modules import ModuleRanges
from ..steps import RecordedSteps
from .allocations import Allocations, outermost
from .device import Device
from .dispatch import Overrides
from .distributed import Distributed
from .events import Log, Ranges
from .fake import ShapesOnly
from .values import Values


class Pretence:
    """`open()` before the script is run, `close()` after it."""

    def __init__(self, where: str) -> None:
        self.log = Log()
        self.allocations = Allocations()
        self.values = Values(where)
        self._device = Device(where, self.values, self.allocations, self.log)
        self._distributed = Distributed(where, self.allocations)
        self._overrides = Overrides(self.values, self.log)
        self._mode: Optional[ShapesOnly] = None
        self._quiet = warnings.catch_warnings()

    def open(self) -> None:
        mode = ShapesOnly(self.log, self.values, self.allocations, self._overrides.functions)
        self._overrides.install()
        self._device.install()
        self._distributed.install()
        self.allocations.install()
        # What a copy of a tensor asks PyTorch on its way is no fault of the script's.
        self._quiet.__enter__()
        warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor")
        mode.__enter__()
        self._mode = mode

    def close(self) -> None:
        mode, self._mode = self._mode, None
        if mode is not None:
            mode.__exit__(None, None, None)
            self._quiet.__exit__(None, None, None)
        self.allocations.remove()
        self._distributed.remove()
        self._device.remove()
        self._overrides.remove()

    def warnings(self) -> List[str]:
        """What of the script's step is not in the recording, a line each."""
        said = [*self.values.warnings(), self._distributed.warning()]
        if self._device.compiled:
            said.append(
                "the script compiles (torch.compile, or graphs around modules): without a GPU there are no compiled kernels; the operations are"
                " those of the script as it is written, which take longer than fused ones"
            )
        if self.allocations.stepped_on_host:
            said.append(
                f"an optimiser changes {self.allocations.stepped_on_host:,} numbers on the host: what that takes its CPU is not recorded without a GPU,"
                " and an iteration takes as much longer"
            )
        if self._device.scripted:
            said.append(
                "the script runs TorchScript (torch.jit): on a GPU it fuses operations and calls them without Python; here each is recorded by"
                " itself, and the time that a CPU needs for them is told as for calls from Python, which may be several times too long"
            )
        return [line for line in said if line]

    def facts(self) -> Dict[str, Union[float, bool, List[int], None]]:
        """What is noted of the recorded iterations beside their operations."""
        facts: Dict[str, Union[float, bool, List[int], None]] = {}
        for name, moments in (("passes", self.allocations.passes), ("steps", self.allocations.steps)):
            facts[f"peak_{name}_moments_bytes"] = [size for moment in outermost(moments) for size in moment]
        facts.update(dict.fromkeys(("rank", "world_size")))  # whatever the script was told, no messages of others are in it
        if self.log.drawn_ms() > 0:
            facts["cpu_data_ms"] = self.log.drawn_ms()
        if self._distributed.in_parts():
            facts["weights_in_parts"] = True
        return facts

    def after_failure(self) -> str:
        """What made-up values may have to do with a script's failure: the end of a sentence, or nothing."""
        return self.values.after_failure()

    def profiler(self, iterations: int, modules: bool) -> OperationLog:
        return OperationLog(self.log, self.allocations, iterations, modules)


class OperationLog(RecordedSteps):
    """Records what the pretence sees, without a clock: in the place of profiling.IterationProfiler."""

    def __init__(self, log: Log, allocations: Allocations, iterations: int, modules: bool) -> None:
        super().__init__(iterations, ModuleRanges(Ranges(log)) if modules else None)
        self._log = log
        self._allocations = allocations

    def export(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(self._log.trace(), stream)

    def peak_memory(self) -> Dict[str, int]:
        return {"allocated": self._allocations.peak}

    def _before_the_first(self) -> None:
        self._allocations.restart()

    def _boundary(self) -> None:
        if self.done:
            self._log.end()
        else:
            self._log.begin_iteration()

    def _end(self) -> None:
        self._log.end()
