"""Answers as plain Python objects: units are in the names, what is not known is None. All can be pickled."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, ClassVar, Dict, List, Optional, Sequence, SupportsIndex, Tuple, TypeVar, Union, overload

from . import _notebook as show

__all__ = ["Choice", "ClassTime", "Excluded", "Gpu", "OperationTime", "Prediction", "Predictions", "Ranked", "Table"]

_GB = 1e-9


class _Row:
    """Something that is a row of a table: in a frame by its keys, in HTML by its columns."""

    _columns: ClassVar[Sequence[show.Column]] = ()

    def _record(self) -> Dict[str, Any]:
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        notes: Sequence[str] = getattr(self, "warnings", ())
        return notes

    def _order(self) -> Tuple[bool, float]:
        """By which the first are taken where there are too many rows to show: times that measurements checked, then fast ones."""
        return False, 0.0


@dataclass(frozen=True)
class Gpu(_Row):
    """One GPU of the table, as `habitat gpus NAME --json` has it.

    - `name`, `vendor`, `architecture`, `aliases`: its canonical name, who makes it, and what else it is called.
    - `compute_capability`: of CUDA, as "9.0"; None: another vendor's.
    - `sm_count`: streaming multiprocessors, or compute units.
    - `memory_bytes` [bytes], `memory_bandwidth_bytes_per_s` [bytes/s]: size and peak bandwidth of its memory.
    - `tdp_w` [W]: its design power; None: not known.
    - `values`: every value, units in the keys.
    """

    name: str
    vendor: str
    architecture: str
    compute_capability: Optional[str]
    sm_count: int
    memory_bytes: float
    memory_bandwidth_bytes_per_s: float
    tdp_w: Optional[float]
    aliases: Tuple[str, ...]
    values: Dict[str, Any] = field(repr=False, compare=False)

    _columns: ClassVar[Sequence[show.Column]] = (
        ("GPU", lambda g: g.name),
        ("vendor", lambda g: g.vendor),
        ("architecture", lambda g: g.architecture),
        ("SMs", lambda g: show.number(g.sm_count)),
        ("memory, GB", lambda g: show.number(g.memory_bytes, _GB)),
        ("bandwidth, GB/s", lambda g: show.number(g.memory_bandwidth_bytes_per_s, _GB)),
        ("TDP, W", lambda g: show.number(g.tdp_w)),
    )

    def __str__(self) -> str:
        return self.name

    def _record(self) -> Dict[str, Any]:
        return show.flat(self.values)


@dataclass(frozen=True)
class ClassTime:
    """Time of one class of operations: `name` of the class, `origin_ms` [ms] on the origin, `ms` [ms] on the destination."""

    name: str
    origin_ms: float
    ms: float


def _fits(row: Any) -> str:
    if row.fits is not None:
        return "yes" if row.fits else "no"
    return "may not" if row.headroom_bytes is not None and row.headroom_bytes < 0 else ""


def _interval(row: Any) -> str:
    """As in the tables of the command line, ~ marks a width that no measurement checks."""
    return show.interval(row.low_ms, row.high_ms) + (" ~" if row.interval == "default" else "")


@dataclass(frozen=True)
class Prediction(_Row):
    """One iteration on one GPU; names and meaning are those of `habitat predict --json`. What is not known is None.

    - `gpu`, `method`: the destination's canonical name, and how kernels were predicted.
    - `iteration_ms` [ms]: between the starts of two iterations; `low_ms`, `high_ms` [ms]: meant to hold it in 80 % of cases.
    - `interval`: whether measurements checked that width: "calibrated", "default" or "none"; `interval_basis`: what it was
      made from, in words.
    - `busy_ms` [ms]: the GPU's kernels and copies, overlapping ones counted once; `kernel_ms` [ms]: the sum over kernels.
    - `ratio`: `iteration_ms` as a multiple of the origin's.
    - `samples_per_s` [samples/s]: of the whole job. `bound_by`: "gpu" or "cpu".
    - `batch_size` [samples]: of one GPU; `precision`: "recorded" or what was asked; `gpus`: how many share the iteration.
    - `memory_bytes` [bytes]: that one GPU needs; `fits`: whether that is there, None where only part of the margin is.
    - `headroom_bytes` [bytes]: usable memory less `memory_bytes`, `context_bytes` [bytes] (CUDA's own) and `margin_bytes`
      [bytes]; below 0: it may not fit. `largest_batch` [samples]: that fits.
    - `coverage`: which share of the time (0 to 1) came from which method. `by_class`: a `ClassTime` a class of operations.
    - `usd_per_hour` [US dollars/hour]: of all its GPUs, at `price_date`; `usd_per_1000_iterations` [US dollars];
      `samples_per_usd` [samples/US dollar].
    - `hours` [hours], `usd` [US dollars]: of the whole training, where `steps` or `samples` say how long it is.
    - `energy_j` [J]: of an iteration, an estimate from the design power.
    - `warnings`: of this prediction: of the recording, of this GPU, of the name that was used for it.
    - `values`: all keys of the JSON.
    """

    gpu: str
    method: str
    iteration_ms: float
    low_ms: float
    high_ms: float
    busy_ms: float
    kernel_ms: float
    ratio: Optional[float]
    samples_per_s: Optional[float]
    bound_by: Optional[str]
    memory_bytes: Optional[float]
    fits: Optional[bool]
    coverage: Dict[str, float]
    by_class: Tuple[ClassTime, ...]
    warnings: Tuple[str, ...]
    interval: str
    interval_basis: Optional[str]
    values: Dict[str, Any] = field(repr=False, compare=False)
    headroom_bytes: Optional[float] = None
    context_bytes: Optional[float] = None
    margin_bytes: Optional[float] = None
    largest_batch: Optional[float] = None
    usd_per_hour: Optional[float] = None
    price_date: Optional[str] = None
    usd_per_1000_iterations: Optional[float] = None
    samples_per_usd: Optional[float] = None
    hours: Optional[float] = None
    usd: Optional[float] = None
    energy_j: Optional[float] = None
    batch_size: Optional[int] = None
    precision: Optional[str] = None
    gpus: Optional[int] = None

    _columns: ClassVar[Sequence[show.Column]] = (
        ("GPU", lambda p: p.gpu),
        ("iteration, ms", lambda p: show.number(p.iteration_ms)),
        ("80 % interval, ms", _interval),
        ("times the origin's", lambda p: show.number(p.ratio)),
        ("samples/s", lambda p: show.number(p.samples_per_s)),
        ("bound by", lambda p: show.word(p.bound_by)),
        ("fits", _fits),
        ("free, GB", lambda p: show.number(p.headroom_bytes, _GB)),
        ("$ per 1,000 iterations", lambda p: show.number(p.usd_per_1000_iterations)),
    )

    def to_frame(self, by: Optional[str] = None) -> Any:
        """A pandas.DataFrame of one row: `Predictions.to_frame()`."""
        return Predictions([self]).to_frame(by)

    def _repr_html_(self) -> str:
        facts = [(head, shown(self)) for head, shown in self._columns]
        facts += [
            ("training, hours", show.number(self.hours)),
            ("training, $", show.number(self.usd)),
            ("method", self.method),
            ("coverage", ", ".join(f"{method} {share:.1%}" for method, share in self.coverage.items())),
            ("batch", show.number(self.batch_size)),
            ("precision", show.word(self.precision)),
            ("GPUs", show.number(self.gpus)),
        ]
        by_class = sorted(self.by_class, key=lambda one: -one.ms)
        classes = show.html_table(
            by_class[: show.MOST_ROWS],
            (
                ("class", lambda c: c.name),
                ("origin, ms", lambda c: show.number(c.origin_ms)),
                (f"{self.gpu}, ms", lambda c: show.number(c.ms)),
            ),
        )
        return show.html_facts(facts) + classes + show.html_notes(self.warnings)

    def _record(self) -> Dict[str, Any]:
        return {**show.flat(self.values), "warnings": "; ".join(self.warnings)}

    def _parts(self, by: str) -> Sequence[Dict[str, Any]]:
        """Rows of `by_class`, or of what was split when it was asked for."""
        parts = self.values.get(f"by_{by}")
        if not isinstance(parts, list):
            raise ValueError(f"this prediction is not split by {by!r}; ask with predict(gpu, by={by!r})")
        return [{"gpu": self.gpu, **show.flat(part)} for part in parts]

    def _order(self) -> Tuple[bool, float]:
        """By the sample: rows of several batch sizes or numbers of GPUs do not do the same work."""
        return self.interval != "calibrated", self.iteration_ms / ((self.batch_size or 1) * (self.gpus or 1))


@dataclass(frozen=True)
class OperationTime(_Row):
    """One operation on one GPU, as `habitat op` answers it. Times are None where there is no estimate: `reason` says why.

    - `gpu`, `method`: the GPU's canonical name, and which method made the time.
    - `ms` [ms]: its time; `low_ms`, `high_ms` [ms]: meant to hold it in 80 % of cases.
    - `interval`: "calibrated", "default" or "none"; `interval_basis`: what it was made from, in words.
    - `bound`: what bounds it: "compute", "memory" or "launch".
    - `warnings`: what to know before the time is trusted.
    """

    gpu: str
    ms: Optional[float]
    low_ms: Optional[float]
    high_ms: Optional[float]
    method: Optional[str]
    bound: Optional[str]
    reason: Optional[str]
    interval: str
    interval_basis: Optional[str]
    warnings: Tuple[str, ...]

    _columns: ClassVar[Sequence[show.Column]] = (
        ("GPU", lambda o: o.gpu),
        ("ms", lambda o: show.number(o.ms)),
        ("80 % interval, ms", _interval),
        ("method", lambda o: show.word(o.method)),
        ("bound", lambda o: show.word(o.bound)),
        ("why not", lambda o: show.word(o.reason)),
    )

    def _record(self) -> Dict[str, Any]:
        return {**vars(self), "warnings": "; ".join(self.warnings)}

    def _order(self) -> Tuple[bool, float]:
        return self.interval != "calibrated", math.inf if self.ms is None else self.ms


@dataclass(frozen=True)
class Ranked(_Row):
    """One GPU that can be taken, or some of them at one batch size, as `habitat choose --json` has it.

    What is not known is None. Money is that of all GPUs of the row.

    - `gpu`: its canonical name; `gpus`: how many run the iteration together; `batch_size` [samples]: of one of them, None
      too where it is not the same in all traces; `precision`: "recorded" or what was asked.
    - `value`, `low`, `high`: what was chosen by, with its interval: US dollars for 1,000 iterations, ms, or J; where
      `Choice.per` is "sample", US dollars for 1,000,000 samples, ms or J of one; `value_unit` says which, as
      "usd_per_1000_iterations".
    - `iteration_ms` [ms]: the mean iteration; `low_ms`, `high_ms` [ms]: meant to hold it in 80 % of cases; `interval`:
      whether measurements checked that width: "calibrated", "default" or "none".
    - `samples_per_s` [samples/s]: of all GPUs of the row. `bound_by`: what sets its time, "gpu", or "cpu" in one of the
      traces at least; None: not known.
    - `usd_per_hour` [US dollars/hour], with `price_date` and `price_provider`; `usd_per_1000_iterations` [US dollars];
      `samples_per_usd` [samples/US dollar].
    - `hours` [hours], `usd` [US dollars], `total_kwh` [kWh]: of the whole training, where its length is known.
    - `energy_j` [J]: of an iteration, an estimate from the design power.
    - `fits`: whether the memory is there; `headroom_bytes` [bytes]: what stays free of it.
    - `tie`: its interval overlaps that of the first, no telling which is better; `pareto`: no other row is both faster
      and cheaper.
    """

    gpu: str
    value: float
    low: float
    high: float
    iteration_ms: float
    low_ms: float
    high_ms: float
    interval: str
    usd_per_hour: Optional[float]
    usd_per_1000_iterations: Optional[float]
    samples_per_usd: Optional[float]
    hours: Optional[float]
    usd: Optional[float]
    energy_j: Optional[float]
    total_kwh: Optional[float]
    price_date: Optional[str]
    price_provider: Optional[str]
    fits: Optional[bool]
    headroom_bytes: Optional[float]
    tie: bool
    pareto: bool
    batch_size: Optional[int] = None
    precision: str = "recorded"
    gpus: int = 1
    samples_per_s: Optional[float] = None
    bound_by: Optional[str] = None
    value_unit: str = ""

    _columns: ClassVar[Sequence[show.Column]] = (
        ("GPU", lambda r: r.gpu),
        ("GPUs", lambda r: show.number(r.gpus)),
        ("batch", lambda r: show.number(r.batch_size)),
        ("iteration, ms", lambda r: show.number(r.iteration_ms)),
        ("80 % interval, ms", _interval),
        ("samples/s", lambda r: show.number(r.samples_per_s)),
        ("bound by", lambda r: show.word(r.bound_by)),
        ("$ per hour", lambda r: show.number(r.usd_per_hour)),
        ("$ per 1,000 iterations", lambda r: show.number(r.usd_per_1000_iterations)),
        ("training, hours", lambda r: show.number(r.hours)),
        ("training, $", lambda r: show.number(r.usd)),
        ("energy, about J", lambda r: show.number(r.energy_j)),
        ("free, GB", lambda r: show.number(r.headroom_bytes, _GB)),
        ("", lambda r: ", ".join(name for name, so in (("tie", r.tie), ("front", r.pareto)) if so)),
    )

    def _record(self) -> Dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Excluded(_Row):
    """One GPU that cannot be taken: `gpu`, its canonical name, and `reason`, why, in words.

    `batch_size` [samples] of one, and `gpus`: how many, where several were asked about.
    """

    gpu: str
    reason: str
    batch_size: Optional[int] = None
    gpus: int = 1

    _columns: ClassVar[Sequence[show.Column]] = (
        ("GPU", lambda e: e.gpu),
        ("GPUs", lambda e: show.number(e.gpus)),
        ("batch", lambda e: show.number(e.batch_size)),
        ("why not", lambda e: e.reason),
    )

    def _record(self) -> Dict[str, Any]:
        return dict(vars(self))


_R = TypeVar("_R", bound=_Row)


class Table(List[_R]):
    """A list that a notebook shows as a table, and that pandas takes."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> _R: ...
    @overload
    def __getitem__(self, index: slice) -> Table[_R]: ...
    def __getitem__(self, index: Union[SupportsIndex, slice]) -> Union[_R, Table[_R]]:
        if isinstance(index, slice):
            return type(self)(super().__getitem__(index))
        return super().__getitem__(index)

    def to_frame(self) -> Any:
        """A pandas.DataFrame, one row an entry; columns are named as in JSON, with their units."""
        return show.frame([row._record() for row in self])

    def _repr_html_(self) -> str:
        """All rows, in their order; of more than 20 the fastest, those with calibrated intervals first."""
        if not self:
            return show.html_line("nothing")
        rows, said = self._shown()
        notes = [note for row in rows for note in row._notes()]
        return said + show.html_table(rows, self._head()) + show.html_notes(notes)

    def _shown(self) -> Tuple[Sequence[_R], str]:
        most = show.MOST_ROWS
        if len(self) <= most:
            return self, ""
        rows = sorted(self, key=lambda row: row._order())[:most]
        how = "the first" if rows[0]._order() == rows[-1]._order() else "the fastest, calibrated ones first"
        return rows, show.html_line(f"{most} of {len(self)}: {how}; to_frame() has all")

    def _head(self) -> Sequence[show.Column]:
        return self[0]._columns


class Predictions(Table[Prediction]):
    """Predictions of one iteration, a row a GPU (and batch size), in the order in which they were asked for."""

    def _keys(self) -> Sequence[show.Column]:
        """What tells rows of one GPU apart: columns of batch sizes and of numbers of GPUs, where there are several."""
        columns: Sequence[show.Column] = (
            ("GPUs", lambda p: show.number(p.gpus)),
            ("batch", lambda p: show.number(p.batch_size)),
        )
        return [(head, shown) for head, shown in columns if len({shown(row) for row in self}) > 1]

    def _head(self) -> Sequence[show.Column]:
        columns = super()._head()
        return [columns[0], *self._keys(), *columns[1:]]

    def to_frame(self, by: Optional[str] = None) -> Any:
        """A pandas.DataFrame, one row a GPU; columns are the keys of `habitat predict --json`, with their units.

        `by="class"`: one row a GPU and class of operations, `origin_ms` beside `ms`. `by="op"`, "module" or "kernel":
        likewise, of predictions that were asked for with the same `by`.
        """
        if by is None:
            return super().to_frame()
        return show.frame([part for prediction in self for part in prediction._parts(by)])

    def plot(self, ax: Any = None, top: int = 15) -> Any:
        """Bars of the iteration's time [ms] with the 80 % interval, the `top` fastest GPUs; by matplotlib.

        Bars are pale where the interval's width is a default; of many GPUs the others come first. Draws into `ax`, or into new axes, and returns them.
        """
        if top < 1:
            raise ValueError(f"top is a whole number from 1 on, not {top!r}")
        ax = show.axes(ax, "plot()")
        rows = sorted(sorted(self, key=Prediction._order)[:top], key=lambda row: row.iteration_ms)
        times = [row.iteration_ms for row in rows]
        ends = [[row.iteration_ms - (row.low_ms or row.iteration_ms) for row in rows],
                [(row.high_ms or row.iteration_ms) - row.iteration_ms for row in rows]]  # fmt: skip
        bars = ax.barh(range(len(rows)), times, xerr=ends, capsize=3)
        for bar, row in zip(bars, rows):
            bar.set_alpha(1.0 if row.interval == "calibrated" else 0.4)
        keys = self._keys()
        names = [", ".join([row.gpu, *(f"{head} {shown(row)}" for head, shown in keys)]) for row in rows]
        ax.set_yticks(range(len(rows)), [show.label(name) for name in names])
        ax.invert_yaxis()
        ax.set_xlim(left=0)
        ax.set_xlabel("iteration, ms (line: 80 % interval; pale: of a default width)")
        return ax


@dataclass(frozen=True)
class Choice:
    """Which GPU to take, and why; names and meaning are those of `habitat choose --json`.

    - `objective`: "cost", "time" or "energy": what is to be small.
    - `recommended`: the GPU to take; None: none can be taken. `reason`: why, in words. `recommended_gpus`: how many of them;
      `recommended_batch_size` [samples]: of one.
    - `per`: what rows are compared by: "iteration", or "sample" where batch sizes or numbers of GPUs differ.
    - `at_least`: whether times, hours and dollars are at least these. `steps`: iterations of the whole training,
      None where rows need numbers of their own. `samples`: its samples, where its length was given so.
    - `ranking`: those that can be taken, best first; `excluded`: those that cannot.
    - `pareto`: GPUs that no other beats in both time and cost; `ties`: those that cannot be told from the first.
    - `changes`: what would change the answer, in words. `warnings`: what to know before it is trusted.
    - `values`: all keys of the JSON.
    """

    objective: str
    recommended: Optional[str]
    reason: str
    at_least: bool
    steps: Optional[float]
    ranking: Table[Ranked]
    pareto: Tuple[str, ...]
    ties: Tuple[str, ...]
    changes: Tuple[str, ...]
    excluded: Table[Excluded]
    warnings: Tuple[str, ...]
    values: Dict[str, Any] = field(repr=False, compare=False)
    recommended_batch_size: Optional[int] = None
    recommended_gpus: Optional[int] = None
    per: str = "iteration"
    samples: Optional[float] = None
    _page: Optional[Callable[[], str]] = field(default=None, repr=False, compare=False)  # holds what it was chosen from

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle: what the library holds stays where it is."""
        return {name: value for name, value in vars(self).items() if name != "_page"}

    def report(self) -> str:
        """The choice as one HTML page that needs nothing else: `habitat choose --html`.

        Write the text to a file, or show it in a notebook: `IPython.display.HTML(choice.report())`.
        A choice that was pickled or copied has no page: ask for it where `choose()` was called.
        """
        if self._page is None:
            raise ValueError("a choice that was pickled or copied has no page; call report() where choose() was called")
        return self._page()

    def to_frame(self) -> Any:
        """A pandas.DataFrame of the ranking, best first; columns as in `habitat choose --json`, with their units."""
        return self.ranking.to_frame()

    def _repr_html_(self) -> str:
        parts = [show.html_line(self.reason)]
        if self.ranking:
            parts.append(self.ranking._repr_html_())
        parts.append(show.html_notes(self.changes, "changes"))
        if self.excluded:
            parts.append(show.html_line(f"{len(self.excluded)} GPUs cannot be taken: .excluded says why"))
        return "".join(parts) + show.html_notes(self.warnings)

    def _point(self, row: Ranked) -> Tuple[Optional[float], Optional[float]]:
        """Time [ms] and cost of an iteration, or of a sample, as the axes say."""
        if self.per != "sample":
            return row.iteration_ms, row.usd_per_1000_iterations
        if not row.samples_per_s or row.usd_per_hour is None:
            return None, None
        return 1e3 / row.samples_per_s, row.usd_per_hour / row.samples_per_s * 1e6 / 3600

    def _label(self, row: Ranked) -> str:
        if self.per != "sample":
            return row.gpu
        count = f"{row.gpus} x " if row.gpus > 1 else ""
        return f"{count}{row.gpu}" + (f", batch {row.batch_size}" if row.batch_size else "")

    def plot(self, ax: Any = None) -> Any:
        """Cost against time of each GPU that can be taken and has a price, those that none beats in both joined by a line.

        By matplotlib. Draws into `ax`, or into new axes, and returns them.
        """
        ax = show.axes(ax, "plot()")
        priced: List[Tuple[Ranked, float, float]] = []
        for row in self.ranking:
            time, cost = self._point(row)
            if time is not None and cost is not None:
                priced.append((row, time, cost))
        front = sorted((ms, usd) for row, ms, usd in priced if row.pareto)
        ax.scatter([ms for _, ms, _ in priced], [usd for _, _, usd in priced])
        ax.plot([ms for ms, _ in front], [usd for _, usd in front])
        for row, ms, usd in priced:
            if row.pareto or row.tie:
                ax.annotate(show.label(self._label(row)), (ms, usd))
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("sample, ms" if self.per == "sample" else "iteration, ms")
        ax.set_ylabel("US dollars for 1,000,000 samples" if self.per == "sample" else "US dollars for 1,000 iterations")
        return ax
