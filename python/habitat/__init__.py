"""Habitat: predicts the time of a training iteration on GPUs you do not have.

    trace = habitat.Trace("step.json.gz")
    trace.predict("V100-PCIE-32GB").iteration_ms

Reading and predicting need the C library only; recording imports PyTorch when it is first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any, List

# Type checkers take what a package exports from a list they can read.
__all__ = [
    "Choice",
    "ClassTime",
    "Device",
    "Excluded",
    "ExplainedRow",
    "Explanation",
    "Gpu",
    "HabitatError",
    "OperationTime",
    "OperationTracker",
    "Prediction",
    "Predictions",
    "Ranked",
    "Ranks",
    "Reason",
    "Table",
    "Trace",
    "__version__",
    "choose",
    "gpu",
    "gpus",
    "operation",
    "record",
    "record_iterations",
]

# Which module a name is in, if not in prediction.py; it is imported when the name is first used.
_HOMES = {
    **dict.fromkeys(("record", "record_iterations", "OperationTracker", "Device"), "recording"),
    **dict.fromkeys(("Choice", "Excluded", "Ranked", "choose"), "choosing"),
    "Ranks": "ranks",
}

if TYPE_CHECKING:
    from .choosing import Choice, Excluded, Ranked, choose
    from .prediction import (
        ClassTime,
        ExplainedRow,
        Explanation,
        Gpu,
        HabitatError,
        OperationTime,
        Prediction,
        Predictions,
        Reason,
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
            return _import_module("habitat._library").version()
        if name not in __all__:
            raise AttributeError(f"module 'habitat' has no attribute {name!r}")
        return getattr(_import_module(f"habitat.{_HOMES.get(name, 'prediction')}"), name)


def __dir__() -> List[str]:
    return sorted([*globals(), *__all__])
