"""Where the time of an iteration goes, and what makes a GPU slow or fast: `habitat explain`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

from . import _notebook as show

__all__ = ["ExplainedRow", "Explanation", "Reason"]

# One row of an explanation. Which of the first keys it has goes by what the rows are; those after "class" every row has.
# Times, calls and kernels are of one iteration (of several the mean, which may be a fraction). compute_share and memory_share: of the origin's sustained rates, 0 to 1; None: not known of all kernels.
ExplainedRow = TypedDict(
    "ExplainedRow",
    {
        "op": str, "kernel": str, "module": str, "shape": Optional[str], "operation": Optional[str], "iteration": int,
        "calls": float, "kernels": float,
        "class": str, "origin_ms": Optional[float], "ms": float, "low_ms": float, "high_ms": float, "method": str, "bound": str,
        "flop": Optional[float], "bytes": Optional[float], "compute_share": Optional[float], "memory_share": Optional[float],
    },
    total=False,
)  # fmt: skip


class Reason(TypedDict):
    """One thing that makes the destination slow or fast.

    `what`: a class of operations, "memcpy" or "cpu"; `bound`: by what it is bound on the destination; `origin_ms`,
    `ms` [ms]: its time in one iteration on both; `effect_ms` [ms]: how much longer (below 0: shorter) the iteration
    is for it; `class_effect_ms` [ms]: the same of its whole class, what else bounds included (None: the CPU);
    `words`: why, with the rates of both GPUs.
    """

    what: str
    bound: Optional[str]
    origin_ms: Optional[float]
    ms: float
    effect_ms: float
    class_effect_ms: Optional[float]
    words: str


_COLUMNS: List[show.Column] = [
    ("calls", lambda r: show.number(r.get("calls"))),
    ("origin, ms", lambda r: show.number(r.get("origin_ms"))),
    ("destination, ms", lambda r: show.number(r.get("ms"))),
    ("80 % interval, ms", lambda r: show.interval(r.get("low_ms"), r.get("high_ms"))),
    ("method", lambda r: show.word(r.get("method"))),
    ("bound", lambda r: show.word(r.get("bound"))),
]


class Explanation(Dict[str, Any]):
    """The JSON of `habitat explain` as a dict, with types for its parts, a frame, and HTML for notebooks.

    `to_frame()` has a row an operation (a kernel, a class, a module: as was asked by `by`).
    """

    @property
    def gpu(self) -> str:
        """Canonical name of the destination."""
        name: str = self["prediction"]["gpu"]
        return name

    @property
    def reasons(self) -> List[Reason]:
        """What makes the destination slow or fast, the strongest first: at most three."""
        reasons: List[Reason] = self["reasons"]
        return reasons

    @property
    def rows(self) -> List[ExplainedRow]:
        """All rows, those that take longest on the destination first; of kernels each launch, in order. Times in ms."""
        rows: List[ExplainedRow] = self["rows"]
        return rows

    @property
    def warnings(self) -> List[str]:
        """What to know before a number is trusted."""
        warnings: List[str] = self["warnings"]
        return warnings

    def to_frame(self) -> Any:
        """A pandas.DataFrame of `rows`: `origin_ms` beside `ms`; columns are named as in JSON, with their units."""
        return show.frame([{"gpu": self.gpu, **show.flat(dict(row))} for row in self.rows])

    def _repr_html_(self) -> str:
        """The iteration on both GPUs, the reasons, and the rows that take longest."""
        origin, destination = self["trace"], self["prediction"]
        facts = [
            ("origin", show.word(origin["gpu"])),
            ("iteration there, ms", show.number(origin["iteration_ms"])),
            ("destination", self.gpu),
            ("iteration, ms", show.number(destination["iteration_ms"])),
            ("80 % interval, ms", show.interval(destination["low_ms"], destination["high_ms"])),
            ("times the origin's", show.number(destination["ratio"])),
        ]
        reasons = [f"{one['what']}: {one['effect_ms']:+.4g} ms; {one['words']}" for one in self.reasons]
        return show.html_facts(facts) + show.html_notes(reasons, "reasons") + self._longest() + show.html_notes(self.warnings)

    def _longest(self) -> str:
        names = {"kernel": "kernel", "class": "class", "module": "module"}
        name = names.get(self["by"], "op")
        columns: List[show.Column] = [(name, lambda row: show.word(row.get(name)))]
        if name == "op":
            columns.append(("shape", lambda row: show.word(row.get("shape"))))
        rows = sorted(self.rows, key=lambda row: -row["ms"])[: show.MOST_ROWS]
        said = f"{len(rows)} of {len(self.rows)}: those that take longest; to_frame() has all"
        more = show.html_line(said) if len(rows) < len(self.rows) else ""
        return more + show.html_table(rows, [*columns, *_COLUMNS])
