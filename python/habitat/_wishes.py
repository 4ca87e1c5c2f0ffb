"""How an iteration is to be predicted: one bundle, checked once, from a call of the user's to the C request."""

from __future__ import annotations

import math
import numbers
import operator
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Tuple, Union

ASSEMBLE = {"replay": 0, "sum": 1}  # habitat_assemble of include/habitat/predict.h; 0 is as usual
PRECISIONS = {"recorded": 0, "fp32": 1, "tf32": 2, "amp-fp16": 3, "amp-bf16": 4}  # habitat_precision
_MOST_GPUS = 65536
_LARGEST = 2**64 - 1  # C's counts would begin again at 0 beyond

# What several of are compared: one, or each of these.
Counts = Union[int, Iterable[int], None]


@dataclass(frozen=True)
class Wishes:
    """What can be asked of an iteration. The defaults are those of `habitat predict`; a wish that cannot be is a ValueError.

    A new one is a field here, its check, and a line in `_native.TraceHandle._request`.
    """

    method: str = "auto"
    by: Optional[str] = None
    assemble: str = "replay"
    cpu_scale: Optional[float] = None  # nobody says how quick the host of another GPU is
    batch: Optional[int] = None
    precision: str = "recorded"
    gpu_count: Optional[int] = None  # as many as were recorded
    spot: bool = False
    steps: Optional[float] = None  # iterations of the whole training
    samples: Optional[float] = None  # the same in samples
    batches: Tuple[int, ...] = ()  # in place of `batch`
    gpu_counts: Tuple[int, ...] = ()  # in place of `gpu_count`
    sharded: bool = False  # these keep weights, gradients and states in parts

    def __post_init__(self) -> None:
        if self.assemble not in ASSEMBLE:
            raise ValueError(f'assemble is "sum" or "replay", not {self.assemble!r}')
        if self.cpu_scale is not None and not 0 < self.cpu_scale < math.inf:
            raise ValueError(f"cpu_scale must be more than 0, not {self.cpu_scale!r}")
        for name, of, most, what in (
            ("batch", "batches", _LARGEST, "is a whole number from 1 on"),
            ("gpu_count", "gpu_counts", _MOST_GPUS, f"must be 1 to {_MOST_GPUS}"),
        ):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _count(name, getattr(self, name), most, what))
            counts = dict.fromkeys(_count(name, one, most, what) for one in getattr(self, of))  # each once
            object.__setattr__(self, of, tuple(counts))
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is one of {', '.join(PRECISIONS)}, not {self.precision!r}")
        if self.by is not None and (self.batch is not None or self.batches or self.precision != "recorded"):
            raise ValueError("by shows the recorded iteration; leave out batch and precision")
        if self.sharded and max(self.gpu_counts or (self.gpu_count or 1,)) < 2:
            raise ValueError("sharded: say among how many GPUs, gpu_count of 2 or more")
        if self.by == "":
            raise ValueError('by names what to split by, not ""')
        for name in ("steps", "samples"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, positive(name, getattr(self, name)))
        if self.steps is not None and self.samples is not None:
            raise ValueError("samples does not go with steps; give one")

    @property
    def several(self) -> bool:
        """Whether rows differ in batch size or number of GPUs."""
        return len(self.batches) > 1 or len(self.gpu_counts) > 1


def _count(name: str, given: Any, most: int, what: str) -> int:
    """A count of whatever kind (numpy's, too) as an int of Python, which is what C takes."""
    try:
        count = 0 if isinstance(given, bool) else operator.index(given)
    except TypeError:
        count = 0
    if not 1 <= count <= most:
        raise ValueError(f"{name} {what}, not {given!r}")
    return count


def whole(name: str, given: object) -> int:
    """A whole number from 1 on."""
    return _count(name, given, _LARGEST, "is a whole number from 1 on")


def counts_of(name: str, given: Any) -> Tuple[int, ...]:
    """One number is a list of one; a list of none is refused: it would ask nothing."""
    if given is None:
        return ()
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
    counts: Tuple[Any, ...] = tuple(given) if several else (given,)
    if not counts:
        raise ValueError(f"{name} is a number or several, not none")
    return counts


def positive(name: str, value: object) -> float:
    """The number, of whatever kind (numpy's, too); ValueError of one that C takes for no limit or none at all."""
    try:
        number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is a number above 0, not {value!r}")
    return number
