"""Types of the recorder's public calls, for type checkers; the code is in the modules beside."""

import os
from contextlib import AbstractContextManager
from typing import Any, Callable, Dict, Optional, Union

from habitat.prediction import Prediction

from .device import Device as Device

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

_Path = Union[str, "os.PathLike[str]"]

class RecordError(Exception):
    where: str
    what: str
    code: int
    def __init__(self, where: str, what: str, code: int = 1) -> None: ...

class PredictedTrace:
    device: Device
    prediction: Prediction
    def __init__(self, device: Union[Device, str], prediction: Prediction) -> None: ...
    @property
    def run_time_ms(self) -> float: ...

class TrackedTrace:
    device: Device
    def __init__(self, path: _Path, device: Union[Device, str], tracker: Optional[OperationTracker]) -> None: ...
    def to_device(self, device: Union[Device, str]) -> PredictedTrace: ...

class OperationTracker:
    def __init__(self, device: Union[Device, str], *, allow_cpu: bool = False) -> None: ...
    def track(self) -> AbstractContextManager[None]: ...
    def get_tracked_trace(self) -> TrackedTrace: ...

def record(
    path: _Path,
    *,
    batch_size: Optional[int] = None,
    model: Optional[str] = None,
    compact: bool = False,
    modules: bool = True,
    allow_cpu: bool = False,
    command: Optional[str] = None,
) -> AbstractContextManager[None]: ...
def record_iterations(
    step: Callable[[], Any],
    *,
    path: _Path = "step.json.gz",
    iterations: int = 3,
    warmup: int = 5,
    timed: int = 10,
    batch_size: Optional[int] = None,
    model: Optional[str] = None,
    compact: bool = False,
    modules: bool = True,
    allow_cpu: bool = False,
    command: Optional[str] = None,
    pause: float = 5.0,
) -> Dict[str, Any]: ...
def mark_iteration() -> None: ...
