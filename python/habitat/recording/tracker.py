"""The paper's Python API over trace files: OperationTracker, TrackedTrace, Device.

    tracker = habitat.OperationTracker(device=habitat.Device.H200_SXM5_141GB)
    with tracker.track():
        train_step()
    tracker.get_tracked_trace().to_device(habitat.Device.V100_PCIE_32GB).run_time_ms
"""

import os
import shutil
import tempfile
import weakref

from . import device
from .api import record
from .errors import RecordError


def _gpu_names():
    """Canonical names of the GPU table, from the library."""
    import habitat

    return [gpu["name"] if isinstance(gpu, dict) else getattr(gpu, "name", gpu) for gpu in habitat.gpus()]


def _make_device(names):
    members = {name.replace("-", "_").replace(".", "_"): name for name in names}
    made = device.Device("Device", members, module=__name__)
    made.__doc__ = device.Device.__doc__
    return made


_device = None


def __getattr__(name):
    global _device
    if name != "Device":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _device is None:
        _device = _make_device(_gpu_names())
    return _device


class OperationTracker:
    """Records what runs inside `track()`; `device` is the GPU it runs on."""

    def __init__(self, device, *, allow_cpu=False):
        self._device = device
        self._allow_cpu = allow_cpu
        self._folder = tempfile.mkdtemp(prefix="habitat-")
        self._path = os.path.join(self._folder, "tracked.json.gz")
        self._cleanup = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def __reduce__(self):
        raise TypeError("an OperationTracker cannot be pickled or copied: its files are this process's; take get_tracked_trace()")

    def track(self):
        """Context manager: one iteration runs inside."""
        return record(self._path, allow_cpu=self._allow_cpu)

    def get_tracked_trace(self):
        """The recorded iteration; RecordError before `track()` has been used."""
        # Under torchrun every process tracks its own folder: its one trace may carry the rank in its name.
        files = os.listdir(self._folder)
        if not files:
            raise RecordError("OperationTracker", "nothing is tracked; run one step inside track() first")
        return TrackedTrace(os.path.join(self._folder, files[0]), self._device, self)


class TrackedTrace:
    """A tracked iteration on its origin GPU, to be predicted for others with `to_device`."""

    def __init__(self, path, device, tracker):
        import habitat

        self._tracker = tracker  # its temporary folder lives as long as this
        self._trace = habitat.Trace(path)
        self.device = device

    def __getstate__(self):
        """For pickle: the copy reads the same file, which is there as long as the tracker of this process is."""
        return {**self.__dict__, "_tracker": None}

    def to_device(self, device):
        """The iteration on another GPU: an object with `run_time_ms`, `device` and the full `prediction`."""
        return PredictedTrace(device, self._trace.predict(getattr(device, "value", device)))


class PredictedTrace:
    """What `to_device` gives: the predicted iteration time [ms] on `device`."""

    def __init__(self, device, prediction):
        self.device = device
        self.prediction = prediction

    @property
    def run_time_ms(self):
        return self.prediction.iteration_ms
