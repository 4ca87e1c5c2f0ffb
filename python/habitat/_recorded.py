"""What a trace and recorded ranks have in common: files that were read, the GPUs they are asked about, pickling, asking."""

from __future__ import annotations

import enum
import os
import re
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _library, _native
from ._native import PathLike
from ._wishes import Wishes, positive
from .results import ClassTime, Gpu, Prediction, Predictions

# What names a GPU: its name, a `Gpu`, or a member of `Device`.
GpuName = Union[str, Gpu, enum.Enum]
_Self = TypeVar("_Self", bound="Recorded")


@dataclass(frozen=True)
class Costs:
    """Prices of the user's own: US dollars for an hour of a GPU, and files of them. They come before the library's."""

    prices: Optional[Mapping[GpuName, float]] = None
    files: Union[PathLike, Iterable[PathLike]] = ()


class Recorded:
    """Recordings that have been read. `_handles` says how a list of paths is."""

    _handles: Any = None

    def _open(
        self, paths: Sequence[PathLike], origin: Optional[GpuName], gpu_files: Sequence[PathLike], reading: _native.Reading
    ) -> None:
        """To be called by `__init__`: a warning of GPU files names the line that called that."""
        self._reading = reading
        self._locations = [os.path.abspath(os.fsdecode(path)) for path in paths]  # the program may change its folder
        self._files = [os.path.abspath(os.fsdecode(file)) for file in gpu_files]
        self._origin_name = None if origin is None else name_of(origin)
        self._table = _native.GpuTable(gpu_files, caller=4)
        self._read(paths)

    def _read(self, paths: Sequence[PathLike]) -> None:
        self._origin, self._origin_said = self._origin_in(self._table)
        self._stamps = [_stamp(file) for file in self._locations]  # before they are read
        self._trace: _native.TraceHandle = self._handles(paths, self._reading)
        self._info: Optional[Dict[str, Any]] = None

    def _origin_in(self, table: _native.GpuTable) -> Tuple[Any, list[str]]:
        """The GPU that was named as the recording's, and what to say of a name that left open which part it means."""
        handles, taken = find_in(table, [] if self._origin_name is None else [self._origin_name])
        return (handles[0] if handles else None), [line for lines in taken.values() for line in lines]

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle: another process reads the same files again."""
        self._trace.handle  # what is closed is refused
        for file in (*self._locations, *self._files):
            if os.path.exists(file) and not os.path.isfile(file):
                raise _library.refuse("is no regular file: another process cannot read it again", file)
        held = ("_table", "_trace", "_origin", "_origin_said", "_info", "_stamps")
        state = {key: value for key, value in vars(self).items() if key not in held}
        return {**state, "_sha256": ([_native.sha256_of(file) for file in self._unchanged()], self._table.sha256)}

    def _unchanged(self) -> list[str]:
        """The recordings, which are refused where they are not as they were read."""
        for file, stamp in zip(self._locations, self._stamps):
            if stamp is None or stamp != _stamp(file):
                raise _library.refuse("the file has changed since it was read", file)
        return self._locations

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """Opens what was pickled. A file that has changed since is refused: its numbers would be others."""
        recordings, gpus = state.pop("_sha256")
        vars(self).update(state)
        self._table = _native.GpuTable(self._files)
        if self._table.sha256 != gpus:
            raise _library.refuse("files of GPUs have changed since this was pickled; open it again", self._locations[0])
        self._read(self._locations)
        for file, then in zip(self._unchanged(), recordings):
            if then != _native.sha256_of(file):
                raise _library.refuse("the file has changed since this was pickled; open it again", file)

    def _refuse_to_write(self, files: Iterable[str]) -> None:
        """What was read may be the only recording: links and other names of it are found, too."""
        read = [_identity(file) for file in (*self._locations, *self._files)]
        for file in files:
            if _identity(file) in [one for one in read if one]:
                raise _library.refuse("is read by this trace; name another file", file)

    def close(self) -> None:
        """Frees what was read, at once instead of with the object; predictions made from it stay.

        What another thread is asking meanwhile gets its answer, or an error that says that it is closed.
        """
        self._trace.close()
        self._table.close()

    def __enter__(self: _Self) -> _Self:
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
            self._info = self._trace.describe(self._table, self._origin, self._origin_said)
        return self._info

    def _predict(self, names: Optional[Sequence[str]], wishes: Wishes, costs: Costs = Costs(), **beside: Any) -> Predictions:
        answer, taken = self._ask(names, wishes, costs, **beside)
        rows = answer["predictions"]
        of_names = {line for lines in taken.values() for line in lines}
        whole = [line for line in _not_of_rows(answer["warnings"], rows) if line not in of_names]
        return Predictions(
            _prediction_of(values, dict.fromkeys([*_of_row(whole, values), *values["warnings"], *taken.get(values["gpu"], ())]))
            for values in rows
        )

    def _ask(
        self, names: Optional[Sequence[str]], wishes: Wishes, costs: Costs = Costs(), **beside: Any
    ) -> Tuple[Dict[str, Any], Dict[str, list[str]]]:
        """The answer, and what to say of the names that left open which part they mean, by GPU: what no other note says."""
        handles, taken = self._find(names or ())
        chosen = self._table.all() if names is None else handles
        prices, said = self._prices(costs)
        notes = self._notes(taken, said)
        answer = self._trace.predict(
            self._table, chosen, self._origin, wishes, notes=notes, prices=prices, fastest_first=names is None, **beside
        )
        of_all = {*said, *self._origin_said}
        return answer, {gpu: [line for line in lines if line not in of_all] for gpu, lines in taken.items()}

    def _prices(self, costs: Costs) -> Tuple[_native.Prices, list[str]]:
        """The library's prices and the user's, and what to say of the files and names among these."""
        made = _native.Prices(self._table)
        for file in paths_of(costs.files):
            made.read(file)
        said = made.notes
        for gpu, usd_per_hour in (costs.prices or {}).items():
            name = name_of(gpu)
            usd = positive(f"the price of {name}", usd_per_hour)
            (handle,), taken = self._find([name])
            made.set(handle, usd)
            said += [line for lines in taken.values() for line in lines]
        return made, said

    def _find(self, names: Iterable[str]) -> Tuple[list[Any], Dict[str, list[str]]]:
        return find_in(self._table, names)

    def _notes(self, taken: Dict[str, list[str]], said: Sequence[str]) -> list[str]:
        """What to say before an answer, each line once; `said` is of prices."""
        of_names = [line for lines in taken.values() for line in lines]
        return list(dict.fromkeys([*self._table.skipped, *of_names, *said, *self._origin_said]))


def find_in(table: _native.GpuTable, names: Iterable[str]) -> Tuple[list[Any], Dict[str, list[str]]]:
    """Handles of GPUs, each once, and what to say of the names that left open which part they mean, by GPU."""
    handles: Dict[Any, Any] = {}  # by address; a second name of the same GPU keeps the first one's place
    taken: Dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        handle, chosen = table.find(name)
        handles.setdefault(handle.value, handle)
        if chosen:
            gpu = table.describe(handle)["gpus"][0]["name"]
            taken.setdefault(gpu, []).append(f"{name}: taken as {gpu}")
    return list(handles.values()), taken


def _stamp(file: str) -> Optional[Tuple[int, int]]:
    """By which a file that was written anew is told; None: there is none."""
    try:
        about = os.stat(file)
    except (OSError, ValueError):  # a name that no file can have is refused where it is read
        return None
    return about.st_size, about.st_mtime_ns


def _identity(file: str) -> Optional[Tuple[int, int]]:
    """The same for two names of one file, as os.path.samefile() tells; None: there is none."""
    try:
        about = os.stat(file)
    except (OSError, ValueError):
        return None
    return about.st_dev, about.st_ino


_LATER = (
    "headroom_bytes", "context_bytes", "margin_bytes", "largest_batch", "usd_per_hour", "price_date", "usd_per_1000_iterations",
    "samples_per_usd", "hours", "usd", "energy_j", "batch_size", "precision", "gpus",
)  # fmt: skip


_SAME_KIND = 8  # characters: SAME_KIND_BYTES of src/report/predictions.c; rows' warnings of one kind begin alike


def _not_of_rows(lines: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """An answer's warnings without the last ones, which say of its GPUs together what each row says of its own."""
    kinds = {line[:_SAME_KIND] for row in rows for line in row["warnings"]}
    count = len(lines)
    while count and lines[count - 1][:_SAME_KIND] in kinds:
        count -= 1
    return lines[:count]


