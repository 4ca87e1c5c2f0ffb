"""Recording from inside a program: a `with` block, or a function that runs one step."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import Any, Callable, Dict, Iterator, Optional, Union

from . import tracefile
from .errors import RecordError
from .footprint import Optimizers, footprint
from .observe import Observer
from .profiling import BlockProfiler
from .session import Options, Session, finish, require_gpu
from .timing import warning


@contextlib.contextmanager
def record(
    path: Union[str, os.PathLike[str]],
    *,
    batch_size: Optional[int] = None,
    model: Optional[str] = None,
    compact: bool = False,
    modules: bool = True,
    allow_cpu: bool = False,
    command: Optional[str] = None,
) -> Iterator[None]:
    """Records the block as one iteration into `path` (`.json` or `.json.gz`).

    The block runs once, under the profiler: its unprofiled time is not known, so the trace's `iteration_ms` is null.
    Run it after a few warm-up steps; `record_iterations` times unprofiled steps as well.
    """
    options = Options(
        batch_size=batch_size, model=model, compact=compact, modules=modules, allow_cpu=allow_cpu, command=command
    )
    path = _prepare(path, allow_cpu)
    observer, optimizers, profiler = Observer(), Optimizers(), BlockProfiler(modules)
    profiler.start()
    observer.start()
    optimizers.start()
    try:
        yield
    finally:
        optimizers.remove()
        observer.remove()
        profiler.stop()
    with tracefile.Scratch(path) as scratch:
        profiler.export(scratch)
        trace = tracefile.load_export(scratch, path)
    seen = observer.model()
    finish(
        trace, path, options, path, times_ms=[], iterations=1, boundary="block",
        model=type(seen).__name__ if seen is not None else None, batch_size=observer.batch_size(),
        precision=observer.precision(), kept=footprint(observer.modules(), optimizers.found()),
    )  # fmt: skip


def record_iterations(
    step: Callable[[], Any],
    *,
    path: Union[str, os.PathLike[str]] = "step.json.gz",
    iterations: int = 3,
    warmup: int = 5,
    timed: int = 10,
    batch_size: Optional[int] = None,
    model: Optional[str] = None,
    compact: bool = False,
    modules: bool = True,
    allow_cpu: bool = False,
    command: Optional[str] = None,
    pause: float = 5.0,
) -> Dict[str, Any]:
    """Calls `step()` warmup + timed + 1 + iterations times and writes a trace of the last `iterations` calls.

    Then times up to `timed` calls twice more, with `pause` seconds of calls in between. A `step()` that raises ends
    that early; the trace stays.
    Returns the `habitat` object of the trace: `iteration_ms` (median of the calls timed before profiling), `peak_memory_bytes`, ...
    Warns (RuntimeWarning) if the two groups of timed calls after it differ by more than 10 %.
    """
    for name, value, least in (("iterations", iterations, 1), ("warmup", warmup, 1), ("timed", timed, 0)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} is {value!r}, must be a whole number of {least} or more")
    if not 0 <= pause <= 3600:
        raise ValueError(f"pause is {pause!r}, must be from 0 to 3600 seconds")
    options = Options(
        warmup=warmup, timed=timed, iterations=iterations, batch_size=batch_size, model=model, compact=compact,
        modules=modules, allow_cpu=allow_cpu, boundary="mark", command=command, pause=pause,
    )  # fmt: skip
    path = _prepare(path, allow_cpu)
    session = Session(path, options, path)
    try:
        while not session.done:
            step()
            session.boundary()
    except BaseException:
        session.end()
        raise
    finally:
        session.close()
    if warning(session.info):
        warnings.warn(f"{path}: {warning(session.info)}", RuntimeWarning, stacklevel=2)
    return session.info


def _prepare(path: Union[str, os.PathLike[str]], allow_cpu: bool) -> str:
    name = tracefile.rank_path(str(path))
    tracefile.check_writable(name)
    require_gpu(name, allow_cpu, "allow_cpu=True")
    return name


__all__ = ["RecordError", "record", "record_iterations"]
