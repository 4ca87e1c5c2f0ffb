"""How an iteration is to be predicted: one bundle, checked once, from a call of the user's to the C request."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

ASSEMBLE = {"replay": 0, "sum": 1}  # habitat_assemble of include/habitat/predict.h; 0 is as usual
PRECISIONS = {"recorded": 0, "fp32": 1, "tf32": 2, "amp-fp16": 3, "amp-bf16": 4}  # habitat_precision
_MOST_GPUS = 65536
_LARGEST = 2**64 - 1  # C's counts would begin again at 0 beyond


@dataclass(frozen=True)
class Wishes:
    """What can be asked of an iteration. The defaults are those of `habitat predict`; a wish that cannot be is a ValueError.

    A new one is a field here, its check, and a line in `_native.TraceHandle._request`.
    """

    method: str = "auto"
    by: Optional[str] = None
    assemble: str = "replay"
    cpu_scale: float = 1.0
    batch: Optional[int] = None
    precision: str = "recorded"
    gpu_count: Optional[int] = 1  # None: as many as were recorded
    spot: bool = False
    steps: Optional[float] = None  # iterations of the whole training
    samples: Optional[float] = None  # the same in samples

    def __post_init__(self) -> None:
        if self.assemble not in ASSEMBLE:
            raise ValueError(f'assemble is "sum" or "replay", not {self.assemble!r}')
        if not 0 < self.cpu_scale < math.inf:
            raise ValueError(f"cpu_scale must be more than 0, not {self.cpu_scale!r}")
        if self.batch is not None and not _counts(self.batch, _LARGEST):
            raise ValueError(f"batch is a whole number from 1 on, not {self.batch!r}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is one of {', '.join(PRECISIONS)}, not {self.precision!r}")
        if self.gpu_count is not None and not _counts(self.gpu_count, _MOST_GPUS):
            raise ValueError(f"gpu_count must be 1 to {_MOST_GPUS}, not {self.gpu_count!r}")
        if self.by is not None and (self.batch is not None or self.precision != "recorded"):
            raise ValueError("by shows the recorded iteration; leave out batch and precision")
        check_positive("steps", self.steps)
        check_positive("samples", self.samples)
        if self.steps is not None and self.samples is not None:
            raise ValueError("samples does not go with steps; give one")


def check_positive(name: str, value: object) -> None:
    """ValueError unless it is None or a number that C does not take for no limit or none at all."""
    fine = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf
    if value is not None and not fine:
        raise ValueError(f"{name} is a number above 0, not {value!r}")


def _counts(value: object, most: int) -> bool:
    """Whether it is a whole number from 1 to `most`; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
