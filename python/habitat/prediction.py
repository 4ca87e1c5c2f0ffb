"""Traces and questions: what is asked of the library, answered by the objects of results.py."""

from __future__ import annotations

import copy
import gzip
import os
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from . import _native
from . import _notebook as show
from ._library import HabitatError
from ._native import PathLike
from ._recorded import Costs, GpuName, Recorded, find_in, name_of, names_of, paths_of
from ._wishes import Counts, Wishes, counts_of
from .explanation import ExplainedRow, Explanation, Reason
from .results import ClassTime, Gpu, OperationTime, Prediction, Predictions, Table

__all__ = [
    "ClassTime",
    "ExplainedRow",
    "Explanation",
    "Gpu",
    "HabitatError",
    "OperationTime",
    "Prediction",
    "Predictions",
    "Reason",
    "Table",
    "Trace",
    "gpu",
    "gpus",
    "operation",
]

def _gpu_of(values: Dict[str, Any]) -> Gpu:
    return Gpu(
        values["name"], values["vendor"], values["architecture"], values.get("compute_capability"),
        values["sm_count"], values["memory_bytes"], values["memory_bandwidth_bytes_per_s"], values.get("tdp_w"),
        tuple(values.get("aliases") or ()), values,
    )  # fmt: skip


def gpus(gpu_files: Union[PathLike, Iterable[PathLike]] = ()) -> Table[Gpu]:
    """All GPUs: built in, the user's own, and those of `gpu_files`."""
    table = _native.GpuTable(gpu_files)
    return Table(_gpu_of(table.describe(handle)["gpus"][0]) for handle in table.all())


def gpu(name: str, gpu_files: Union[PathLike, Iterable[PathLike]] = ()) -> Gpu:
    """One GPU by canonical name, alias or short name. Raises HabitatError naming the nearest ones."""
    table = _native.GpuTable(gpu_files)
    return _gpu_of(table.describe(table.find(name_of(name))[0])["gpus"][0])


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
    found, taken = find_in(table, [] if to is None else names_of(to))
    of_names = [line for lines in taken.values() for line in lines]
    shape = " ".join(f"{key}={value}" for key, value in sizes.items())
    chosen = table.all() if to is None else found
    answer = _native.ask_operation(table, chosen, (name, shape, dtype, direction), method, of_names)
    of_all = [line for line in answer["warnings"] if line not in of_names]
    return Table(
        OperationTime(
            row["gpu"], row["ms"], row["low_ms"], row["high_ms"], row["method"], row["bound"], row["reason"],
            row["interval"], row["interval_basis"], (*of_all, *taken.get(row["gpu"], ())),
        )
        for row in answer["predictions"]
    )  # fmt: skip


def second_recording(trace: Optional[Trace], batch: object) -> Optional[_native.TraceHandle]:
    """The handle of the recording that tells which sizes change with the batch."""
    if trace is not None and not isinstance(trace, Trace):
        raise TypeError(f"batch_from is a habitat.Trace, not {type(trace).__name__}")
    if trace is not None and batch is None:
        raise ValueError("batch_from goes with batch, which says what is asked")
    return None if trace is None else trace._trace


def _files_of_ranks(path: str, gpu_count: Optional[int]) -> list[str]:
    """What an export writes: `path` for one GPU, a file of each in the folder `path` for several."""
    if gpu_count is None or gpu_count == 1:
        return [path]
    return [os.path.join(path, f"rank.{rank}.et") for rank in range(gpu_count)]


def _one(paths: Sequence[PathLike], reading: _native.Reading) -> _native.TraceHandle:
    return _native.TraceHandle(paths[0], reading)


