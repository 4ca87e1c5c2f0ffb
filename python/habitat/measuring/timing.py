"""Time of one call on the GPU: CUDA-graph replays where the call can be captured, else events around many calls."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from .operations import Launch

TARGET_MS = 4.0  # length of one timed run: long against the resolution of events, short against a budget
REPEATS = 5
MOST_CALLS = 200  # of one run


class Timing:
    """`ms` is the median over `repeats` runs, `min_ms` the shortest; `how` is graph, event or wall."""

    def __init__(self, ms: float, min_ms: float, repeats: int, how: str) -> None:
        self.ms, self.min_ms, self.repeats, self.how = ms, min_ms, repeats, how


def measure(
    make: Callable[[], Launch], graph: bool = True, target_ms: float = TARGET_MS, repeats: int = REPEATS, most_calls: int = MOST_CALLS
) -> Timing:
    """Times the callable that `make()` returns; falls back from graph replay to events when it cannot be captured.
    `repeats` runs of `target_ms`, of at most `most_calls` calls each.

    Made, warmed up and captured on one stream of its own: a gradient runs on the stream of its forward pass, and the
    default stream cannot be captured.
    """
    import torch

    if not torch.cuda.is_available():
        return _on_cpu(make())
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call = make()
        for _ in range(2):
            call()
        stream.synchronize()
        calls = max(1, min(most_calls, int(target_ms / max(_events(call, 3), 1e-3))))
        replay = _captured(call, calls, stream) if graph else None
        if replay:
            times = [_events(replay, 1) / calls for _ in range(repeats + 1)][1:]
            return Timing(statistics.median(times), min(times), repeats, "graph")
        times = [_events(call, calls) for _ in range(repeats)]
        return Timing(statistics.median(times), min(times), repeats, "event")


def _captured(call: Launch, calls: int, stream: Any) -> Optional[Launch]:
    """Replays `calls` calls as one graph; None if the call cannot be captured. The capture is always ended."""
    import torch

    graph = torch.cuda.CUDAGraph()
    failed = False
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        for _ in range(calls):
            call()
    except RuntimeError:
        failed = True
    try:
        graph.capture_end()
    except RuntimeError:
        failed = True
    stream.synchronize()
    if failed:
        return None
    replay: Launch = graph.replay
    replay()
    stream.synchronize()
    return replay


def _events(call: Launch, calls: int) -> float:
    """ms of one call over `calls` of them, between two events."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    ms: float = begin.elapsed_time(end)
    return ms / calls


def _on_cpu(call: Launch) -> Timing:
    call()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append((time.perf_counter() - begun) * 1e3)
    return Timing(statistics.median(times), min(times), REPEATS, "wall")
