"""Traces and questions: what is asked of the library, answered by the objects of results.py."""

from __future__ import annotations

import enum
import os
from types import TracebackType
from typing import Any, Dict, Iterable, Optional, Sequence, Tuple, Type, Union

from . import _native
from . import _notebook as show
from ._native import HabitatError, PathLike
from ._wishes import Wishes
from .results import ClassTime, Gpu, OperationTime, Prediction, Predictions, Table

__all__ = [
    "ClassTime",
    "Gpu",
    "HabitatError",
    "OperationTime",
    "Prediction",
    "Predictions",
    "Table",
    "Trace",
    "gpu",
    "gpus",
    "operation",
]

# What names a GPU: its name, a `Gpu`, or a member of `Device`.
GpuName = Union[str, Gpu, enum.Enum]


def _gpu_of(values: Dict[str, Any]) -> Gpu:
    return Gpu(
        values["name"], values["vendor"], values["architecture"], values.get("compute_capability"),
        values["sm_count"], values["memory_bytes"], values["memory_bandwidth_bytes_per_s"], values.get("tdp_w"),
        tuple(values.get("aliases") or ()), values,
    )  # fmt: skip


def _prediction_of(values: Dict[str, Any], warnings: Sequence[str]) -> Prediction:
    return Prediction(
        values["gpu"], values["method"], values["iteration_ms"], values["low_ms"], values["high_ms"],
        values["busy_ms"], values["kernel_ms"], values.get("ratio"), values.get("samples_per_s"),
        values.get("bound_by"), values.get("memory_bytes"), values.get("fits"), dict(values["coverage"]),
        tuple(ClassTime(c["class"], c["origin_ms"], c["ms"]) for c in values["by_class"]), tuple(warnings),
        values["interval"], values["interval_basis"], values,
        values.get("headroom_bytes"), values.get("context_bytes"), values.get("margin_bytes"), values.get("largest_batch"),
    )  # fmt: skip


def gpus(gpu_files: Union[PathLike, Iterable[PathLike]] = ()) -> Table[Gpu]:
    """All GPUs: built in, the user's own, and those of `gpu_files`."""
    table = _native.GpuTable(gpu_files)
    return Table(_gpu_of(table.describe(handle)["gpus"][0]) for handle in table.all())


def gpu(name: str, gpu_files: Union[PathLike, Iterable[PathLike]] = ()) -> Gpu:
    """One GPU by canonical name, alias or short name. Raises HabitatError naming the nearest ones."""
    table = _native.GpuTable(gpu_files)
    return _gpu_of(table.describe(table.find(_name(name))[0])["gpus"][0])


def operation(
    name: str,
    *,
    dtype: str = "fp32",
    direction: str = "forward",
    to: Union[GpuName, Iterable[GpuName], None] = None,
    method: str = "auto",
    gpu_files: Union[PathLike, Iterable[PathLike]] = (),
    **sizes: Union[int, str],
) -> Table[OperationTime]:
    """One operation by its shape, without a recording: `operation("gemm", m=4096, n=4096, k=1024, dtype="bf16")`.

    Sizes are those of a table of operations (`batch=8, c_in=64, c_out=64, size=56, kernel=3`), `direction` is
    `forward`, `backward`, `backward-input` or `backward-weight`. On all GPUs of the table where `to` names none.
    """
    table = _native.GpuTable(gpu_files)
    found = [table.find(one)[0] for one in _names(to)] if to is not None else table.all()
    shape = " ".join(f"{key}={value}" for key, value in sizes.items())
    answer = _native.ask_operation(table, found, (name, shape, dtype, direction), method)
    return Table(
        OperationTime(
            row["gpu"], row["ms"], row["low_ms"], row["high_ms"], row["method"], row["bound"], row["reason"],
            row["interval"], row["interval_basis"], tuple(answer["warnings"]),
        )
        for row in answer["predictions"]
    )  # fmt: skip


