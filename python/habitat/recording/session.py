"""One recording: a small state machine that moves on at every iteration boundary.

    warm-up -> timed, unprofiled -> observed (and profiler warm-up) -> profiled, written -> timed later, twice

The last iterations of the warm-up begin on an idle GPU: what the CPU takes for them alone is noted (clock.py).
Each state takes whole iterations. Should the repeating block of optimiser steps turn out to be another one than
thought, everything starts over from the warm-up; once the trace is written, that ends the recording instead.
The trace is whole from then on: later timings only replace its habitat object, and a script may end before them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Hashable, Optional, Tuple

from . import metadata, timing, tracefile
from .boundary import CycleFinder, open_source
from .clock import HostClock
from .errors import RecordError
from .footprint import Optimizers, footprint
from .later import LaterGroups, trains_together
from .observe import Observer
from .profiling import IterationProfiler
from .progress import Progress
from .timing import Groups

if TYPE_CHECKING:
    from .without_gpu import Pretence

CLOCKED = 3  # iterations of the warm-up, its last ones, in which the CPU's own time is taken


class Options:
    """What a user can choose about a recording; the defaults are those of `habitat record`."""

    def __init__(self, **given: Any) -> None:
        self.warmup = 5
        self.timed = 10  # in each group
        self.pause = 5.0  # seconds between the second and the third group
        self.iterations = 3
        self.boundary = "optimizer"
        self.modules = True
        self.compact = False
        self.allow_cpu = False
        self.pretence: Optional[Pretence] = None  # without_gpu.Pretence: the script believes in a GPU
        self.batch_size: Optional[int] = None
        self.model: Optional[str] = None
        self.command: Optional[str] = None  # None: that of this process; "": none is written
        self.quiet = False
        self.measuring = False  # the run for hardware counters: nothing is profiled or written (counters.py)
        for name, value in given.items():
            if not hasattr(self, name):
                raise TypeError(f"unknown option of a recording: {name}")
            setattr(self, name, value)

    @property
    def needed(self) -> int:
        """Iterations a script must run: the one more is where the profiler starts. Later groups take what there is."""
        return self.warmup + self.timed + 1 + self.iterations


def require_gpu(where: str, allow_cpu: bool, remedy: str) -> None:
    """RecordError if PyTorch is missing, or sees no GPU and none is not allowed; `remedy` is what allows it."""
    try:
        import torch
    except ImportError as error:
        what = f"PyTorch cannot be imported ({error}); install it into this Python: pip install torch"
        raise RecordError(where, what) from error
    if allow_cpu:
        return
    # Asking NVML leaves the CUDA runtime alone: the script may still choose devices or fork.
    before = os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK")
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    try:
        found = torch.cuda.is_available()
    finally:
        if before is None:
            del os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"]
        else:
            os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = before
    if not found:
        what = (
            f"PyTorch {torch.__version__} sees no GPU; record on a machine with one and a CUDA build of PyTorch"
            f" ({remedy} records the operations alone, to predict from)"
        )
        raise RecordError(where, what)


class Session:
    """Records iterations into `path`. `boundary()` is called where one iteration ends and the next begins."""

    def __init__(self, path: str, options: Options, where: str) -> None:
        self.path = os.path.abspath(path)  # the script may change its folder
        self.options = options
        self.where = where  # what error messages are about: the script
        self.iterations_seen = 0
        self.written = False  # there is a trace
        self.done = False  # and nothing left to do
        self.seen_batch_size: Optional[int] = None  # of what the model was given, whatever is said
        self.info: Dict[str, Any] = {}  # the habitat object, once it is written
        self._pid = os.getpid()
        self._progress = Progress(quiet=options.quiet)
        self._cycle = CycleFinder()
        # Each is there in its states only; which are, the state says.
        self._source: Any = None
        self._profiler: Any = None  # RecordedSteps
        self._observer: Any = None
        self._optimizers: Any = None
        self._groups: Any = None
        self._later: Any = None
        self._clock: Any = None
        self._memory: Optional[Dict[str, int]] = None
        self._seen_model: Tuple[Optional[str], Optional[int], Dict[str, Optional[str]], Optional[Dict[str, Any]]]
        self._busy = False
        self._reset()

    def open(self) -> None:
        self._source = open_source(self.options.boundary, self._on_event)
        if self.options.timed > 0 and not self.options.measuring:
            self._clock.look()

    def close(self) -> None:
        """Takes every hook out again; safe to call at any time and twice."""
        for part in (self._clock, self._source, self._profiler, self._observer, self._optimizers):  # what came last goes first
            if part is not None:
                part.remove()
        self._source = self._profiler = self._observer = self._optimizers = None
        self._progress.clear()

    def _reset(self) -> None:
        self.state = "warm-up"
        self._count = 0
        self._groups = self._later = None
        if self._clock is not None:
            self._clock.remove()
        self._clock = HostClock()
        if self._profiler is not None:
            self._profiler.remove()
        if self._observer is not None:
            self._observer.remove()
            self._optimizers.remove()
        self._profiler = self._observer = self._optimizers = None
        self._memory = None
        self._seen_model = (None, None, {}, None)

    def _on_event(self, key: Hashable) -> None:
        if self._busy or self.done or os.getpid() != self._pid:
            return
        ends, changed = self._cycle.push(key)
        if changed and self.written:
            self.end()
        elif changed:
            self._reset()
        if ends and not self.done:
            self.boundary()

    def end(self) -> None:
        """No iteration follows: a trace that is written gets what was timed since."""
        if not self.written or self.done or os.getpid() != self._pid:
            return
        try:
            self._groups.cut()
        except RuntimeError:  # the script broke the GPU's context: the groups before count
            pass
        self._complete()

    def boundary(self) -> None:
        self.iterations_seen += 1
        self._busy = True
        try:
            self._advance()
        finally:
            self._busy = False

    def _advance(self) -> None:
        options = self.options
        self._count += 1
        if self.state == "warm-up":
            self._progress.show(f"warm-up {self._count}/{options.warmup}")
            self._clock.end()
            if self._count >= options.warmup:
                self._clock.remove()
                self._start_timing()
            elif options.timed > 0:
                self._begin_clocked(self._count >= options.warmup - CLOCKED)
        elif self.state == "timing":
            self._groups.mark()
            self._progress.show(f"timing {self._count}/{options.timed}")
            if self._count >= options.timed:
                self._start_profiler()
        elif self.state == "profiling":
            self._profile_step()
        elif self.state == "timing later":
            over = self._later.advance()
            self._progress.show(self._later.progress)
            if over:
                self._complete()

    def _enter(self, state: str) -> None:
        self.state, self._count = state, 0

    def _begin_clocked(self, now: bool) -> None:
        """The iteration that begins here finds an idle GPU; one before them is looked at."""
        import torch

        if torch.cuda.is_initialized() and not self.options.measuring:
            self._clock.begin() if now else self._clock.look()

    def _start_timing(self) -> None:
        import torch

        if self.options.measuring:
            self.written = self.done = True
            return

        self._enter("timing")
        cuda = torch.cuda.is_initialized()
        if cuda:
            torch.cuda.reset_peak_memory_stats()
        self._groups = Groups(cuda)
        self._groups.open()
        if self.options.timed == 0:
            self._start_profiler()

    def _start_profiler(self) -> None:
        self._enter("profiling")
        self._groups.close()
        self._memory = _peak_memory()
        self._observer = Observer(getattr(self._source, "in_step", lambda: False))
        make = self.options.pretence.profiler if self.options.pretence else IterationProfiler
        self._profiler = make(self.options.iterations, self.options.modules)
        try:
            self._profiler.start()
        except RuntimeError as error:
            what = f"torch.profiler did not start ({_first_line(error)}); end other profilers in this process"
            raise RecordError(self.where, what) from error
        self._observer.start()
        self._optimizers = Optimizers()
        self._optimizers.start()

    def _profile_step(self) -> None:
        if self._count == 1:
            self._observer.remove()
            self._optimizers.remove()
            self._note_model()
        self._profiler.step()
        self._progress.show(f"profiling {self._profiler.recorded}/{self.options.iterations}")
        if self._profiler.done:
            self._write()

    def _note_model(self) -> None:
        model = self._observer.model()
        name = type(model).__name__ if model is not None else None
        batch_size = self._observer.batch_size((self._cycle.period or 1) == 1)
        kept = footprint(self._observer.modules(), self._optimizers.found())
        self._seen_model = (name, batch_size, self._observer.precision(), kept)

    def _write(self) -> None:
        self._progress.show("writing the trace")
        with tracefile.Scratch(self.path) as scratch:
            self._profiler.export(scratch)
            trace = tracefile.load_export(scratch, self.path)
        self._profiler.remove()
        name, batch_size, precision, kept = self._seen_model
        self.seen_batch_size = batch_size
        if self.options.pretence:
            self._memory = self._profiler.peak_memory()
        self.info = finish(
            trace, self.path, self.options, self.where,
            times_ms=self._groups.times_ms(), clock=self._clock, timer=self._groups.timer if self.options.timed else None, model=name,
            batch_size=batch_size, memory=self._memory, boundary=self.options.boundary, iterations=self.options.iterations,
            precision=precision, kept=kept,
        )  # fmt: skip
        self.written = True
        if self.options.timed == 0:
            self.done = True
            self._progress.clear()
            return
        self._later = LaterGroups(self._groups, self.options.timed, self.options.pause, trains_together())
        self._enter("timing later")

    def _complete(self) -> None:
        self.done = True
        if len(self._groups) > 1:
            self.info.update(timing.describe(self._groups.times_ms()), timer=self._groups.timer)
            tracefile.replace_about(self.path, self.info)
        self._progress.clear()


def finish(
    trace: Dict[str, Any],
    path: str,
    options: Options,
    where: str,
    *,
    model: Optional[str],
    batch_size: Optional[int],
    **facts: Any,
) -> Dict[str, Any]:
    """Adds the habitat object to a trace and writes it; returns the object."""
    if tracefile.count_gpu_work(trace) == 0 and not options.allow_cpu:
        what = "no kernel ran on the GPU in the recorded iterations; move the model and its data to the GPU"
        raise RecordError(where, what)
    info = metadata.describe(
        model=options.model or model,
        batch_size=options.batch_size if options.batch_size is not None else batch_size,
        command=options.command,
        **facts,
    )
    if tracefile.count_gpu_work(trace) == 0:
        info["recorded_without_gpu"] = True
        info.update(metadata.precision_settings())
        info.update(options.pretence.facts() if options.pretence else {})
    trace["habitat"] = info
    trace.pop("traceName", None)  # the path of a temporary file
    if options.compact:
        from .strip import compact

        trace = compact(trace)
    tracefile.write(trace, path)
    return info


def _peak_memory() -> Optional[Dict[str, int]]:
    import torch

    if not torch.cuda.is_initialized():
        return None
    return {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or ["unknown"])[0]
