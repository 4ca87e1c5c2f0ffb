"""The paper's Python API over trace files: OperationTracker, TrackedTrace, Device.

    tracker = habitat.OperationTracker(device=habitat.Device.H200_SXM5_141GB)
    with tracker.track():
        train_step()
    tracker.get_tracked_trace().to_device(habitat.Device.V100_PCIE_32GB).run_time_ms
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, ContextManager, Dict, List, NoReturn, Optional, Union

from . import device
from .api import record
from .errors import RecordError

if TYPE_CHECKING:
    from habitat.prediction import Prediction

    from .device import Device


def _gpu_names() -> List[str]:
    """Canonical names of the GPU table, from the library."""
    import habitat

    return [gpu.name for gpu in habitat.gpus()]


def _make_device(names: List[str]) -> Any:
    members = {name.replace("-", "_").replace(".", "_"): name for name in names}
    make: Any = device.Device  # of an enum without members: makes one that has some
    made = make("Device", members, module=__name__)
    made.__doc__ = device.Device.__doc__
    return made


_device: Any = None  # the enum, once it was asked for


def __getattr__(name: str) -> Any:
    global _device
    if name != "Device":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _device is None:
        _device = _make_device(_gpu_names())
    return _device


class OperationTracker:
    """Records what runs inside `track()`; `device` is the GPU it runs on."""

    def __init__(self, device: Union[Device, str], *, allow_cpu: bool = False) -> None:
        self._device = device
        self._allow_cpu = allow_cpu
        self._folder = tempfile.mkdtemp(prefix="habitat-")
        self._path = os.path.join(self._folder, "tracked.json.gz")
        self._cleanup = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an OperationTracker cannot be pickled or copied: its files are this process's; take get_tracked_trace()")

    def track(self) -> ContextManager[None]:
        """Context manager: one iteration runs inside."""
        return record(self._path, allow_cpu=self._allow_cpu)

    def get_tracked_trace(self) -> TrackedTrace:
        """The recorded iteration; RecordError before `track()` has been used."""
        # Under torchrun every process tracks its own folder: its one trace may carry the rank in its name.
        files = os.listdir(self._folder)
        if not files:
            raise RecordError("OperationTracker", "nothing is tracked; run one step inside track() first")
        return TrackedTrace(os.path.join(self._folder, files[0]), self._device, self)


class TrackedTrace:
    """A tracked iteration on its origin GPU, to be predicted for others with `to_device`."""

    def __init__(self, path: Union[str, os.PathLike[str]], device: Union[Device, str], tracker: Optional[OperationTracker]) -> None:
        import habitat

        self._tracker = tracker  # its temporary folder lives as long as this
        self._trace = habitat.Trace(path)
        self.device = device

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle: the copy reads the same file, which is there as long as the tracker of this process is."""
        return {**self.__dict__, "_tracker": None}

    def to_device(self, device: Union[Device, str]) -> PredictedTrace:
        """The iteration on another GPU: an object with `run_time_ms`, `device` and the full `prediction`."""
        return PredictedTrace(device, self._trace.predict(getattr(device, "value", device)))


class PredictedTrace:
    """What `to_device` gives: the predicted iteration time [ms] on `device`."""

    def __init__(self, device: Union[Device, str], prediction: Prediction) -> None:
        self.device = device
        self.prediction = prediction

    @property
    def run_time_ms(self) -> float:
        """Predicted time of an iteration on `device` [ms]."""
        return self.prediction.iteration_ms