class Trace:
    """A recorded iteration. `info` has what `habitat info --json` prints. Usable in a `with`, which closes it."""

    def __init__(
        self,
        path: PathLike,
        *,
        origin: Optional[GpuName] = None,
        gpu_files: Union[PathLike, Iterable[PathLike]] = (),
    ) -> None:
        """Reads `path`. `origin` names the recording's GPU where the trace does not say it right.

        An `origin` that the recorded SM count, memory or compute capability contradict is refused.
        """
        files = _paths(gpu_files)
        self.path = os.fsdecode(path)
        self._location = os.path.abspath(self.path)  # the program may change its folder
        self._files = [os.path.abspath(os.fsdecode(file)) for file in files]
        self._origin_name = None if origin is None else _name(origin)
        self._table = _native.GpuTable(files)
        self._open(path)

    def _open(self, path: PathLike) -> None:
        self._origin = None if self._origin_name is None else self._table.find(self._origin_name)[0]
        self._trace = _native.TraceHandle(path)
        self._info: Optional[Dict[str, Any]] = None
        if self._origin is not None:
            self._read_info()

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle: another process reads the same files again."""
        self._trace.handle  # what is closed is refused
        for file in (self._location, *self._files):
            if os.path.exists(file) and not os.path.isfile(file):
                raise _native.refuse("is no regular file: another process cannot read it again", file)
        held = ("_table", "_trace", "_origin", "_info")
        state = {key: value for key, value in vars(self).items() if key not in held}
        return {**state, "_sha256": self._fact("sha256"), "_gpu_sha256": self._table.sha256}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """Opens what was pickled. A file that has changed since is refused: its numbers would be others."""
        recording, gpus = state.pop("_sha256"), state.pop("_gpu_sha256")
        vars(self).update(state)
        self._table = _native.GpuTable(self._files)
        if self._table.sha256 != gpus:
            raise _native.refuse("files of GPUs have changed since this trace was pickled; open it again", self._location)
        self._open(self._location)
        if self._fact("sha256") != recording:
            raise _native.refuse("the file has changed since this trace was pickled; open it again", self._location)

    def close(self) -> None:
        """Frees what was read, at once instead of with the object; predictions made from it stay."""
        self._trace.close()
        self._table.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def _read_info(self) -> Dict[str, Any]:
        if self._info is None:
            self._info = self._trace.describe(self._table, self._origin)
        return self._info

    @property
    def info(self) -> Dict[str, Any]:
        return self._read_info()

    def __repr__(self) -> str:
        return f"habitat.Trace({self.path!r})"

    def _repr_html_(self) -> str:
        facts = [("recording", self.path)]
        try:
            info = self._read_info()
        except HabitatError as why:  # closed, before anything was asked
            return show.html_facts([*facts, ("not read", why.message)])
        t = info["trace"]
        for what, key in (("model", "model"), ("recorded on", "gpu"), ("framework", "framework"), ("bound by", "bound_by")):
            facts.append((what, show.word(t.get(key))))
        for what, key, factor in (
            ("batch", "batch_size", 1.0), ("iterations", "iterations", 1.0), ("iteration, ms", "iteration_ms", 1.0),
            ("GPU busy, ms", "busy_ms", 1.0), ("kernels, ms", "kernel_ms", 1.0), ("kernels", "kernels", 1.0),
            ("operations", "operations", 1.0), ("peak memory, GB", "peak_memory_bytes", 1e-9),
        ):  # fmt: skip
            facts.append((what, show.number(t.get(key), factor)))
        return show.html_facts(facts) + show.html_notes(info["warnings"], 'info["warnings"]')

    def _fact(self, key: str) -> Any:
        return self._read_info()["trace"][key]

    @property
    def gpu(self) -> Optional[str]:
        """Canonical name of the GPU the trace was recorded on: `origin` where it was given."""
        name: Optional[str] = self._fact("gpu")
        return name

    @property
    def iteration_ms(self) -> Optional[float]:
        ms: Optional[float] = self._fact("iteration_ms")
        return ms

    @property
    def kernel_ms(self) -> float:
        ms: float = self._fact("kernel_ms")
        return ms

    @property
    def batch_size(self) -> Optional[int]:
        size: Optional[int] = self._fact("batch_size")
        return size

    def predict(
        self,
        gpu: GpuName,
        method: str = "auto",
        by: Optional[str] = None,
        assemble: str = "replay",
        cpu_scale: float = 1.0,
        batch: Optional[int] = None,
        precision: str = "recorded",
        gpu_count: int = 1,
    ) -> Prediction:
        """The iteration on one GPU (a name, a `Gpu`, or a `Device`).

        `assemble`: "replay", or "sum", the GPU's busy time. `cpu_scale` multiplies the CPU's times. `batch`: at another
        batch size. `precision`: "fp32", "tf32", "amp-fp16" or "amp-bf16". Neither goes with `by`.
        `gpu_count` GPUs share the gradients, each with the recorded batch (docs/iteration.md).
        """
        wishes = Wishes(
            method=method, by=by, assemble=assemble, cpu_scale=cpu_scale, batch=batch, precision=precision,
            gpu_count=gpu_count,
        )  # fmt: skip
        return self._predict([_name(gpu)], wishes)[0]

    def predict_all(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        by: Optional[str] = None,
        assemble: str = "replay",
        cpu_scale: float = 1.0,
        batch: Optional[int] = None,
        precision: str = "recorded",
        gpu_count: int = 1,
    ) -> Predictions:
        """The iteration on several GPUs, or on the one that is named; on all of the table when none are."""
        wishes = Wishes(
            method=method, by=by, assemble=assemble, cpu_scale=cpu_scale, batch=batch, precision=precision,
            gpu_count=gpu_count,
        )  # fmt: skip
        return self._predict(None if gpus is None else _names(gpus), wishes)

    def explain(self, gpu: GpuName, method: str = "auto", by: Optional[str] = None) -> Dict[str, Any]:
        """Where the time goes, operation by operation: the JSON of `habitat explain`."""
        return self._ask([_name(gpu)], Wishes(method=method, by=by), explain=True)[0]

    def export_chakra(
        self,
        gpu: GpuName,
        path: PathLike,
        method: str = "auto",
        cpu_scale: float = 1.0,
        gpu_count: int = 1,
    ) -> list[str]:
        """Writes the predicted iteration as Chakra execution traces for ASTRA-sim, as `habitat export --chakra`.

        One GPU: into the file `path`. Several: into `rank.0.et` and so on in the folder `path`, which is made if there
        is none. Returns the files' names.
        """
        wishes = Wishes(method=method, cpu_scale=cpu_scale, gpu_count=gpu_count)
        data = self._trace.export_chakra(self._table, self._table.find(_name(gpu))[0], self._origin, wishes)
        files = [os.fsdecode(path)]
        if gpu_count > 1:
            os.makedirs(files[0], exist_ok=True)
            files = [os.path.join(files[0], f"rank.{rank}.et") for rank in range(gpu_count)]
        for file in files:
            with open(file, "wb") as out:
                out.write(data)
        return files

    def report(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        explain: bool = False,
        assemble: str = "replay",
        cpu_scale: float = 1.0,
        batch: Optional[int] = None,
        precision: str = "recorded",
        gpu_count: int = 1,
    ) -> str:
        """The iteration on several GPUs as one HTML page that needs nothing else: `habitat predict --html`.

        Without `gpus` its charts show those that matter today, and its table all. `explain`: one GPU, operation by
        operation. Write the text to a file, or show it in a notebook: `IPython.display.HTML(trace.report())`.
        """
        names = [] if gpus is None else _names(gpus)
        if explain and len(names) != 1:
            raise ValueError("explain takes one GPU")
        wishes = Wishes(
            method=method, assemble=assemble, cpu_scale=cpu_scale, batch=batch, precision=precision, gpu_count=gpu_count
        )
        handles, taken = self._find(names)
        chosen = None if gpus is None else handles
        return self._trace.report(self._table, chosen, self._origin, wishes, explain, self._notes(taken))

    def _predict(self, names: Optional[Sequence[str]], wishes: Wishes) -> Predictions:
        answer, taken = self._ask(names, wishes)
        of_all = [line for line in answer["warnings"] if line in self._table.skipped or line.startswith("origin: ")]
        of_all += answer["trace"]["warnings"]
        return Predictions(
            _prediction_of(values, [*of_all, *values["warnings"], *taken.get(values["gpu"], ())])
            for values in answer["predictions"]
        )

    def _ask(
        self, names: Optional[Sequence[str]], wishes: Wishes, explain: bool = False
    ) -> Tuple[Dict[str, Any], Dict[str, list[str]]]:
        """The answer, and what to say of the names that left open which part they mean, by GPU."""
        handles, taken = self._find(names or ())
        chosen = self._table.all() if names is None else handles
        answer = self._trace.predict(self._table, chosen, self._origin, wishes, explain, self._notes(taken))
        return answer, taken

    def _find(self, names: Iterable[str]) -> Tuple[list[Any], Dict[str, list[str]]]:
        """Handles of GPUs, and what to say of the names that left open which part they mean, by GPU."""
        handles: list[Any] = []
        taken: Dict[str, list[str]] = {}
        for name in names:
            handle, chosen = self._table.find(name)
            handles.append(handle)
            if chosen:
                gpu = self._table.describe(handle)["gpus"][0]["name"]
                taken.setdefault(gpu, []).append(f"{name}: taken as {gpu}")
        return handles, taken

    def _notes(self, taken: Dict[str, list[str]]) -> list[str]:
        return [*self._table.skipped, *(line for lines in taken.values() for line in lines)]


def _paths(files: Union[PathLike, Iterable[PathLike]]) -> list[PathLike]:
    return [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)


def _name(gpu: GpuName) -> str:
    """A GPU's name from a string, a `Gpu`, or a `Device` member."""
    name = gpu.value if isinstance(gpu, enum.Enum) else gpu.name if isinstance(gpu, Gpu) else gpu
    if not isinstance(name, str):
        raise TypeError(f"a GPU is named by a str, a Gpu or a Device, not {type(gpu).__name__}")
    return name


def _names(gpus: Union[GpuName, Iterable[GpuName]]) -> list[str]:
    """Names of several; one on its own is one, not its letters."""
    if isinstance(gpus, (str, Gpu, enum.Enum)):
        return [_name(gpus)]
    if isinstance(gpus, (bytes, bytearray)):
        raise TypeError(f"a GPU is named by a str, a Gpu or a Device, not {type(gpus).__name__}")
    return [_name(one) for one in gpus]
