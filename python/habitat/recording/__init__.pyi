"""Types of the recorder's public calls, for type checkers; the code is in the modules beside."""

import enum
import os
from contextlib import AbstractContextManager
from typing import Any, Callable, Dict, Optional, Union

from habitat.prediction import Prediction

_Path = Union[str, "os.PathLike[str]"]

class RecordError(Exception):
    code: int

class _DeviceType(enum.EnumMeta):
    def __getattr__(cls, name: str) -> "Device": ...

class Device(enum.Enum, metaclass=_DeviceType):  # type: ignore[misc]  # no member is known here
    """A GPU of the table; its members are made from the table when it is first used."""

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
