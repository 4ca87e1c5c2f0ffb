"""What notebooks show: tables of pandas, HTML, charts. Neither pandas nor matplotlib is imported before it is asked for."""

from __future__ import annotations

import importlib
import math
from html import escape
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple

# A column of a table that people read: its head, and what it shows of a row.
Column = Tuple[str, Callable[[Any], str]]

MOST_ROWS = 20  # of a table in a notebook
_MOST_NOTES = 5


def _module(name: str, package: str, call: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as why:
        raise ImportError(f"{call} needs {package} ({why}); run `pip install {package}`", name=package) from why


def frame(rows: Sequence[Mapping[str, Any]], call: str = "to_frame()") -> Any:
    """A pandas.DataFrame; the columns are the keys of the rows, in the order in which they first come."""
    pandas = _module("pandas", "pandas", call)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return pandas.DataFrame([dict(row) for row in rows], columns=columns)


def flat(values: Mapping[str, Any]) -> Dict[str, Any]:
    """The numbers and words of a JSON object, without what has parts of its own."""
    return {key: value for key, value in values.items() if not isinstance(value, (dict, list))}


def axes(given: Any, call: str) -> Any:
    """Axes of matplotlib to draw into: those given, or new ones."""
    return given if given is not None else _module("matplotlib.pyplot", "matplotlib", call).subplots()[1]


def label(name: str) -> str:
    """A name as matplotlib shows it: between dollars it would be mathematics."""
    return name.replace("$", r"\$")


def number(value: Optional[float], factor: float = 1.0) -> str:
    """Four digits; nothing for what is not known."""
    if value is None or math.isnan(value):
        return ""
    value *= factor
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def interval(low: Optional[float], high: Optional[float]) -> str:
    return "" if low is None or high is None else f"{number(low)} – {number(high)}"


def word(value: object) -> str:
    return "" if value is None else str(value)


def html_table(rows: Iterable[Any], columns: Sequence[Column]) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head, _ in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(show(row))}</td>" for _, show in columns) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def html_facts(facts: Iterable[Tuple[str, str]]) -> str:
    """A table of two columns; facts that are not known are left out."""
    rows = "".join(f'<tr><th scope="row">{escape(what)}</th><td>{escape(is_)}</td></tr>' for what, is_ in facts if is_)
    return f"<table><tbody>{rows}</tbody></table>"


def html_line(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def html_notes(notes: Iterable[str], where: str = "warnings") -> str:
    """The first few of them, each once; the others are counted."""
    lines = list(dict.fromkeys(notes))
    if not lines:
        return ""
    more = [f"and {len(lines) - _MOST_NOTES} more in .{where}"] if len(lines) > _MOST_NOTES else []
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in [*lines[:_MOST_NOTES], *more]) + "</ul>"
