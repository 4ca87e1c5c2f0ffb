"""The C library through ctypes: opaque handles, JSON texts, one exception. No arithmetic here."""

import ctypes
import json
import os
import weakref
from pathlib import Path


class HabitatError(Exception):
    """What the library refused, with its `status` name and number, `file`, `line` and `byte` where known."""

    def __init__(self, message, status, number, file=None, line=None, byte=None):
        super().__init__(f"{file}: {message}" if file else message)
        self.status, self.number, self.file, self.line, self.byte = status, number, file, line, byte


class _Error(ctypes.Structure):
    _fields_ = [  # habitat_error of include/habitat/status.h
        ("code", ctypes.c_int),
        ("message", ctypes.c_char * 384),
        ("file", ctypes.c_char * 256),
        ("byte", ctypes.c_uint64),
        ("line", ctypes.c_uint64),
        ("index", ctypes.c_size_t),
    ]


class _Question(ctypes.Structure):
    _fields_ = [  # habitat_question of include/habitat/answer.h
        ("origin", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("destinations", ctypes.POINTER(ctypes.c_void_p)),
        ("method", ctypes.c_char_p),
        ("by", ctypes.c_char_p),
        ("explain", ctypes.c_bool),
        ("warning_count", ctypes.c_size_t),
        ("warnings", ctypes.POINTER(ctypes.c_char_p)),
    ]


def _load():
    """libhabitat of this package; HABITAT_LIBRARY names another one (a build tree, a system install)."""
    beside = Path(__file__).parent / "_lib" / "libhabitat.so"
    path = os.environ.get("HABITAT_LIBRARY") or (str(beside) if beside.exists() else "libhabitat.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{path}: {error}; run `pip install .` in a checkout, or set HABITAT_LIBRARY") from error
    error, text = ctypes.POINTER(_Error), ctypes.POINTER(ctypes.c_void_p)
    handle, name = ctypes.c_void_p, ctypes.c_char_p
    for function, result, arguments in (
        ("habitat_version", name, []),
        ("habitat_status_name", name, [ctypes.c_int]),
        ("habitat_gpu_user_dir", ctypes.c_int, [ctypes.c_char_p, ctypes.c_size_t]),
        ("habitat_gpu_table_create", ctypes.c_int, [name, ctypes.POINTER(handle), error]),
        ("habitat_gpu_table_add_file", ctypes.c_int, [handle, name, ctypes.POINTER(handle), error]),
        ("habitat_gpu_table_free", None, [handle]),
        ("habitat_gpu_count", ctypes.c_size_t, [handle]),
        ("habitat_gpu_at", handle, [handle, ctypes.c_size_t]),
        ("habitat_gpu_find", ctypes.c_int,
         [handle, name, ctypes.POINTER(handle), ctypes.POINTER(ctypes.c_bool), error]),
        ("habitat_trace_read", ctypes.c_int, [name, ctypes.POINTER(handle), error]),
        ("habitat_trace_free", None, [handle]),
        ("habitat_answer_gpus", ctypes.c_int, [handle, handle, text, error]),
        ("habitat_answer_trace", ctypes.c_int, [handle, handle, text, error]),
        ("habitat_answer_prediction", ctypes.c_int, [handle, handle, ctypes.POINTER(_Question), text, error]),
        ("habitat_answer_free", None, [handle]),
    ):  # fmt: skip
        entry = getattr(library, function)
        entry.restype, entry.argtypes = result, arguments
    return library


_library = _load()


def version():
    return _library.habitat_version().decode()


def _call(function, *arguments):
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


def _answer(function, *arguments):
    text = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(text))
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        _library.habitat_answer_free(text)


class GpuTable:
    """Handle of the GPU table: the built-in GPUs, the user's own, and `files`."""

    def __init__(self, files=()):
        folder = ctypes.create_string_buffer(4096)
        known = _library.habitat_gpu_user_dir(folder, len(folder)) == 0
        self._handle = ctypes.c_void_p()
        _call(_library.habitat_gpu_table_create, folder.value if known else None, ctypes.byref(self._handle))
        self._finalizer = weakref.finalize(self, _library.habitat_gpu_table_free, self._handle)
        for file in files:
            _call(_library.habitat_gpu_table_add_file, self._handle, os.fsencode(file), None)

    def find(self, name):
        """(handle of the GPU, whether `name` is an alias)."""
        gpu, alias = ctypes.c_void_p(), ctypes.c_bool()
        _call(_library.habitat_gpu_find, self._handle, str(name).encode(), ctypes.byref(gpu), ctypes.byref(alias))
        return gpu, alias.value

    def all(self):
        count = _library.habitat_gpu_count(self._handle)
        return [ctypes.c_void_p(_library.habitat_gpu_at(self._handle, i)) for i in range(count)]

    def describe(self, gpu=None):
        """The JSON of `habitat gpus`, of one handle or of all."""
        return _answer(_library.habitat_answer_gpus, self._handle, gpu)


class TraceHandle:
    """Handle of a trace that has been read."""

    def __init__(self, path):
        self._handle = ctypes.c_void_p()
        _call(_library.habitat_trace_read, os.fsencode(path), ctypes.byref(self._handle))
        self._finalizer = weakref.finalize(self, _library.habitat_trace_free, self._handle)

    def describe(self, table):
        """The JSON of `habitat info`."""
        return _answer(_library.habitat_answer_trace, table._handle, self._handle)

    def predict(self, table, destinations, origin=None, method="auto", by=None, explain=False, warnings=()):
        """The JSON of `habitat predict`, or of `habitat explain` for the first of `destinations` (handles)."""
        question = _Question(
            origin, len(destinations), (ctypes.c_void_p * len(destinations))(*destinations), method.encode(),
            by.encode() if by else None, explain, len(warnings),
            (ctypes.c_char_p * len(warnings))(*(warning.encode() for warning in warnings)),
        )  # fmt: skip
        return _answer(_library.habitat_answer_prediction, table._handle, self._handle, ctypes.byref(question))
