"""What autograd runs a backward pass for, as torch.profiler shows it: a range around what each node of the graph does, and the numbers
by which a node and the operation that made it are told to belong together.

Layers and their gradients are found by these (docs/iteration.md#weights-in-parts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple

if TYPE_CHECKING:
    from .events import Event, Log

ENGINE = "autograd::engine::evaluate_function: "
ADDS = "AccumulateGrad"  # the node that adds a gradient to its parameter
FORWARD, BACKWARD = 0, 1  # "Fwd thread id": of an operation that makes a node, and of a node


class Key(NamedTuple):
    """One run of a node. Nodes themselves are not held: with them the tensors would live that they keep."""

    task: int  # a call of the engine; one may begin inside another
    number: int
    name: str
    parameter: int


class Nodes:
    """`follow()` before anything is written into the log, and where it may be that a gradient is added."""

    def __init__(self, log: Log) -> None:
        import torch

        self._log = log
        self._open: List[Tuple[Key, Event]] = []  # the outermost first
        self._last = -1
        # PyTorch 2.1 and later; an earlier one shows no nodes
        self._node = getattr(torch._C, "_current_autograd_node", None)
        self._task = getattr(torch._C, "_current_graph_task_id", lambda: -1)
        self._next_number = getattr(torch.autograd, "_get_sequence_nr", None)

    def follow(self, gradient: Any = None) -> None:
        """Opens the range of the node that runs now, and closes those that have ended. gradient: a tensor that an operation has first."""
        node = self._node() if self._node else None
        key = node and self._key(node)
        while self._open and not _goes_on(self._open[-1][0], key):
            self._log.end_range(self._open.pop()[1])
        if key is None or (self._open and self._open[-1][0] == key):
            return
        adds = key.name.endswith(ADDS)
        if adds and gradient is None:
            return  # its gradient is seen first
        numbers = {} if adds else {"Sequence number": key.number, "Fwd thread id": BACKWARD}
        event = self._log.begin_operation(ENGINE + key.name, [gradient] if adds else [], numbers)
        self._open.append((key, event))

    def close(self) -> None:
        while self._open:
            self._log.end_range(self._open.pop()[1])

    def number(self, event: Optional[Event]) -> None:
        """To be called behind each operation. event: what was written of it; None: nothing was."""
        if self._next_number is None:
            return
        number = self._next_number() - 1
        if number > self._last and event is not None:
            event["args"].update({"Sequence number": number, "Fwd thread id": FORWARD})
        self._last = max(self._last, number)

    def adds(self) -> bool:
        """Whether a gradient is being added to its parameter."""
        node = self._node() if self._node else None
        return node is not None and bool(node.name().endswith(ADDS))

    def _key(self, node: Any) -> Key:
        name = node.name()
        parameter = id(node.variable) if name.endswith(ADDS) else 0
        return Key(self._task(), node._sequence_nr(), name, parameter)


def _goes_on(open_key: Key, now: Optional[Key]) -> bool:
    """Whether the range of a node stays open: it runs itself, or what it runs called the engine again."""
    return now is not None and (open_key == now or open_key.task < now.task)
