"""The recorder: a trace of a few iterations of any PyTorch training script, taken without changing it.

`record`, `record_iterations` and `OperationTracker` are for use inside a program; `python3 -m habitat.recording`
(`habitat record`) runs a script. Nothing here imports PyTorch before it is used, and nothing is hooked outside a recording.
"""

from __future__ import annotations

from typing import Any

from .boundary import mark_iteration
from .errors import RecordError

__all__ = [
    "Device",
    "OperationTracker",
    "PredictedTrace",
    "RecordError",
    "TrackedTrace",
    "mark_iteration",
    "record",
    "record_iterations",
]

_HOMES = {
    **dict.fromkeys(("record", "record_iterations"), "api"),
    **dict.fromkeys(("Device", "OperationTracker", "PredictedTrace", "TrackedTrace"), "tracker"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
