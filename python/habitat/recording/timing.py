"""Time of unprofiled iterations: CUDA events on the GPU, a monotonic clock without one.

An event is recorded in the current stream at every boundary, and nothing waits between the first and the last:
timing adds no synchronisation to the iterations it times. Work of a script may run in streams that the boundary's stream does not
wait for; the events then come too soon. So the host's clock, read with the GPU idle before the first and
after the last iteration, checks their sum, and its mean stands in where the events miss a part.

Ten neighbours agree with each other even where the same iteration takes twice as long a minute later: on a host shared with
others, what the CPU gives changes that slowly. So iterations are timed in groups apart in time (later.py).

The first group alone is the step's time: once a profiler was in the process, each launch takes the CPU longer for good, and a step
that the CPU binds about 1.25 times as long. The groups after it share that, so they tell how far the host moved and no more.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable, Dict, List, Optional

LEAST_SHARE = 0.8  # of the host's time that the events must cover; else the host's clock is taken
MUCH_SPREAD = 0.1  # the groups' medians differ by more: the time of an iteration is not known better than that


class Stopwatch:
    """`start()`, `mark()` at the end of every iteration, `stop()` or `cut()`; then `laps_ms()` and `timer`."""

    def __init__(self, use_cuda: bool) -> None:
        self.timer = "cuda_event" if use_cuda else "perf_counter"
        self._cuda = use_cuda
        self._marks: List[Any] = []  # events of CUDA, or ns
        self._laps_ms: List[float] = []
        self.mean_ms = 0.0  # by the host's clock

    def start(self) -> None:
        self._wait()
        self._start_ns = time.perf_counter_ns()
        self.mark()

    def mark(self) -> None:
        self._marked_ns = time.perf_counter_ns()
        if self._cuda:
            import torch

            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._marks.append(event)
        else:
            self._marks.append(self._marked_ns)

    def stop(self) -> None:
        """Right after the last mark: the GPU's rest belongs to the timed iterations."""
        self._wait()
        self._finish(time.perf_counter_ns())

    def cut(self) -> None:
        """Some time after the last mark, at the end of the script: what came since is no iteration."""
        self._wait()
        self._finish(self._marked_ns)

    def _finish(self, end_ns: int) -> None:
        total_ms = (end_ns - self._start_ns) / 1e6
        pairs = list(zip(self._marks, self._marks[1:]))
        if not pairs:
            return
        self.mean_ms = total_ms / len(pairs)
        if self._cuda:
            self._laps_ms = [a.elapsed_time(b) for a, b in pairs]
        else:
            self._laps_ms = [(b - a) / 1e6 for a, b in pairs]
        if sum(self._laps_ms) < LEAST_SHARE * total_ms:
            self.timer = "host_clock_mean"
            self._laps_ms = [self.mean_ms]

    def laps_ms(self) -> List[float]:
        """Times of the iterations [ms]; one mean if `timer` is host_clock_mean."""
        return list(self._laps_ms)

    def _wait(self) -> None:
        if self._cuda:
            import torch

            torch.cuda.synchronize()


class Groups:
    """Groups of timed iterations: `open()`, `mark()` at the end of every iteration, `close()` or `cut()`."""

    def __init__(self, use_cuda: bool) -> None:
        self._cuda = use_cuda
        self._watches: List[Stopwatch] = []
        self._running: Any = None  # a Stopwatch between open() and close()

    def __len__(self) -> int:
        return len(self._watches)

    @property
    def timer(self) -> str:
        """Of all groups: where the events of one miss a part, the host's clock is taken for all."""
        timers = [watch.timer for watch in self._watches] or [Stopwatch(self._cuda).timer]
        return "host_clock_mean" if "host_clock_mean" in timers else timers[0]

    def open(self) -> None:
        self._running = Stopwatch(self._cuda)
        self._running.start()

    def mark(self) -> None:
        self._running.mark()

    def close(self) -> None:
        self._keep(Stopwatch.stop)

    def cut(self) -> None:
        """The script has ended: a group that was running keeps the iterations it has."""
        if self._running is not None:
            self._keep(Stopwatch.cut)

    def _keep(self, end: Callable[[Stopwatch], None]) -> None:
        watch, self._running = self._running, None
        end(watch)
        if watch.laps_ms():
            self._watches.append(watch)

    def times_ms(self) -> List[List[float]]:
        """A list of times a group."""
        if self.timer == "host_clock_mean":
            return [[watch.mean_ms] for watch in self._watches]
        return [watch.laps_ms() for watch in self._watches]


def spread(groups: List[List[float]]) -> Optional[float]:
    """How far apart the medians of the groups after the first lie, as a share of that of the first; None for fewer than two."""
    if len(groups) < 3:
        return None
    first, *later = (statistics.median(group) for group in groups)
    return (max(later) - min(later)) / first if first > 0 else None


def describe(groups: List[List[float]]) -> Dict[str, Any]:
    """What the habitat object says about groups of unprofiled iterations [ms]; the list is empty if none was timed."""
    times = sum(groups, [])
    apart = spread(groups)
    return {
        "iteration_ms": round(statistics.median(groups[0]), 6) if times else None,
        "iteration_ms_all": [round(t, 6) for t in times],
        "iteration_ms_groups": [len(group) for group in groups],
        "iteration_spread": round(apart, 4) if apart is not None else None,
    }


def groups_of(info: Dict[str, Any]) -> List[List[float]]:
    """The groups that a habitat object describes; all times are one where it does not say."""
    times = iter(info["iteration_ms_all"])
    return [[next(times) for _ in range(size)] for size in info.get("iteration_ms_groups") or [len(info["iteration_ms_all"])]]


def warning(info: Dict[str, Any]) -> Optional[str]:
    """One sentence if the groups of a habitat object differ by much, else None."""
    if (info["iteration_spread"] or 0) <= MUCH_SPREAD:
        return None
    medians = [statistics.median(group) for group in groups_of(info)]
    return (
        f"the time of an iteration moved by {100 * info['iteration_spread']:.0f} % while recording"
        f" ({', '.join(f'{m:.3f}' for m in medians[1:])} ms after profiling); iteration_ms is known no better than that:"
        " record again with nothing else running on this machine"
    )
