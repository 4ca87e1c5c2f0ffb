"""Habitat: predicts the time of a training iteration on GPUs you do not have.

    trace = habitat.Trace("step.json.gz")
    trace.predict("V100-PCIE-32GB").iteration_ms

Reading and predicting need the C library only; recording imports PyTorch when it is first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any, List

# Type checkers take what a package exports from a list they can read.
__all__ = [
    "ClassTime",
    "Device",
    "Gpu",
    "HabitatError",
    "OperationTime",
    "OperationTracker",
    "Prediction",
    "Predictions",
    "Ranks",
    "Table",
    "Trace",
    "__version__",
    "gpu",
    "gpus",
    "operation",
    "record",
    "record_iterations",
]

_RECORDING = {"record", "record_iterations", "OperationTracker", "Device"}

if TYPE_CHECKING:
    from .prediction import (
        ClassTime,
        Gpu,
        HabitatError,
        OperationTime,
        Prediction,
        Predictions,
        Table,
        Trace,
        gpu,
        gpus,
        operation,
    )
    from .ranks import Ranks
    from .recording import Device, OperationTracker, record, record_iterations

    __version__: str

else:  # a type checker that saw this would take any name for an attribute

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return _import_module("habitat._native").version()
        if name not in __all__:
            raise AttributeError(f"module 'habitat' has no attribute {name!r}")
        home = "habitat.recording" if name in _RECORDING else "habitat.ranks" if name == "Ranks" else "habitat.prediction"
        return getattr(_import_module(home), name)


def __dir__() -> List[str]:
    return sorted([*globals(), *__all__])
