"""Rows of the tables "What was asked, and what came out" (accuracy_goals.py, iteration_goals.py)."""


def verdict(right, seen=""):
    """Of a figure: whether it is as asked; `seen`: how far constants were chosen on the same cases. None: nothing was judged."""
    if right is None:
        return "-"
    return (f"met, {seen}" if seen else "met") if right else "**missed**"


def line(what, asked, got, right, seen=""):
    return f"| {what} | {asked} | {got} | {verdict(right, seen)} |"
