"""Habitat: predicts the time of a training iteration on GPUs you do not have.

    trace = habitat.Trace("step.json.gz")
    trace.predict("V100-PCIE-32GB").iteration_ms

Reading and predicting need the C library only; recording imports PyTorch when it is first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

_LAZY = {
    "ClassTime": "habitat.prediction",
    "Gpu": "habitat.prediction",
    "HabitatError": "habitat.prediction",
    "Prediction": "habitat.prediction",
    "Trace": "habitat.prediction",
    "gpu": "habitat.prediction",
    "gpus": "habitat.prediction",
    "record": "habitat.recording",
    "record_iterations": "habitat.recording",
    "OperationTracker": "habitat.recording",
    "Device": "habitat.recording",
}

__all__ = [*_LAZY, "__version__"]

if TYPE_CHECKING:
    from .prediction import ClassTime, Gpu, HabitatError, Prediction, Trace, gpu, gpus
    from .recording import Device, OperationTracker, record, record_iterations

    __version__: str


def __getattr__(name):
    if name == "__version__":
        return _import_module("habitat._native").version()
    if name not in _LAZY:
        raise AttributeError(f"module 'habitat' has no attribute {name!r}")
    return getattr(_import_module(_LAZY[name]), name)


def __dir__():
    return sorted([*globals(), *__all__])