_CPU_ROWS = re.compile(r"\d+ of \d+ (?=rows are set by the CPU)")  # habitat_replay_cpu_warning()
_BATCHES = re.compile(r"batch sizes? ([\d, ]+) instead of ")  # src/predict/rescale_words.c, src/ask/iteration.c


def _of_row(lines: Iterable[str], row: Mapping[str, Any]) -> list[str]:
    """An answer's warnings, as an answer of this row alone would say them."""
    own = row.get("batch_size")
    lines = [line for line in lines if not (of := _BATCHES.match(line)) or str(own) in of[1].split(", ")]
    lines = [_BATCHES.sub(f"batch size {own} instead of ", line) for line in lines]
    return [_CPU_ROWS.sub("1 of 1 ", line) for line in lines if row.get("bound_by") == "cpu" or not _CPU_ROWS.match(line)]


def _prediction_of(values: Dict[str, Any], warnings: Iterable[str]) -> Prediction:
    return Prediction(
        values["gpu"], values["method"], values["iteration_ms"], values["low_ms"], values["high_ms"],
        values["busy_ms"], values["kernel_ms"], values.get("ratio"), values.get("samples_per_s"),
        values.get("bound_by"), values.get("memory_bytes"), values.get("fits"), dict(values["coverage"]),
        tuple(ClassTime(c["class"], c["origin_ms"], c["ms"]) for c in values["by_class"]), tuple(warnings),
        values["interval"], values["interval_basis"], values,
        **{key: values.get(key) for key in _LATER},
    )  # fmt: skip


def paths_of(files: Union[PathLike, Iterable[PathLike]]) -> list[PathLike]:
    return [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)


def name_of(gpu: GpuName) -> str:
    """A GPU's name from a string, a `Gpu`, or a `Device` member."""
    name = gpu.value if isinstance(gpu, enum.Enum) else gpu.name if isinstance(gpu, Gpu) else gpu
    if not isinstance(name, str):
        raise TypeError(f"a GPU is named by a str, a Gpu or a Device, not {type(gpu).__name__}")
    return name


def names_of(gpus: Union[GpuName, Iterable[GpuName]]) -> list[str]:
    """Names of several; one on its own is one, not its letters."""
    if isinstance(gpus, (str, Gpu, enum.Enum)):
        return [name_of(gpus)]
    if isinstance(gpus, (bytes, bytearray)):
        raise TypeError(f"a GPU is named by a str, a Gpu or a Device, not {type(gpus).__name__}")
    return [name_of(one) for one in gpus]
