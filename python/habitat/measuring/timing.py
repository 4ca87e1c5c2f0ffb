"""Time of one call on the GPU: CUDA-graph replays where the call can be captured, else events around many calls."""

import statistics
import time

TARGET_MS = 4.0  # length of one timed run: long against the resolution of events, short against a budget
REPEATS = 5


class Timing:
    """`ms` is the median over `repeats` runs, `min_ms` the shortest; `how` is graph, event or wall."""

    def __init__(self, ms, min_ms, repeats, how):
        self.ms, self.min_ms, self.repeats, self.how = ms, min_ms, repeats, how


def measure(call, graph=True):
    """Times `call`; falls back from graph replay to events when the call cannot be captured."""
    import torch

    if not torch.cuda.is_available():
        return _on_cpu(call)
    for _ in range(2):
        call()
    torch.cuda.synchronize()
    rough_ms = _events(call, 3)
    calls = max(1, min(200, int(TARGET_MS / max(rough_ms, 1e-3))))
    if graph:
        try:
            replay = _captured(call, calls)
        except RuntimeError:
            torch.cuda.synchronize()
        else:
            times = [_events(replay, 1) / calls for _ in range(REPEATS + 1)][1:]
            return Timing(statistics.median(times), min(times), REPEATS, "graph")
    times = [_events(call, calls) for _ in range(REPEATS)]
    return Timing(statistics.median(times), min(times), REPEATS, "event")


def _captured(call, calls):
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    graph.replay()
    torch.cuda.synchronize()
    return graph.replay


def _events(call, calls):
    """ms of one call over `calls` of them, between two events."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / calls


def _on_cpu(call):
    call()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append((time.perf_counter() - begun) * 1e3)
    return Timing(statistics.median(times), min(times), REPEATS, "wall")
