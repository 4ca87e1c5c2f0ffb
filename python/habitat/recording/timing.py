"""Time of unprofiled iterations: CUDA events on the GPU, a monotonic clock without one.

An event is recorded in the current stream at every boundary and nothing waits for it until all are in:
timing adds no synchronisation to the iterations it times.
"""

import time


class Stopwatch:
    """Marks boundaries; `laps_ms()` gives the times between them, in milliseconds."""

    def __init__(self, use_cuda):
        self.use_cuda = use_cuda
        self._marks = []

    def mark(self):
        if self.use_cuda:
            import torch

            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._marks.append(event)
        else:
            self._marks.append(time.perf_counter_ns())

    def __len__(self):
        return max(0, len(self._marks) - 1)

    def laps_ms(self):
        pairs = list(zip(self._marks, self._marks[1:]))
        if not self.use_cuda:
            return [(b - a) / 1e6 for a, b in pairs]
        if self._marks:
            self._marks[-1].synchronize()
        return [a.elapsed_time(b) for a, b in pairs]
