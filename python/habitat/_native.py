"""The C library through ctypes: opaque handles, JSON texts, one exception. No arithmetic here."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import time
import warnings
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Tuple, Union

from ._wishes import ASSEMBLE, PRECISIONS, Wishes, whole

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class HabitatError(Exception):
    """What the library refused, with its `status` name and number, `file`, `line` and `byte` where known."""

    def __init__(
        self,
        message: str,
        status: str,
        number: int,
        file: Optional[str] = None,
        line: Optional[int] = None,
        byte: Optional[int] = None,
    ) -> None:
        super().__init__(f"{file}: {message}" if file else message)
        self.message = message
        self.status, self.number, self.file, self.line, self.byte = status, number, file, line, byte

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle: an exception of a worker process must arrive as it was raised."""
        arguments = (self.message, self.status, self.number, self.file, self.line, self.byte)
        return type(self), arguments, self.__dict__


class _Error(ctypes.Structure):
    _fields_ = [  # habitat_error of include/habitat/status.h
        ("code", ctypes.c_int),
        ("message", ctypes.c_char * 384),
        ("file", ctypes.c_char * 256),
        ("byte", ctypes.c_uint64),
        ("line", ctypes.c_uint64),
        ("index", ctypes.c_size_t),
    ]


class _Skipped(ctypes.Structure):
    _fields_ = [  # habitat_gpu_skipped of include/habitat/gpu.h
        ("file", ctypes.c_char_p),
        ("gpu", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("status", ctypes.c_int),
    ]


class _Request(ctypes.Structure):
    _fields_ = [  # habitat_request of include/habitat/ask.h: zero is the default of every field
        ("size_bytes", ctypes.c_size_t),
        ("trace", ctypes.c_void_p),
        ("workload", ctypes.c_void_p),
        ("operations", ctypes.c_void_p),
        ("operation_count", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("shape", ctypes.c_char_p),
        ("origin", ctypes.c_void_p),
        ("origin_word", ctypes.c_char_p),
        ("destinations", ctypes.POINTER(ctypes.c_void_p)),
        ("destination_count", ctypes.c_size_t),
        ("no_predictions", ctypes.c_bool),
        ("gpus", ctypes.c_void_p),
        ("method", ctypes.c_int),
        ("models", ctypes.c_void_p),
        ("models_name", ctypes.c_char_p),
        ("use", ctypes.c_int),
        ("models_only", ctypes.c_bool),
        ("notes", ctypes.POINTER(ctypes.c_char_p)),
        ("note_count", ctypes.c_size_t),
        ("assemble", ctypes.c_int),
        ("cpu_scale", ctypes.c_double),
        ("prices", ctypes.c_void_p),
        ("spot", ctypes.c_bool),
        ("today", ctypes.c_char_p),
        ("steps", ctypes.c_double),
        ("samples", ctypes.c_double),
        ("batch_sizes", ctypes.POINTER(ctypes.c_uint64)),
        ("batch_size_count", ctypes.c_size_t),
        ("batch_from", ctypes.c_void_p),
        ("precision", ctypes.c_int),
        ("gpu_count", ctypes.c_uint32),
        ("ranks", ctypes.POINTER(ctypes.c_void_p)),
        ("rank_count", ctypes.c_size_t),
        ("gpu_counts", ctypes.POINTER(ctypes.c_uint32)),
        ("gpu_counts_count", ctypes.c_size_t),
        ("totals", ctypes.c_bool),
        ("fastest_first", ctypes.c_bool),
        ("cpu_scale_doubt", ctypes.c_double),
    ]

    def __init__(self, **fields: Any) -> None:
        super().__init__(size_bytes=ctypes.sizeof(type(self)), **fields)
        self.kept = list(fields.values())  # ctypes holds the addresses only: what they point to lives as long


class _ReadOptions(ctypes.Structure):
    _fields_ = [  # habitat_read_options of include/habitat/trace.h
        ("range", ctypes.c_char_p),
        ("iterations", ctypes.c_size_t),
        ("without_gpu", ctypes.c_bool),
        ("batch_size", ctypes.c_uint64),
    ]


@dataclass(frozen=True)
class Reading:
    """What of a trace is an iteration, and of how many samples, where the trace itself does not say it."""

    iterations: Optional[int] = None
    nvtx_range: Optional[str] = None
    recorded_batch: Optional[int] = None

    def __post_init__(self) -> None:
        if self.iterations is not None:
            object.__setattr__(self, "iterations", whole("iterations", self.iterations))
        if self.recorded_batch is not None:
            object.__setattr__(self, "recorded_batch", whole("recorded_batch", self.recorded_batch))
        if self.nvtx_range is not None and not (isinstance(self.nvtx_range, str) and self.nvtx_range):
            raise ValueError(f"nvtx_range is the name of a range, not {self.nvtx_range!r}")
        if self.iterations is not None and self.nvtx_range is not None:
            raise ValueError("iterations does not go with nvtx_range, whose ranges are the iterations; choose one")


# habitat_export_write and habitat_write of include/habitat/export.h and report.h
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _ChoiceOptions(ctypes.Structure):
    _fields_ = [  # habitat_choice_options of include/habitat/choose.h
        ("objective", ctypes.c_int),
        ("max_usd_per_hour", ctypes.c_double),
        ("deadline_hours", ctypes.c_double),
        ("must_fit", ctypes.c_bool),
        ("other_vendors", ctypes.c_bool),
        ("vendor", ctypes.c_char_p),
    ]


class _ReportOptions(ctypes.Structure):
    _fields_ = [  # habitat_report_options of include/habitat/report.h
        ("format", ctypes.c_int),
        ("by", ctypes.c_int),
        ("top", ctypes.c_size_t),
        ("width", ctypes.c_uint),
        ("colour", ctypes.c_bool),
        ("write", _WRITE),
        ("context", ctypes.c_void_p),
        ("shorten", ctypes.c_bool),
        ("sort", ctypes.c_char_p),
        ("columns", ctypes.POINTER(ctypes.c_char_p)),
        ("column_count", ctypes.c_size_t),
        ("vendor", ctypes.c_char_p),
        ("min_memory_bytes", ctypes.c_double),
        ("since", ctypes.c_char_p),
    ]


_REPORT_JSON, _REPORT_HTML = 1, 3  # habitat_report_format


def _load() -> ctypes.CDLL:
    """libhabitat of this package; HABITAT_LIBRARY names another one (a build tree, a system install)."""
    beside = Path(__file__).parent / "_lib" / "libhabitat.so"
    path = os.environ.get("HABITAT_LIBRARY") or (str(beside) if beside.exists() else "libhabitat.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as why:
        raise ImportError(f"{path}: {why}; run `pip install .` in a checkout, or set HABITAT_LIBRARY") from why
    error, text = ctypes.POINTER(_Error), ctypes.POINTER(ctypes.c_void_p)
    handle, name = ctypes.c_void_p, ctypes.c_char_p
    for function, result, arguments in (
        ("habitat_version", name, []),
        ("habitat_is_number", ctypes.c_bool, [name, ctypes.POINTER(ctypes.c_double)]),
        ("habitat_status_name", name, [ctypes.c_int]),
        ("habitat_gpu_user_dir", ctypes.c_int, [ctypes.c_char_p, ctypes.c_size_t]),
        ("habitat_gpu_table_create", ctypes.c_int, [name, ctypes.POINTER(handle), error]),
        ("habitat_gpu_table_add_file", ctypes.c_int, [handle, name, ctypes.POINTER(handle), error]),
        ("habitat_gpu_table_free", None, [handle]),
        ("habitat_gpu_count", ctypes.c_size_t, [handle]),
        ("habitat_gpu_at", handle, [handle, ctypes.c_size_t]),
        ("habitat_gpu_skipped_files", ctypes.POINTER(_Skipped), [handle, ctypes.POINTER(ctypes.c_size_t)]),
        ("habitat_gpu_name_is_exact", ctypes.c_bool, [handle, name]),
        ("habitat_gpu_find", ctypes.c_int,
         [handle, name, ctypes.POINTER(handle), ctypes.POINTER(ctypes.c_bool), error]),
        ("habitat_prices_create", ctypes.c_int, [handle, ctypes.c_bool, ctypes.POINTER(handle), error]),
        ("habitat_prices_read", ctypes.c_int, [handle, name, error]),
        ("habitat_prices_set", ctypes.c_int, [handle, handle, ctypes.c_double, error]),
        ("habitat_prices_notes", ctypes.POINTER(name), [handle, ctypes.POINTER(ctypes.c_size_t)]),
        ("habitat_prices_free", None, [handle]),
        ("habitat_objective_from_name", ctypes.c_int, [name, ctypes.POINTER(ctypes.c_int), error]),
        ("habitat_choose", ctypes.c_int,
         [ctypes.POINTER(handle), ctypes.POINTER(ctypes.c_double), ctypes.c_size_t, ctypes.POINTER(_ChoiceOptions),
          ctypes.POINTER(handle), error]),
        ("habitat_choice_free", None, [handle]),
        ("habitat_report_choice", ctypes.c_int, [handle, ctypes.POINTER(_ReportOptions), error]),
        ("habitat_trace_read_with", ctypes.c_int,
         [name, ctypes.POINTER(_ReadOptions), ctypes.POINTER(handle), error]),
        ("habitat_trace_free", None, [handle]),
        ("habitat_method_from_name", ctypes.c_int, [name, ctypes.POINTER(ctypes.c_int), error]),
        ("habitat_json_gpus", ctypes.c_int, [handle, handle, text, error]),
        ("habitat_json_answer", ctypes.c_int, [ctypes.POINTER(_Request), name, ctypes.c_bool, text, error]),
        ("habitat_json_operation", ctypes.c_int,
         [ctypes.POINTER(_Request), name, name, name, name, text, error]),
        ("habitat_html_answer", ctypes.c_int, [ctypes.POINTER(_Request), ctypes.c_bool, text, error]),
        ("habitat_json_free", None, [handle]),
        ("habitat_ask", ctypes.c_int, [ctypes.POINTER(_Request), ctypes.POINTER(handle), error]),
        ("habitat_answer_replay", handle, [handle]),
        ("habitat_answer_prediction", handle, [handle, ctypes.c_size_t]),
        ("habitat_answer_free", None, [handle]),
        ("habitat_export_chakra", ctypes.c_int, [handle, handle, _WRITE, ctypes.c_void_p, error]),
        ("habitat_export_timeline", ctypes.c_int, [handle, handle, _WRITE, ctypes.c_void_p, error]),
    ):  # fmt: skip
        entry = getattr(library, function)
        entry.restype, entry.argtypes = result, arguments
    return library


_library = _load()


def version() -> str:
    text: bytes = _library.habitat_version()
    return text.decode()


def refuse(message: str, file: Optional[str] = None) -> HabitatError:
    number = 1  # HABITAT_E_ARG of include/habitat/status.h, pinned there
    return HabitatError(message, _library.habitat_status_name(number).decode(), number, file)


def _bytes(text: Union[str, bytes]) -> bytes:
    """What C takes: it would silently end at a NUL."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if b"\0" in data:
        raise refuse(f"{text!r} holds a NUL character; no name or path has one")
    return data


def _call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls and raises HabitatError unless the status is HABITAT_OK."""
    error = _Error()
    number = function(*arguments, ctypes.byref(error))
    if number:
        unknown = 2**64 - 1
        raise HabitatError(
            error.message.decode("utf-8", "replace"), _library.habitat_status_name(number).decode(), number,
            error.file.decode("utf-8", "replace") or None, error.line or None,
            None if error.byte == unknown else error.byte,
        )  # fmt: skip


def _method(name: str) -> int:
    method = ctypes.c_int()
    _call(_library.habitat_method_from_name, _bytes(name), ctypes.byref(method))
    return method.value


def _text(function: Callable[..., int], *arguments: Any) -> bytes:
    text = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text.value or 0)
    finally:
        _library.habitat_json_free(text)


def _answer(function: Callable[..., int], *arguments: Any) -> Any:
    return json.loads(_text(function, *arguments))


class _Pointer(ctypes.c_void_p):
    """Of something of the library, which is freed with the last reference to this object: whoever calls with it, holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: Tuple[Any, ...] = ()  # what must outlive it

    def own(self, free: Callable[[Any], None]) -> None:
        # At exit the system takes all memory back, and a thread that is still asking must not lose its own.
        weakref.finalize(self, free, self.value).atexit = False


class _Handle:
    """Something of the library that is freed once: by close(), or when nobody uses it any more.

    Calls of other threads that are under way keep it until they end: the last one frees it.
    """

    def __init__(self, free: Callable[[Any], None], what: str) -> None:
        self._pointer: Optional[_Pointer] = None
        self._free, self._what = free, what

    def _own(self, pointer: _Pointer, *kept: Any) -> None:
        """To be called by `__init__` with what the library made."""
        pointer.kept = kept
        pointer.own(self._free)
        self._pointer = pointer

    @property
    def handle(self) -> _Pointer:
        pointer = self._pointer
        if pointer is None:
            raise refuse(f"{self._what} is closed")
        return pointer

    def close(self) -> None:
        self._pointer = None


def sha256_of(file: str) -> Optional[str]:
    """None of what cannot be read, or only once, as a pipe."""
    if not os.path.isfile(file):
        return None
    digest = hashlib.sha256()
    try:
        with open(file, "rb") as stream:
            for piece in iter(lambda: stream.read(1 << 20), b""):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


class GpuTable(_Handle):
    """Handle of the GPU table: the built-in GPUs, the user's own, and `files`.

    `skipped` has a line for each file of the user's folder that cannot be used; Python warns of it too.
    `sha256` has one of each file that GPUs came from, for telling that another process reads the same.
    """

    def __init__(self, files: Union[PathLike, Iterable[PathLike]] = (), caller: int = 3) -> None:
        """`caller`: how many calls up the user's line is, which a warning names."""
        super().__init__(_library.habitat_gpu_table_free, "the GPU table")
        folder, made = ctypes.create_string_buffer(4096), _Pointer()
        known = _library.habitat_gpu_user_dir(folder, len(folder)) == 0
        _call(_library.habitat_gpu_table_create, folder.value if known else None, ctypes.byref(made))
        self._own(made)
        self.skipped = self._skipped()
        for line in self.skipped:
            warnings.warn(line, stacklevel=caller)
        own = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
        for file in own:
            _call(_library.habitat_gpu_table_add_file, self.handle, _bytes(os.fsencode(file)), None)
        folders = sorted(Path(os.fsdecode(folder.value)).glob("*.json")) if known else []
        self.sha256 = [sha256_of(os.fsdecode(file)) for file in [*folders, *own]]

    def _skipped(self) -> list[str]:
        count = ctypes.c_size_t()
        files = _library.habitat_gpu_skipped_files(self.handle, ctypes.byref(count))
        lines = [files[i].file + b": skipped: " + files[i].message for i in range(count.value)]
        return [line.decode("utf-8", "replace") for line in lines]

    def find(self, name: str) -> tuple[ctypes.c_void_p, bool]:
        """(handle of the GPU, whether `name` left open which part: "V100")."""
        gpu, alias, text, table = ctypes.c_void_p(), ctypes.c_bool(), _bytes(name), self.handle
        _call(_library.habitat_gpu_find, table, text, ctypes.byref(gpu), ctypes.byref(alias))
        return gpu, bool(alias.value and not _library.habitat_gpu_name_is_exact(gpu, text))

    def all(self) -> list[ctypes.c_void_p]:
        table = self.handle
        return [ctypes.c_void_p(_library.habitat_gpu_at(table, i)) for i in range(_library.habitat_gpu_count(table))]

    def describe(self, gpu: Optional[ctypes.c_void_p] = None) -> Any:
        """The JSON of `habitat gpus`, of one handle or of all."""
        return _answer(_library.habitat_json_gpus, self.handle, gpu)


class Prices(_Handle):
    """Handle of the library's own prices, for the GPUs of a table, which lives as long; a user's are added.

    `notes` says what a user should be told of the files that were read.
    """

    def __init__(self, table: GpuTable) -> None:
        super().__init__(_library.habitat_prices_free, "the list of prices")
        made, gpus = _Pointer(), table.handle
        _call(_library.habitat_prices_create, gpus, True, ctypes.byref(made))
        self._own(made, gpus)

    def read(self, file: PathLike) -> None:
        _call(_library.habitat_prices_read, self.handle, _bytes(os.fsencode(file)))

    def set(self, gpu: ctypes.c_void_p, usd_per_hour: float) -> None:
        _call(_library.habitat_prices_set, self.handle, gpu, usd_per_hour)

    @property
    def notes(self) -> list[str]:
        count, prices = ctypes.c_size_t(), self.handle
        lines = _library.habitat_prices_notes(prices, ctypes.byref(count))
        return [lines[i].decode("utf-8", "replace") for i in range(count.value)]


class Answer(_Handle):
    """Handle of an answer; `request` is what it was asked by, and lives as long."""

    def __init__(self, request: _Request) -> None:
        super().__init__(_library.habitat_answer_free, "the answer")
        made = _Pointer()
        _call(_library.habitat_ask, ctypes.byref(request), ctypes.byref(made))
        self._own(made, request)


class _Pieces:
    """Receives what the library writes piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.write = _WRITE(self._keep)

    def _keep(self, _: Optional[int], data: int, size: int) -> int:
        self._pieces.append(ctypes.string_at(data, size))
        return 0

    def joined(self) -> bytes:
        return b"".join(self._pieces)


class Choosing(_Handle):
    """Handle of a choice among answers of one table of GPUs, which live as long."""

    def __init__(
        self, answers: Sequence[Answer], weights: Sequence[float], objective: str, vendor: Optional[str] = None, **options: Any
    ) -> None:
        super().__init__(_library.habitat_choice_free, "the choice")
        number, count, made = ctypes.c_int(), len(answers), _Pointer()
        held = [answer.handle for answer in answers]
        options["vendor"] = None if vendor is None else _bytes(vendor)
        _call(_library.habitat_objective_from_name, _bytes(objective), ctypes.byref(number))
        _call(
            _library.habitat_choose, (ctypes.c_void_p * count)(*held),
            (ctypes.c_double * count)(*weights), count, ctypes.byref(_ChoiceOptions(objective=number.value, **options)),
            ctypes.byref(made),
        )  # fmt: skip
        self._own(made, held)

    def describe(self) -> Any:
        """The JSON of `habitat choose`."""
        return json.loads(self._written(format=_REPORT_JSON))

    def report(self, shorten: bool) -> str:
        """The page of `habitat choose --html`; `shorten`: the first GPUs in the charts, not all."""
        return self._written(format=_REPORT_HTML, shorten=shorten).decode("utf-8")

    def _written(self, **options: Any) -> bytes:
        pieces = _Pieces()
        _call(_library.habitat_report_choice, self.handle, ctypes.byref(_ReportOptions(write=pieces.write, **options)))
        return pieces.joined()


def today() -> bytes:
    """By which old prices say their age: the day as of cli_today() of cli/prices.c, which a build may fix for all."""
    epoch, seconds = os.environb.get(b"SOURCE_DATE_EPOCH"), ctypes.c_double(time.time())
    given = ctypes.c_double()
    if epoch and _library.habitat_is_number(epoch, ctypes.byref(given)) and 0 <= given.value < 253402300800.0:
        seconds = given  # before the year 10000
    year, month, day = time.gmtime(int(seconds.value))[:3]
    return b"%04d-%02d-%02d" % (year, month, day)


def _notes(lines: Sequence[str]) -> Dict[str, Any]:
    """Fields of a request."""
    return {"notes": (ctypes.c_char_p * len(lines))(*(_bytes(line) for line in lines)), "note_count": len(lines)}


def ask_operation(
    table: GpuTable,
    destinations: Sequence[ctypes.c_void_p],
    words: Sequence[str],
    method: str = "auto",
    notes: Sequence[str] = (),
) -> Any:
    """The JSON of `habitat op`. `words`: operation, shape ("m=8 n=8 k=8"), number format, pass."""
    request = _Request(
        gpus=table.handle, method=_method(method),
        destinations=(ctypes.c_void_p * len(destinations))(*destinations), destination_count=len(destinations),
        **_notes(notes),
    )  # fmt: skip
    return _answer(_library.habitat_json_operation, ctypes.byref(request), *(_bytes(word) for word in words))


class TraceHandle(_Handle):
    """Handle of a trace that has been read."""

    def __init__(self, path: PathLike, reading: Reading = Reading()) -> None:
        super().__init__(_library.habitat_trace_free, "the trace")
        made, name = _Pointer(), reading.nvtx_range
        options = _ReadOptions(None if name is None else _bytes(name), reading.iterations or 0, False, reading.recorded_batch or 0)
        _call(_library.habitat_trace_read_with, _bytes(os.fsencode(path)), ctypes.byref(options), ctypes.byref(made))
        self._own(made)

    def describe(self, table: GpuTable, origin: Optional[ctypes.c_void_p] = None, notes: Sequence[str] = ()) -> Any:
        """The JSON of `habitat info`."""
        self.handle  # a closed trace is said to be one, before its table
        request = self._asked(origin=origin, gpus=table.handle, no_predictions=True, **_notes(notes))
        return _answer(_library.habitat_json_answer, ctypes.byref(request), None, False)

    def _asked(self, **fields: Any) -> _Request:
        return _Request(trace=self.handle, **fields)

    def predict(
        self,
        table: GpuTable,
        destinations: Sequence[ctypes.c_void_p],
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
        explain: bool = False,
        **beside: Any,
    ) -> Any:
        """The JSON of `habitat predict`, or of `habitat explain` for the first of `destinations` (handles).

        `beside`, here and below: notes, prices, batch_from and fastest_first of `_request`.
        """
        request = self._request(table, destinations, origin, wishes, **beside)
        by = None if wishes.by is None else _bytes(wishes.by)
        return _answer(_library.habitat_json_answer, ctypes.byref(request), by, explain)

    def report(
        self,
        table: GpuTable,
        destinations: Optional[Sequence[ctypes.c_void_p]],
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
        explain: bool = False,
        **beside: Any,
    ) -> str:
        """The page of `habitat predict --html`, or of `habitat explain --html`; without destinations of all GPUs."""
        request = self._request(table, destinations, origin, wishes, **beside)
        return _text(_library.habitat_html_answer, ctypes.byref(request), explain).decode("utf-8")

    def ask(
        self,
        table: GpuTable,
        destinations: Sequence[ctypes.c_void_p],
        origin: Optional[ctypes.c_void_p],
        wishes: Wishes,
        **beside: Any,
    ) -> Answer:
        """An answer to choose by."""
        return Answer(self._request(table, destinations, origin, wishes, **beside))

    def _request(
        self,
        table: GpuTable,
        destinations: Optional[Sequence[ctypes.c_void_p]],
        origin: Optional[ctypes.c_void_p],
        wishes: Wishes,
        notes: Sequence[str] = (),
        prices: Optional[Prices] = None,
        batch_from: Optional[TraceHandle] = None,
        fastest_first: bool = False,
    ) -> _Request:
        prices = prices or Prices(table)
        batches = wishes.batches or (() if wishes.batch is None else (wishes.batch,))
        numbers = wishes.gpu_counts or (() if wishes.gpu_count is None else (wishes.gpu_count,))
        return self._asked(
            origin=origin, gpus=table.handle, method=_method(wishes.method),
            destinations=None if destinations is None else (ctypes.c_void_p * len(destinations))(*destinations),
            destination_count=len(destinations or ()),
            **_notes(notes),
            assemble=ASSEMBLE[wishes.assemble], cpu_scale=wishes.cpu_scale or 0.0,
            prices=prices.handle,
            batch_sizes=(ctypes.c_uint64 * len(batches))(*batches) if batches else None, batch_size_count=len(batches),
            precision=PRECISIONS[wishes.precision],
            gpu_counts=(ctypes.c_uint32 * len(numbers))(*numbers) if numbers else None, gpu_counts_count=len(numbers),
            spot=wishes.spot, today=today(), steps=wishes.steps or 0.0, samples=wishes.samples or 0.0,
            batch_from=None if batch_from is None else batch_from.handle, fastest_first=fastest_first,
        )  # fmt: skip

    def export_chakra(
        self,
        table: GpuTable,
        destination: ctypes.c_void_p,
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
    ) -> bytes:
        """The Chakra execution trace of each GPU that shares the iteration: all are alike."""
        answer = Answer(self._request(table, [destination], origin, wishes))
        return _exported(_library.habitat_export_chakra, answer, "a Chakra trace")

    def export_timeline(
        self,
        table: GpuTable,
        destination: ctypes.c_void_p,
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
    ) -> bytes:
        """The Chrome trace of `habitat export --timeline`."""
        answer = Answer(self._request(table, [destination], origin, wishes))
        return _exported(_library.habitat_export_timeline, answer, "a timeline")


def _exported(function: Callable[..., int], answer: Answer, what: str) -> bytes:
    """What the library writes of an answer's first prediction, as it was replayed."""
    pieces = _Pieces()
    replay = _library.habitat_answer_replay(answer.handle)  # borrowed from the answer
    if not replay:
        raise refuse(f"{what} needs an iteration that was timed on a GPU")
    _call(function, replay, _library.habitat_answer_prediction(answer.handle, 0), pieces.write, None)
    return pieces.joined()


class RankHandles(TraceHandle):
    """Handles of the traces of ranks, which are asked about together; in any order."""

    def __init__(self, paths: Sequence[PathLike], reading: Reading = Reading()) -> None:
        self._all = [TraceHandle(path, reading) for path in paths]

    @property
    def handle(self) -> _Pointer:
        return self._all[0].handle

    def close(self) -> None:
        for trace in self._all:
            trace.close()

    def _asked(self, **fields: Any) -> _Request:
        held = [trace.handle for trace in self._all]
        ranks = (ctypes.c_void_p * len(held))(*held)
        request = super()._asked(ranks=ranks, rank_count=len(held), **fields)
        request.kept += held
        return request
