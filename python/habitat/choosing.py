"""Which GPU to take, and why: `habitat choose`."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._native import PathLike
from ._recorded import Costs, GpuName, Recorded, names_of
from ._wishes import Counts, Wishes, counts_of, positive
from .prediction import Trace, second_recording
from .ranks import Ranks
from .results import Choice, Excluded, Ranked, Table

__all__ = ["Choice", "Excluded", "Ranked", "choose"]

# One recording, or several, each alone or with how often it is run.
_Recording = Union[Trace, Ranks]
Traces = Union[_Recording, Iterable[Union[_Recording, Tuple[_Recording, float]]]]


def choose(
    traces: Traces,
    *,
    objective: str = "cost",
    gpus: Union[GpuName, Iterable[GpuName], None] = None,
    other_vendors: bool = False,
    vendor: Optional[str] = None,
    max_usd_per_hour: Optional[float] = None,
    deadline_hours: Optional[float] = None,
    must_fit: bool = False,
    prices: Optional[Mapping[GpuName, float]] = None,
    price_files: Union[PathLike, Iterable[PathLike]] = (),
    spot: bool = False,
    steps: Optional[float] = None,
    samples: Optional[float] = None,
    method: str = "auto",
    assemble: str = "replay",
    cpu_scale: Optional[float] = None,
    batch: Counts = None,
    precision: str = "recorded",
    gpu_count: Counts = None,
    batch_from: Optional[Trace] = None,
    sharded: bool = False,
) -> Choice:
    """Which GPU to take for the iteration of a trace, by "cost" [US dollars], "time" or "energy", and why.

    Of several traces the mean iteration counts: `choose([(one, 9), (other, 1)])` runs the first 9 times as often.
    `gpus`: among these, of whatever vendor; else all of the recording's vendor, with `other_vendors` really all. `vendor`:
    that one's GPUs alone, as "AMD" in any case of letters ("any": all); a vendor of none of them is a `HabitatError`.
    `max_usd_per_hour`, `deadline_hours` (needs `steps` or `samples`, the length of the whole training) and `must_fit`
    leave GPUs out. `prices` [US dollars for an hour of a GPU] and `price_files` come before the library's own; `spot`
    takes spot prices. That no GPU can be taken is no error: `recommended` is None then.
    `batch` and `gpu_count`: a number or several, as of `Trace.predict()`, of each trace. Where several are asked, a row is
    a GPU at one batch size and number, compared by the sample: `per` is "sample", money is that of all its GPUs, and the
    length of the training is given in `samples`. `precision`, and `batch_from` of one trace, and `sharded`: as of `Trace.predict()`.
    """
    most_usd = 0.0 if max_usd_per_hour is None else positive("max_usd_per_hour", max_usd_per_hour)
    most_hours = 0.0 if deadline_hours is None else positive("deadline_hours", deadline_hours)
    if deadline_hours is not None and steps is None and samples is None:
        raise ValueError("deadline_hours needs the length of the training: steps or samples")
    wishes = Wishes(
        method=method, assemble=assemble, cpu_scale=cpu_scale, spot=spot, steps=steps, samples=samples, precision=precision,
        batches=counts_of("batch", batch), gpu_counts=counts_of("gpu_count", gpu_count), sharded=sharded,
    )  # fmt: skip
    if wishes.several and steps is not None:
        raise ValueError("as many steps at another batch size, or on more GPUs, are of more samples; give samples")
    several, weights = _weighed(traces)
    second = second_recording(batch_from, batch)
    if second is not None and len(several) > 1:
        raise ValueError("batch_from tells of one recording which sizes change; give one trace")
    first = several[0]
    handles, taken = first._find([] if gpus is None else names_of(gpus))
    own_prices, said = first._prices(Costs(prices, price_files))
    asked = first._table.all() if gpus is None else handles
    answers = []
    for trace in several:
        origin, of_origin = trace._origin_in(first._table)
        notes = first._notes(taken, [*said, *of_origin])
        beside = {"notes": notes, "prices": own_prices, "batch_from": second, "fastest_first": gpus is None}
        answers.append(trace._trace.ask(first._table, asked, origin, wishes, **beside))
    choice = _native.Choosing(
        answers, weights, objective, max_usd_per_hour=most_usd, deadline_hours=most_hours,
        must_fit=must_fit, other_vendors=other_vendors or gpus is not None, vendor=vendor,
    )  # fmt: skip
    page = functools.partial(choice.report, shorten=gpus is None)
    return dataclasses.replace(_choice_of(choice.describe()), _page=page)


def _weighed(traces: Traces) -> Tuple[list[Recorded], list[float]]:
    """The traces and how often each is run."""
    several: list[Recorded] = []
    weights: list[float] = []
    for one in [traces] if isinstance(traces, Recorded) else traces:
        trace, weight = (one, 1.0) if isinstance(one, Recorded) else one
        if not isinstance(trace, Recorded):
            raise TypeError(f"a recording is a habitat.Trace, not {type(trace).__name__}")
        several.append(trace)
        weights.append(positive("a weight", weight))
    if not several:
        raise ValueError("no trace to choose by")
    known = several[0]._table.sha256
    if any(trace._table.sha256 != known for trace in several):
        raise ValueError("the traces do not know the same GPUs; open them with the same gpu_files")
    return several, weights


def _choice_of(values: Dict[str, Any]) -> Choice:
    names = [one.name for one in dataclasses.fields(Ranked)]
    ranking: Sequence[Dict[str, Any]] = values["ranking"]
    return Choice(
        values["objective"], values["recommended"], values["reason"], values["at_least"], values["steps"],
        Table(Ranked(**{name: row[name] for name in names}) for row in ranking),
        tuple(values["pareto"]), tuple(values["ties"]), tuple(values["changes"]),
        Table(Excluded(row["gpu"], row["reason"], row["batch_size"], row["gpus"]) for row in values["excluded"]),
        tuple(values["warnings"]), values,
        values["recommended_batch_size"], values["recommended_gpus"], values["per"], values["samples"],
    )  # fmt: skip