class Trace(Recorded):
    """A recorded iteration, read from the file `path`. Usable in a `with`, which closes it.

    Can be pickled: another process reads the same files again.
    """

    path: str
    _handles = staticmethod(_one)

    def __init__(
        self,
        path: PathLike,
        *,
        origin: Optional[GpuName] = None,
        gpu_files: Union[PathLike, Iterable[PathLike]] = (),
        iterations: Optional[int] = None,
        nvtx_range: Optional[str] = None,
        recorded_batch: Optional[int] = None,
    ) -> None:
        """Reads `path`. `origin` names the recording's GPU where the trace does not say it right.

        An `origin` that the recorded SM count, memory or compute capability contradict is refused.
        `iterations`: the trace holds so many equal ones, and nothing in it marks them. `nvtx_range`: iterations are the
        ranges of this name (NVTX, `record_function`). One of the two; refused where the trace does not bear it out.
        `recorded_batch` [samples]: of one iteration, where the trace does not note it; refused where it notes another.
        """
        self.path = os.fsdecode(path)
        self._open([path], origin, paths_of(gpu_files), _native.Reading(iterations, nvtx_range, recorded_batch))
        if self._origin is not None:
            self._read_info()

    @property
    def info(self) -> Dict[str, Any]:
        """What `habitat info --json` prints: `trace`, `by_class`, `missing`, `warnings`; units are in the keys. A copy."""
        return copy.deepcopy(self._read_info())

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
        """Canonical name of the GPU the trace was recorded on: `origin` where it was given; None: without a GPU."""
        name: Optional[str] = self._fact("gpu")
        return name

    @property
    def iteration_ms(self) -> Optional[float]:
        """Time between the starts of two recorded iterations [ms], without the profiler where the recorder measured it.

        None: recorded without a GPU.
        """
        ms: Optional[float] = self._fact("iteration_ms")
        return ms

    @property
    def kernel_ms(self) -> Optional[float]:
        """Sum of the times of the iteration's kernels on the recorded GPU [ms], copies left out; None: recorded without a GPU."""
        ms: Optional[float] = self._fact("kernel_ms")
        return ms

    @property
    def batch_size(self) -> Optional[int]:
        """Batch size of the recorded iteration [samples]; None: the recording does not say."""
        size: Optional[int] = self._fact("batch_size")
        return size

    def predict(
        self,
        gpu: GpuName,
        method: str = "auto",
        by: Optional[str] = None,
        assemble: str = "replay",
        cpu_scale: Optional[float] = None,
        batch: Optional[int] = None,
        precision: str = "recorded",
        gpu_count: Optional[int] = None,
        *,
        batch_from: Optional[Trace] = None,
        prices: Optional[Mapping[GpuName, float]] = None,
        price_files: Union[PathLike, Iterable[PathLike]] = (),
        spot: bool = False,
        steps: Optional[float] = None,
        samples: Optional[float] = None,
        sharded: bool = False,
    ) -> Prediction:
        """The iteration on one GPU (a name, a `Gpu`, or a `Device`).

        `assemble`: "replay", or "sum", the GPU's busy time. `cpu_scale` multiplies the CPU's times: 1 is the recorded
        host; None is a host that nobody knows, for which intervals on another GPU are wider. `batch`: at another batch
        size. `precision`: "fp32", "tf32", "amp-fp16" or "amp-bf16". Neither goes with `by`.
        `gpu_count` GPUs share the gradients, each with its own batch (docs/iteration.md); None: as recorded. `sharded`: each
        of them keeps a part of weights, gradients and states, as PyTorch's `fully_shard` does it for each layer.
        `batch_from`: the same step recorded at another batch size, which tells what changes with it; goes with `batch`.
        `prices` [US dollars for an hour of a GPU] and `price_files` come before the library's own, `spot` takes spot
        prices; `steps` or `samples` say how long the whole training is, for its `hours` and `usd` in `values`.
        """
        wishes = Wishes(
            method=method, by=by, assemble=assemble, cpu_scale=cpu_scale, batch=batch, precision=precision,
            gpu_count=gpu_count, spot=spot, steps=steps, samples=samples, sharded=sharded,
        )  # fmt: skip
        return self._predict([name_of(gpu)], wishes, Costs(prices, price_files), batch_from=second_recording(batch_from, batch))[0]

    def predict_all(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        by: Optional[str] = None,
        assemble: str = "replay",
        cpu_scale: Optional[float] = None,
        batch: Counts = None,
        precision: str = "recorded",
        gpu_count: Counts = None,
        *,
        batch_from: Optional[Trace] = None,
        prices: Optional[Mapping[GpuName, float]] = None,
        price_files: Union[PathLike, Iterable[PathLike]] = (),
        spot: bool = False,
        steps: Optional[float] = None,
        samples: Optional[float] = None,
        sharded: bool = False,
    ) -> Predictions:
        """The iteration on several GPUs, or on the one that is named; on all of the table, fastest first, when none are. As `predict()`.

        `batch` and `gpu_count` may be several numbers, too: a row for each, which its `batch_size` and `gpus` say.
        """
        wishes = Wishes(
            method=method, by=by, assemble=assemble, cpu_scale=cpu_scale, batches=counts_of("batch", batch),
            precision=precision, gpu_counts=counts_of("gpu_count", gpu_count), spot=spot, steps=steps, samples=samples, sharded=sharded,
        )  # fmt: skip
        names = None if gpus is None else names_of(gpus)
        return self._predict(names, wishes, Costs(prices, price_files), batch_from=second_recording(batch_from, batch))

    def explain(self, gpu: GpuName, method: str = "auto", by: Optional[str] = None) -> Explanation:
        """Where the time goes on the origin and on `gpu`, operation by operation, and why: the JSON of `habitat explain`.

        `by`: "op" (default), "kernel", "class" or "module". A dict with types, `to_frame()` and HTML for notebooks.
        """
        return Explanation(self._ask([name_of(gpu)], Wishes(method=method, by=by), explain=True)[0])

    def export_chakra(
        self,
        gpu: GpuName,
        path: PathLike,
        method: str = "auto",
        cpu_scale: Optional[float] = None,
        gpu_count: Optional[int] = None,
        sharded: bool = False,
    ) -> list[str]:
        """Writes the predicted iteration as Chakra execution traces for ASTRA-sim, as `habitat export --chakra`.

        One GPU: into the file `path`. Several: into `rank.0.et` and so on in the folder `path`, which is made if there
        is none. Returns the files' names. Files that this trace was read from are not written over: HabitatError.
        """
        wishes = Wishes(method=method, cpu_scale=cpu_scale, gpu_count=gpu_count, sharded=sharded)
        files = _files_of_ranks(os.fsdecode(path), wishes.gpu_count)
        self._refuse_to_write(files)
        data = self._trace.export_chakra(self._table, self._table.find(name_of(gpu))[0], self._origin, wishes)
        if len(files) > 1:
            os.makedirs(path, exist_ok=True)
        for file in files:
            with open(file, "wb") as out:
                out.write(data)
        return files

    def export_timeline(self, gpu: GpuName, path: PathLike, method: str = "auto", cpu_scale: Optional[float] = None) -> str:
        """Writes the predicted iteration as a Chrome trace into the file `path`, as `habitat export --timeline`.

        Perfetto opens it beside the recorded one, `habitat.Trace` reads it. It is one iteration that begins on an idle
        GPU; times are in us. Compressed where the name ends in `.gz`. Returns the file's name. Files that this trace was read from are not written over: HabitatError.
        """
        file = os.fsdecode(path)
        self._refuse_to_write([file])
        wishes = Wishes(method=method, cpu_scale=cpu_scale)
        data = self._trace.export_timeline(self._table, self._table.find(name_of(gpu))[0], self._origin, wishes)
        if file.endswith(".gz"):
            data = gzip.compress(data, mtime=0)  # no time stamp: the same file from the same recording
        with open(file, "wb") as out:
            out.write(data)
        return file

    def report(
        self,
        gpus: Union[GpuName, Iterable[GpuName], None] = None,
        method: str = "auto",
        explain: bool = False,
        assemble: str = "replay",
        cpu_scale: Optional[float] = None,
        batch: Counts = None,
        precision: str = "recorded",
        gpu_count: Counts = None,
        *,
        batch_from: Optional[Trace] = None,
        prices: Optional[Mapping[GpuName, float]] = None,
        price_files: Union[PathLike, Iterable[PathLike]] = (),
        spot: bool = False,
        steps: Optional[float] = None,
        samples: Optional[float] = None,
        sharded: bool = False,
    ) -> str:
        """The iteration on several GPUs as one HTML page that needs nothing else: `habitat predict --html`.

        Without `gpus` its charts show those that matter today, and its table all. `explain`: one GPU, operation by
        operation. Write the text to a file, or show it in a notebook: `IPython.display.HTML(trace.report())`.
        """
        names = [] if gpus is None else names_of(gpus)
        if explain and len(names) != 1:
            raise ValueError("explain takes one GPU")
        wishes = Wishes(
            method=method, assemble=assemble, cpu_scale=cpu_scale, batches=counts_of("batch", batch), precision=precision,
            gpu_counts=counts_of("gpu_count", gpu_count), spot=spot, steps=steps, samples=samples, sharded=sharded,
        )  # fmt: skip
        handles, taken = self._find(names)
        chosen = None if gpus is None else handles
        own_prices, said = self._prices(Costs(prices, price_files))
        return self._trace.report(
            self._table, chosen, self._origin, wishes, explain, notes=self._notes(taken, said), prices=own_prices,
            batch_from=second_recording(batch_from, batch),
        )  # fmt: skip
