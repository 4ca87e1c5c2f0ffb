"""Time of unprofiled iterations: CUDA events on the GPU, a monotonic clock without one.

An event is recorded in the current stream at every boundary, and nothing waits between the first and the last:
timing adds no synchronisation to the iterations it times. Work of a script may run in streams that the boundary's stream does not
wait for; the events then come too soon. So the host's clock, read with the GPU idle before the first and
after the last iteration, checks their sum, and its mean stands in where the events miss a part.
"""

import time

LEAST_SHARE = 0.8  # of the host's time that the events must cover to be believed


class Stopwatch:
    """`start()`, `mark()` at the end of every iteration, `stop()`; then `laps_ms()` and `timer`."""

    def __init__(self, use_cuda):
        self.timer = "cuda_event" if use_cuda else "perf_counter"
        self._cuda = use_cuda
        self._marks = []
        self._laps_ms = []

    def start(self):
        self._wait()
        self._start_ns = time.perf_counter_ns()
        self.mark()

    def mark(self):
        if self._cuda:
            import torch

            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._marks.append(event)
        else:
            self._marks.append(time.perf_counter_ns())

    def stop(self):
        self._wait()
        total_ms = (time.perf_counter_ns() - self._start_ns) / 1e6
        pairs = list(zip(self._marks, self._marks[1:]))
        if self._cuda:
            self._laps_ms = [a.elapsed_time(b) for a, b in pairs]
        else:
            self._laps_ms = [(b - a) / 1e6 for a, b in pairs]
        if pairs and sum(self._laps_ms) < LEAST_SHARE * total_ms:
            self.timer = "host_clock_mean"
            self._laps_ms = [total_ms / len(pairs)]

    def laps_ms(self):
        """Times of the iterations [ms]; one mean if `timer` is host_clock_mean."""
        return list(self._laps_ms)

    def _wait(self):
        if self._cuda:
            import torch

            torch.cuda.synchronize()
