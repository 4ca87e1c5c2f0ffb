"""Recordings of GPUs that trained together, one a rank: `habitat predict --ranks` and `habitat info --ranks`."""

from __future__ import annotations

import ctypes
import os
from types import TracebackType
from typing import Any, Dict, Iterable, Optional, Sequence, Type, Union

from . import _native
from ._native import PathLike
from .prediction import GpuName, Prediction, _name, _names, _prediction_of

__all__ = ["Ranks"]

MOST_GPUS = 65536


class Ranks:
    """Recordings of one step, a file of each rank, in any order. Usable in a `with`, which closes them.

    They are replayed together: a message between them begins when the last rank comes to it.
    """

    def __init__(
        self,
        paths: Iterable[PathLike],
        *,
        origin: Optional[GpuName] = None,
        gpu_files: Union[PathLike, Iterable[PathLike]] = (),
    ) -> None:
        """Reads all `paths`. `origin` names the recordings' GPU where they do not say it right."""
        if isinstance(paths, (str, bytes, os.PathLike)):
            raise TypeError("paths are several files, one of each rank")
        files = list(paths)
        if len(files) < 2:
            raise ValueError("a file of each rank is needed: two or more")
        self._table = _native.GpuTable(gpu_files)
        self._origin = None if origin is None else self._table.find(_name(origin))[0]
        self._traces = [_native.TraceHandle(file) for file in files]
        self.paths = [os.fsdecode(file) for file in files]
        self._info: Optional[Dict[str, Any]] = None

    def close(self) -> None:
        """Frees what was read, at once instead of with the object; predictions made from it stay."""
        for trace in self._traces:
            trace.close()
        self._table.close()

    def __enter__(self) -> Ranks:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    @property
    def info(self) -> Dict[str, Any]:
        """What `habitat info --ranks --json` prints: `ranks`, `messages`, `slow_rank`, and the first rank's recording."""
        if self._info is None:
            self._info = self._answer(no_predictions=True)
        return self._info

    @property
    def slow_rank(self) -> Optional[int]:
        """The rank that the others wait for; None where no rank is."""
        rank: Optional[int] = self.info["slow_rank"]
        return rank

    def predict(
        self, gpu: GpuName, method: str = "auto", cpu_scale: float = 1.0, gpu_count: Optional[int] = None
    ) -> Prediction:
        """The iteration of all ranks on GPUs of one kind (a name, a `Gpu`, or a `Device`).

        `cpu_scale` multiplies the CPUs' times. `gpu_count` GPUs send the messages; None: as many as were recorded.
        What messages cost is in `values`: `communication_ms`, `exposed_communication_ms`, `waiting_ms`, `ranks`.
        """
        return self.predict_all(gpu, method, cpu_scale, gpu_count)[0]

    def predict_all(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        cpu_scale: float = 1.0,
        gpu_count: Optional[int] = None,
    ) -> list[Prediction]:
        """The same on several kinds of GPU, or on the one that is named; on all of the table when none are."""
        if not cpu_scale > 0:
            raise ValueError(f"cpu_scale must be more than 0, not {cpu_scale!r}")
        if gpu_count is not None and not 2 <= gpu_count <= MOST_GPUS:
            raise ValueError(f"gpu_count must be 2 to {MOST_GPUS}, not {gpu_count!r}: one GPU sends no messages")
        handles = self._table.all() if gpus is None else []
        taken: Dict[str, list[str]] = {}
        for name in [] if gpus is None else _names(gpus):
            handle, chosen = self._table.find(name)
            handles.append(handle)
            if chosen:
                part = self._table.describe(handle)["gpus"][0]["name"]
                taken.setdefault(part, []).append(f"{name}: taken as {part}")
        if not handles:
            return []
        answer = self._answer(handles, method=method, cpu_scale=cpu_scale, gpu_count=gpu_count or 0)
        shared = [*self._table.skipped, *answer["trace"]["warnings"]]
        return [
            _prediction_of(values, [*shared, *values["warnings"], *taken.get(values["gpu"], ())])
            for values in answer["predictions"]
        ]

    def _answer(
        self,
        destinations: Sequence[ctypes.c_void_p] = (),
        method: str = "auto",
        cpu_scale: float = 1.0,
        gpu_count: int = 0,
        no_predictions: bool = False,
    ) -> Any:
        prices = _native.Prices(self._table)
        count = len(self._traces)
        request = _native._Request(
            trace=self._traces[0].handle, origin=self._origin, gpus=self._table.handle,
            ranks=(ctypes.c_void_p * count)(*(trace.handle for trace in self._traces)), rank_count=count,
            destinations=(ctypes.c_void_p * len(destinations))(*destinations) if destinations else None,
            destination_count=len(destinations), no_predictions=no_predictions, method=_native._method(method),
            cpu_scale=0.0 if cpu_scale == 1.0 else cpu_scale, gpu_count=gpu_count, prices=prices.handle,
        )  # fmt: skip
        request.kept = prices  # what it points to lives as long
        return _native._answer(_native._library.habitat_json_answer, ctypes.byref(request), None, False)
