"""libhabitat through ctypes: its functions and structures as the public headers have them, calls that raise one exception, memory that is freed once."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from pathlib import Path
from typing import Any, Callable, Optional, Tuple, Union


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


class Error(ctypes.Structure):
    _fields_ = [  # habitat_error of include/habitat/status.h
        ("code", ctypes.c_int),
        ("message", ctypes.c_char * 384),
        ("file", ctypes.c_char * 256),
        ("byte", ctypes.c_uint64),
        ("line", ctypes.c_uint64),
        ("index", ctypes.c_size_t),
    ]


class Skipped(ctypes.Structure):
    _fields_ = [  # habitat_gpu_skipped of include/habitat/gpu.h
        ("file", ctypes.c_char_p),
        ("gpu", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("status", ctypes.c_int),
    ]


class Request(ctypes.Structure):
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
        ("sharded", ctypes.c_bool),
        ("totals", ctypes.c_bool),
        ("fastest_first", ctypes.c_bool),
        ("cpu_scale_doubt", ctypes.c_double),
        ("cpu_scale_of_middle", ctypes.c_bool),
    ]

    def __init__(self, **fields: Any) -> None:
        super().__init__(size_bytes=ctypes.sizeof(type(self)), **fields)
        self.kept = list(fields.values())  # ctypes holds the addresses only: what they point to lives as long


class ReadOptions(ctypes.Structure):
    _fields_ = [  # habitat_read_options of include/habitat/trace.h
        ("range", ctypes.c_char_p),
        ("iterations", ctypes.c_size_t),
        ("without_gpu", ctypes.c_bool),
        ("batch_size", ctypes.c_uint64),
    ]


# habitat_export_write and habitat_write of include/habitat/export.h and report.h
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class ChoiceOptions(ctypes.Structure):
    _fields_ = [  # habitat_choice_options of include/habitat/choose.h
        ("objective", ctypes.c_int),
        ("max_usd_per_hour", ctypes.c_double),
        ("deadline_hours", ctypes.c_double),
        ("must_fit", ctypes.c_bool),
        ("other_vendors", ctypes.c_bool),
        ("vendor", ctypes.c_char_p),
    ]


class ReportOptions(ctypes.Structure):
    _fields_ = [  # habitat_report_options of include/habitat/report.h
        ("format", ctypes.c_int),
        ("by", ctypes.c_int),
        ("top", ctypes.c_size_t),
        ("width", ctypes.c_uint),
        ("colour", ctypes.c_bool),
        ("write", WRITE),
        ("context", ctypes.c_void_p),
        ("shorten", ctypes.c_bool),
        ("sort", ctypes.c_char_p),
        ("columns", ctypes.POINTER(ctypes.c_char_p)),
        ("column_count", ctypes.c_size_t),
        ("vendor", ctypes.c_char_p),
        ("min_memory_bytes", ctypes.c_double),
        ("since", ctypes.c_char_p),
    ]


REPORT_JSON, REPORT_HTML = 1, 3  # habitat_report_format


def _load() -> ctypes.CDLL:
    """libhabitat of this package; HABITAT_LIBRARY names another one (a build tree, a system install)."""
    beside = Path(__file__).parent / "_lib" / "libhabitat.so"
    path = os.environ.get("HABITAT_LIBRARY") or (str(beside) if beside.exists() else "libhabitat.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as why:
        raise ImportError(f"{path}: {why}; run `pip install .` in a checkout, or set HABITAT_LIBRARY") from why
    error, text = ctypes.POINTER(Error), ctypes.POINTER(ctypes.c_void_p)
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
        ("habitat_gpu_skipped_files", ctypes.POINTER(Skipped), [handle, ctypes.POINTER(ctypes.c_size_t)]),
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
         [ctypes.POINTER(handle), ctypes.POINTER(ctypes.c_double), ctypes.c_size_t, ctypes.POINTER(ChoiceOptions),
          ctypes.POINTER(handle), error]),
        ("habitat_choice_free", None, [handle]),
        ("habitat_report_choice", ctypes.c_int, [handle, ctypes.POINTER(ReportOptions), error]),
        ("habitat_trace_read_with", ctypes.c_int,
         [name, ctypes.POINTER(ReadOptions), ctypes.POINTER(handle), error]),
        ("habitat_trace_free", None, [handle]),
        ("habitat_method_from_name", ctypes.c_int, [name, ctypes.POINTER(ctypes.c_int), error]),
        ("habitat_json_gpus", ctypes.c_int, [handle, handle, text, error]),
        ("habitat_json_answer", ctypes.c_int, [ctypes.POINTER(Request), name, ctypes.c_bool, text, error]),
        ("habitat_json_operation", ctypes.c_int,
         [ctypes.POINTER(Request), name, name, name, name, text, error]),
        ("habitat_html_answer", ctypes.c_int, [ctypes.POINTER(Request), ctypes.c_bool, text, error]),
        ("habitat_json_free", None, [handle]),
        ("habitat_ask", ctypes.c_int, [ctypes.POINTER(Request), ctypes.POINTER(handle), error]),
        ("habitat_answer_replay", handle, [handle]),
        ("habitat_answer_prediction", handle, [handle, ctypes.c_size_t]),
        ("habitat_answer_free", None, [handle]),
        ("habitat_export_chakra", ctypes.c_int, [handle, handle, WRITE, ctypes.c_void_p, error]),
        ("habitat_export_timeline", ctypes.c_int, [handle, handle, WRITE, ctypes.c_void_p, error]),
    ):  # fmt: skip
        entry = getattr(library, function)
        entry.restype, entry.argtypes = result, arguments
    return library


library = _load()


def version() -> str:
    text: bytes = library.habitat_version()
    return text.decode()


def refuse(message: str, file: Optional[str] = None) -> HabitatError:
    number = 1  # HABITAT_E_ARG of include/habitat/status.h, pinned there
    return HabitatError(message, library.habitat_status_name(number).decode(), number, file)


def encoded(text: Union[str, bytes]) -> bytes:
    """What C takes: it would silently end at a NUL."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if b"\0" in data:
        raise refuse(f"{text!r} holds a NUL character; no name or path has one")
    return data


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls and raises HabitatError unless the status is HABITAT_OK."""
    error = Error()
    number = function(*arguments, ctypes.byref(error))
    if number:
        unknown = 2**64 - 1
        raise HabitatError(
            error.message.decode("utf-8", "replace"), library.habitat_status_name(number).decode(), number,
            error.file.decode("utf-8", "replace") or None, error.line or None,
            None if error.byte == unknown else error.byte,
        )  # fmt: skip


def method_number(name: str) -> int:
    method = ctypes.c_int()
    call(library.habitat_method_from_name, encoded(name), ctypes.byref(method))
    return method.value


def text_of(function: Callable[..., int], *arguments: Any) -> bytes:
    text = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text.value or 0)
    finally:
        library.habitat_json_free(text)


def json_of(function: Callable[..., int], *arguments: Any) -> Any:
    return json.loads(text_of(function, *arguments))


class Pointer(ctypes.c_void_p):
    """Of something of the library, which is freed with the last reference to this object: whoever calls with it, holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: Tuple[Any, ...] = ()  # what must outlive it

    def own(self, free: Callable[[Any], None]) -> None:
        # At exit the system takes all memory back, and a thread that is still asking must not lose its own.
        weakref.finalize(self, free, self.value).atexit = False


class Handle:
    """Something of the library that is freed once: by close(), or when nobody uses it any more.

    Calls of other threads that are under way keep it until they end: the last one frees it.
    """

    def __init__(self, free: Callable[[Any], None], what: str) -> None:
        self._pointer: Optional[Pointer] = None
        self._free, self._what = free, what

    def _own(self, pointer: Pointer, *kept: Any) -> None:
        """To be called by `__init__` with what the library made."""
        pointer.kept = kept
        pointer.own(self._free)
        self._pointer = pointer

    @property
    def handle(self) -> Pointer:
        pointer = self._pointer
        if pointer is None:
            raise refuse(f"{self._what} is closed")
        return pointer

    def close(self) -> None:
        self._pointer = None


class Pieces:
    """Receives what the library writes piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.write = WRITE(self._keep)

    def _keep(self, _: Optional[int], data: int, size: int) -> int:
        self._pieces.append(ctypes.string_at(data, size))
        return 0

    def joined(self) -> bytes:
        return b"".join(self._pieces)
