"""Recording from inside a program: a `with` block, or a function that runs one step."""

import contextlib
import warnings

from . import tracefile
from .errors import RecordError
from .footprint import Optimizers, footprint
from .observe import Observer
from .profiling import BlockProfiler
from .session import Options, Session, finish, require_gpu
from .timing import warning


@contextlib.contextmanager
def record(path, *, batch_size=None, model=None, compact=False, modules=True, allow_cpu=False, command=None):
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


def record_iterations(step, *, path="step.json.gz", iterations=3, warmup=5, timed=10, batch_size=None, model=None,
                      compact=False, modules=True, allow_cpu=False, command=None, pause=5.0):  # fmt: skip
    """Calls `step()` warmup + timed + 1 + iterations times and writes a trace of the last `iterations` calls.

    Then times up to `timed` calls twice more, with `pause` seconds of calls in between. A `step()` that raises ends
    that early; the trace stays.
    Returns the `habitat` object of the trace: `iteration_ms` (median of the timed calls), `peak_memory_bytes`, ...
    Warns (RuntimeWarning) if the three groups of timed calls differ by more than 10 %.
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


def _prepare(path, allow_cpu):
    path = tracefile.rank_path(str(path))
    tracefile.check_writable(path)
    require_gpu(path, allow_cpu)
    return path


__all__ = ["RecordError", "record", "record_iterations"]
