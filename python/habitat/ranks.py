"""Recordings of GPUs that trained together, one a rank: `habitat predict --ranks` and `habitat info --ranks`."""

from __future__ import annotations

import copy
import os
from typing import Any, Dict, Iterable, Optional, Union

from . import _native
from ._native import PathLike
from ._recorded import GpuName, Recorded, names_of, paths_of
from ._wishes import Wishes
from .results import Prediction, Predictions

__all__ = ["Ranks"]


class Ranks(Recorded):
    """Recordings of one step, a file of each rank, in any order. Usable in a `with`, which closes them.

    They are replayed together: a message between them begins when the last rank comes to it.
    Can be pickled: another process reads the same files again.
    """

    _handles = _native.RankHandles

    def __init__(
        self,
        paths: Iterable[PathLike],
        *,
        origin: Optional[GpuName] = None,
        gpu_files: Union[PathLike, Iterable[PathLike]] = (),
        iterations: Optional[int] = None,
        nvtx_range: Optional[str] = None,
        recorded_batch: Optional[int] = None,
    ) -> None:
        """Reads all `paths`. `origin` names the recordings' GPU where they do not say it right.

        `iterations`, `nvtx_range` and `recorded_batch`: of each file, as of `Trace`.
        """
        if isinstance(paths, (str, bytes, os.PathLike)):
            raise TypeError("paths are several files, one of each rank")
        files = list(paths)
        if len(files) < 2:
            raise ValueError("a file of each rank is needed: two or more")
        self.paths = [os.fsdecode(file) for file in files]
        self._open(files, origin, paths_of(gpu_files), _native.Reading(iterations, nvtx_range, recorded_batch))

    @property
    def info(self) -> Dict[str, Any]:
        """What `habitat info --ranks --json` prints: `ranks`, `messages`, `slow_rank`, and the first rank's recording."""
        return copy.deepcopy(self._read_info())

    def __repr__(self) -> str:
        return f"habitat.Ranks({self.paths!r})"

    @property
    def slow_rank(self) -> Optional[int]:
        """The rank that the others wait for; None where no rank is."""
        rank: Optional[int] = self._read_info()["slow_rank"]
        return rank

    def predict(
        self, gpu: GpuName, method: str = "auto", cpu_scale: Optional[float] = None, gpu_count: Optional[int] = None
    ) -> Prediction:
        """The iteration of all ranks on GPUs of one kind (a name, a `Gpu`, or a `Device`).

        `cpu_scale` multiplies the CPUs' times, as of `Trace.predict()`. `gpu_count` GPUs send the messages; None: as many
        as were recorded. What messages cost is in `values`: `communication_ms`, `exposed_communication_ms`, `waiting_ms`, `ranks`.
        """
        return self.predict_all(gpu, method, cpu_scale, gpu_count)[0]

    def predict_all(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        cpu_scale: Optional[float] = None,
        gpu_count: Optional[int] = None,
    ) -> Predictions:
        """The same on several kinds of GPU, or on the one that is named; on all of the table when none are."""
        wishes = Wishes(method=method, cpu_scale=cpu_scale, gpu_count=gpu_count)
        if gpu_count == 1:
            raise ValueError("gpu_count must be 2 or more: one GPU sends no messages")
        names = None if gpus is None else names_of(gpus)
        return Predictions() if names == [] else self._predict(names, wishes)
