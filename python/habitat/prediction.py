"""Traces, GPUs and predictions as plain Python objects; units are in the names, what is not known is None."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Sequence, Union

from . import _native
from ._native import HabitatError

__all__ = ["ClassTime", "Gpu", "HabitatError", "Prediction", "Trace", "gpu", "gpus"]

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Gpu:
    """One GPU of the table. `values` has every value of `habitat gpus NAME --json`, units in the keys."""

    name: str
    vendor: str
    architecture: str
    compute_capability: Optional[str]
    sm_count: int
    memory_bytes: float
    memory_bandwidth_bytes_per_s: float
    tdp_w: Optional[float]
    aliases: tuple
    values: dict = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ClassTime:
    """Time of one class of operations on the origin and on the destination."""

    name: str
    origin_ms: float
    ms: float


@dataclass(frozen=True)
class Prediction:
    """One iteration on one GPU; keys and meaning are those of `habitat predict --json`."""

    gpu: str
    method: str
    iteration_ms: float
    low_ms: float
    high_ms: float
    busy_ms: float
    kernel_ms: float
    ratio: Optional[float]
    samples_per_s: Optional[float]
    bound_by: Optional[str]
    memory_bytes: Optional[float]
    fits: Optional[bool]
    coverage: dict
    by_class: tuple
    warnings: tuple
    values: dict = field(repr=False, compare=False)


def _gpu_of(values: dict) -> Gpu:
    return Gpu(
        values["name"], values["vendor"], values["architecture"], values.get("compute_capability"),
        values["sm_count"], values["memory_bytes"], values["memory_bandwidth_bytes_per_s"], values.get("tdp_w"),
        tuple(values.get("aliases") or ()), values,
    )  # fmt: skip


def _prediction_of(values: dict, warnings: Sequence[str]) -> Prediction:
    return Prediction(
        values["gpu"], values["method"], values["iteration_ms"], values["low_ms"], values["high_ms"],
        values["busy_ms"], values["kernel_ms"], values.get("ratio"), values.get("samples_per_s"),
        values.get("bound_by"), values.get("memory_bytes"), values.get("fits"), dict(values["coverage"]),
        tuple(ClassTime(c["class"], c["origin_ms"], c["ms"]) for c in values["by_class"]), tuple(warnings), values,
    )  # fmt: skip


def gpus(gpu_files: Iterable[PathLike] = ()) -> list[Gpu]:
    """All GPUs: built in, the user's own, and those of `gpu_files`."""
    table = _native.GpuTable(gpu_files)
    return [_gpu_of(table.describe(handle)["gpus"][0]) for handle in table.all()]


def gpu(name: str, gpu_files: Iterable[PathLike] = ()) -> Gpu:
    """One GPU by canonical name, alias or short name. Raises HabitatError naming the nearest ones."""
    table = _native.GpuTable(gpu_files)
    return _gpu_of(table.describe(table.find(name)[0])["gpus"][0])


class Trace:
    """A recorded iteration. `info` has what `habitat info --json` prints."""

    def __init__(self, path: PathLike, *, origin: Optional[str] = None, gpu_files: Iterable[PathLike] = ()) -> None:
        """Reads `path`. `origin` names the recording's GPU where the trace does not say it right."""
        self._table = _native.GpuTable(gpu_files)
        self._origin = self._table.find(origin)[0] if origin else None
        self._trace = _native.TraceHandle(path)
        self.path = os.fspath(path)
        self._info: Optional[dict] = None

    @property
    def info(self) -> dict:
        if self._info is None:
            self._info = self._trace.describe(self._table)
        return self._info

    @property
    def gpu(self) -> Optional[str]:
        """Canonical name of the GPU the trace was recorded on."""
        return self.info["trace"]["gpu"]

    @property
    def iteration_ms(self) -> Optional[float]:
        return self.info["trace"]["iteration_ms"]

    @property
    def kernel_ms(self) -> float:
        return self.info["trace"]["kernel_ms"]

    @property
    def batch_size(self) -> Optional[int]:
        return self.info["trace"]["batch_size"]

    def predict(self, gpu: Union[str, Any], method: str = "auto", by: Optional[str] = None) -> Prediction:
        """The iteration on one GPU (a name, a `Gpu`, or a `Device`)."""
        return self._predict([_name(gpu)], method, by)[0]

    def predict_all(
        self, gpus: Optional[Iterable[Union[str, Any]]] = None, method: str = "auto", by: Optional[str] = None
    ) -> list[Prediction]:
        """The iteration on several GPUs; on all of the table when none are named."""
        return self._predict(None if gpus is None else [_name(one) for one in gpus], method, by)

    def explain(self, gpu: Union[str, Any], method: str = "auto", by: Optional[str] = None) -> dict:
        """Where the time goes, operation by operation: the JSON of `habitat explain`."""
        return self._ask([_name(gpu)], method, by, explain=True)

    def _predict(self, names: Optional[list], method: str, by: Optional[str]) -> list[Prediction]:
        answer = self._ask(names, method, by)
        return [_prediction_of(values, answer["warnings"]) for values in answer["predictions"]]

    def _ask(self, names: Optional[list], method: str, by: Optional[str], explain: bool = False) -> dict:
        if names is None:
            handles, warnings = self._table.all(), []
        else:
            found = [(name, *self._table.find(name)) for name in names]
            handles = [handle for _, handle, _ in found]
            aliases = [(name, handle) for name, handle, alias in found if alias]
            warnings = [f"{n}: taken as {self._table.describe(h)['gpus'][0]['name']}" for n, h in aliases]
        return self._trace.predict(self._table, handles, self._origin, method, by, explain, warnings)


def _name(gpu: Union[str, Any]) -> str:
    """A GPU's name from a string, a `Gpu`, or a `Device` member."""
    if isinstance(gpu, str):
        return gpu
    return str(getattr(gpu, "value", None) or getattr(gpu, "name", gpu))
