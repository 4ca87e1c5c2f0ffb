"""Types of the recorder's public calls, for type checkers; the code is in the modules beside."""

import os
from contextlib import AbstractContextManager
from typing import Any, Callable, Dict, Optional, Union

from habitat.prediction import Prediction

from .device import Device as Device

_Path = Union[str, "os.PathLike[str]"]

class RecordError(Exception):
    where: str
    what: str
    code: int

class PredictedTrace:
    device: Device
    prediction: Prediction
    @property
    def run_time_ms(self) -> float: ...

class TrackedTrace:
    device: Device
    def to_device(self, device: Union[Device, str]) -> PredictedTrace: ...

class OperationTracker:
    def __init__(self, device: Union[Device, str], *, allow_cpu: bool = ...) -> None: ...
    def track(self) -> AbstractContextManager[None]: ...
    def get_tracked_trace(self) -> TrackedTrace: ...

def record(path: _Path, **options: Any) -> AbstractContextManager[None]: ...
def record_iterations(step: Callable[[], Any], *, path: _Path = ..., **options: Any) -> Dict[str, Any]: ...
def mark_iteration() -> None: ...
