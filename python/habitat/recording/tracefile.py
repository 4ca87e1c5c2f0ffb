"""From the profiler's export to the finished trace file, written whole or not at all.

The output appears by a rename after everything is in it; whatever goes wrong before leaves no file behind.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from typing import Any, Dict, Iterable, Mapping

from .errors import RecordError

# A trace and one event of it, as JSON has them.
Trace = Dict[str, Any]
Event = Dict[str, Any]

GPU_WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def rank_path(path: str, environ: Mapping[str, str] = os.environ) -> str:
    """`step.json.gz` as `step.rank3.json.gz` for rank 3 of several processes (torchrun's RANK, WORLD_SIZE)."""
    rank, world = environ.get("RANK", ""), environ.get("WORLD_SIZE", "")
    if not (rank.isdigit() and world.isdigit() and int(world) > 1):
        return path
    folder, name = os.path.split(path)
    for ending in (".json.gz", ".json", ".gz"):
        if name.endswith(ending) and name != ending:
            return os.path.join(folder, f"{name[: -len(ending)]}.rank{rank}{ending}")
    return os.path.join(folder, f"{name}.rank{rank}")


def check_writable(path: str) -> None:
    """Raises RecordError now if `path` could not be written later."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise RecordError(path, "is a folder; give the name of a file with -o")
    if os.path.exists(path) and not os.path.isfile(path):  # a rename would replace a device, too
        raise RecordError(path, "is no file; choose another output with -o")
    if not os.path.isdir(folder):
        raise RecordError(path, "its folder does not exist; create it, or choose another output with -o")
    try:
        handle, name = tempfile.mkstemp(prefix=".habitat-", dir=folder)
    except OSError as error:
        raise RecordError(path, f"cannot be written ({error.strerror}); choose another output with -o") from error
    os.close(handle)
    os.unlink(name)


class Scratch:
    """A hidden temporary file next to the output, gone at the end of the `with` block."""

    def __init__(self, output: str) -> None:
        self._output = output

    def __enter__(self) -> str:
        folder = os.path.dirname(self._output) or "."
        try:
            handle, self.path = tempfile.mkstemp(prefix=".habitat-", suffix=".json", dir=folder)
        except OSError as error:
            raise _write_error(self._output, error) from error
        os.close(handle)
        return self.path

    def __exit__(self, *unused: Any) -> None:
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            pass


def load_export(path: str, output: str) -> Trace:
    """The trace that the profiler wrote to `path`; RecordError if it is cut short."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            trace: Trace = json.load(stream)
    except (OSError, ValueError) as error:
        what = "the profiler's trace was not written in full; free some disk space and record again"
        raise RecordError(output, what) from error
    if not isinstance(trace.get("traceEvents"), list):
        raise RecordError(output, "the profiler's trace holds no events; record again with a newer PyTorch")
    return trace


def read(path: str) -> Trace:
    """The trace at `path`, compressed or not; RecordError if it cannot be read."""
    try:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else open(path, "rb") as stream:
            trace: Trace = json.load(stream)
            return trace
    except (OSError, EOFError, ValueError) as error:
        raise RecordError(path, f"cannot be read ({error})", 3) from error


def count_gpu_work(trace: Dict[str, Any]) -> int:
    """Kernels, copies and sets in a trace."""
    return sum(1 for event in trace["traceEvents"] if event.get("cat") in GPU_WORK)


def write(trace: Dict[str, Any], path: str) -> None:
    """Writes `trace` to `path`, compressed if the name ends in .gz: a temporary file, then a rename."""
    _replace(path, [_encode(trace)])


def replace_about(path: str, about: Dict[str, Any]) -> None:
    """Puts another habitat object into a trace that `write` made; the events are copied as they are."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as source:
            head = json.loads(source.readline().rstrip(b",\n") + b"}")
            _replace(path, [_head({**head, "habitat": about}), *iter(lambda: source.read(1 << 20), b"")])
    except (OSError, EOFError, ValueError) as error:
        raise RecordError(path, f"was changed while the script ran on ({error}); record again") from error


def _replace(path: str, chunks: Iterable[bytes]) -> None:
    with Scratch(path) as scratch:
        try:
            with open(scratch, "wb") as raw:
                if path.endswith(".gz"):
                    # No name and no time in the header: the same trace gives the same bytes.
                    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as packed:
                        packed.writelines(chunks)
                else:
                    raw.writelines(chunks)
                raw.flush()
                os.fsync(raw.fileno())
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(scratch, 0o666 & ~umask)
            os.replace(scratch, path)
        except OSError as error:
            raise _write_error(path, error) from error


def _encode(trace: Dict[str, Any]) -> bytes:
    """One event a line: `zcat | grep` works."""
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in trace["traceEvents"])
    return _head(trace) + f'"traceEvents":[\n{lines}\n]}}\n'.encode()


def _head(trace: Dict[str, Any]) -> bytes:
    """Everything but the events, on one line. The habitat object comes first, where a reader finds it at once."""
    head = {key: value for key, value in trace.items() if key != "traceEvents"}
    if "habitat" in head:
        head = {"habitat": head.pop("habitat"), **head}
    opening = json.dumps(head, separators=(",", ":"))[:-1]
    return f"{opening}{',' if head else ''}\n".encode()


def _write_error(path: str, error: OSError) -> RecordError:
    remedy = "free some disk space and record again" if error.errno == 28 else "choose another output with -o"
    return RecordError(path, f"cannot be written ({error.strerror}); {remedy}")
