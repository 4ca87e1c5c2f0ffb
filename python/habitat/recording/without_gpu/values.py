"""What a script gets that asks a tensor for its value: a made-up one, and a note of where it asked.

Loss scaling goes on as in a step without overflow, and all numbers are finite: a check for that goes the way of a
healthy step, in whatever words it is written (isfinite, not isnan). What hangs on values altogether (the shape of a result) is refused.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import traceback
from typing import Any, Dict, List, NoReturn, Optional

from ..errors import AbortScript, RecordError

SHOWN = 3  # places named in a warning
STEP, STEPS = 2.0**-20, 2**15  # between two numbers that are made up; so many until they begin again
NEVER = ("aten::isnan", "aten::isinf")
BOTH = ("aten::mul", "aten::logical_and", "aten::bitwise_and")
EITHER = ("aten::logical_or", "aten::bitwise_or")
IN_A_ROW = 10_000  # questions of one place, and of no other: more than batches of a validation
TINY = 1e-9  # what is compared with so little is kept from a division by nothing, and is more
ORDER = ("aten::lt", "aten::le", "aten::gt", "aten::ge")
NOT = ("aten::logical_not", "aten::bitwise_not")
SAME = ("aten::all", "aten::_is_all_true", "aten::any", "aten::_to_copy", "aten::clone", "aten::view", "aten::detach")


class Values:
    def __init__(self, where: str) -> None:
        self.where = where
        self.asked: Dict[str, int] = {}  # "file:line" of the script -> times
        self.chosen: Dict[str, int] = {}  # the same of where it goes by a choice that was made up
        self._numbers = 0  # made up, one by one
        self._in_a_row = 0  # questions of the latest place
        self._latest: Optional[str] = None
        self.saved: Dict[str, int] = {}  # and of where it saves

    def know(self, tensor: Any, value: Any) -> None:
        tensor._habitat_value = value

    def follow(self, name: str, args: Any, result: Any) -> None:
        """What is true of finite numbers. torch.isfinite(x) comes here as x == x and |x| != inf."""
        ordered = [hasattr(arg, "_habitat_order") for arg in args[:2]]
        if name in ORDER and args[0].is_floating_point() or name in BOTH and all(ordered) or name in EITHER and any(ordered):
            result._habitat_order = True
        truth = self._truth(name, args)
        if truth is not None:
            result._habitat_truth = truth

    def _truth(self, name: str, args: Any) -> Optional[bool]:
        if name in NEVER:
            return False
        if name == "aten::_is_all_true" and not hasattr(args[0], "_habitat_truth"):
            return True  # how torch.distributions asks whether numbers are valid
        if name in ("aten::gt", "aten::ge") and isinstance(args[1], float) and 0 < args[1] <= TINY:
            return True  # LBFGS's curvature, say
        if name in ("aten::eq", "aten::ne"):
            itself = args[0] is args[1]
            infinite = isinstance(args[1], float) and math.isinf(args[1])
            return name == "aten::eq" if itself else name == "aten::ne" if infinite else None
        if name == "aten::all" and hasattr(args[0], "_habitat_order"):
            return True  # a check: corners are in order, errors small enough
        known = [getattr(arg, "_habitat_truth", None) for arg in args[:2]]
        if name in SAME or name in NOT:
            return known[0] if known[0] is None or name in SAME else not known[0]
        if name in BOTH + EITHER and None not in known:
            return all(known) if name in BOTH else any(known)
        return None

    def of(self, tensor: Any) -> Any:
        """A number for the only element of a tensor."""
        import torch

        from .known import chosen, known

        if hasattr(tensor, "_habitat_value"):
            return tensor._habitat_value
        value = known(tensor)
        if value is not None:
            if chosen(tensor) and not _is_check(tensor):
                self._note(self.asked)
            with torch.utils._python_dispatch._disable_current_modes():
                return value.item()
        if _is_check(tensor):
            return True
        self._note(self.asked)
        if hasattr(tensor, "_habitat_truth"):
            return tensor._habitat_truth
        return self._made_up(tensor)

    def _made_up(self, tensor: Any) -> Any:
        """The same number for every tensor would say that a loop has come to its end (LBFGS: the loss changes no more)."""
        if not tensor.dtype.is_floating_point:
            return usual(tensor.dtype)
        if not hasattr(tensor, "_habitat_made_up"):
            tensor._habitat_made_up = usual(tensor.dtype) + STEP * (self._numbers % STEPS)
            self._numbers += 1
        return tensor._habitat_made_up

    def all_of(self, tensor: Any) -> Any:
        """The tensor with values, on the host."""
        import torch

        from .known import chosen, known

        value = known(tensor)
        if value is not None:
            if chosen(tensor):
                self.note_choice()
            return value
        self._note(self.asked)
        return torch.full(tuple(tensor.shape), usual(tensor.dtype), dtype=tensor.dtype)

    def note_saved(self) -> None:
        """A file that holds good weights is not written over with none."""
        self._note(self.saved)

    def note_asked(self) -> None:
        self._note(self.asked)

    def note_choice(self) -> None:
        self._note(self.chosen)

    def _note(self, where: Dict[str, int]) -> None:
        place = None if _asks("torch.nn.init") else _place()  # it draws again what it does not like: no other operation of a step
        if not place:
            return
        where[place] = where.get(place, 0) + 1
        self._in_a_row = self._in_a_row + 1 if place == self._latest else 1
        self._latest = place
        if self._in_a_row == IN_A_ROW:
            self.refuse(
                f"values of tensors were asked for {IN_A_ROW:,} times and at no other place",
                "there are none, and a loop that goes on until one is small enough does not end",
            )

    def refuse(self, what: str, why: str = "no value is known") -> NoReturn:
        """Leaves the script: there is no going on."""
        place = _place()
        where = f"{place}: " if place else ""
        remedy = "leave it out of the recorded step, or record on a machine with a GPU"
        raise AbortScript(RecordError(self.where, f"{where}{what}; without a GPU {why}: {remedy}"))

    def after_failure(self) -> str:
        asked = {**self.asked, **self.chosen}
        if not asked:
            return ""
        return f"; it had asked for values of tensors at {_places(asked)}, and without a GPU it got made-up ones: they may be why"

    def warnings(self) -> List[str]:
        said = []
        if self.asked:
            said.append(
                f"the script asked for values of tensors at {_places(self.asked)}: without a GPU there are none, and it got"
                " made-up ones (1, False, always finite; choices spread evenly); if it goes another way with real values, the recorded"
                " operations are not the real ones"
            )
        if self.chosen:
            said.append(
                f"the script goes by its own choice among values (topk, argmax, max, argmin, min) at {_places(self.chosen)}: without a GPU there are none,"
                " each was chosen as often as any other; where some are chosen more often, the recorded shapes are not the real ones"
            )
        if self.saved:
            said.append(f"the script saves at {_places(self.saved)}: without a GPU there is nothing to save, no file was written")
        return said


def _is_check(tensor: Any) -> bool:
    """Whether a distribution asks if its numbers are valid: so before PyTorch 2.7, and of samples, which we choose."""
    import torch

    return tensor.dtype == torch.bool and _asks("torch.distributions.distribution")


def usual(dtype: Any) -> Any:
    """The value that is made up."""
    import torch

    if dtype == torch.bool:
        return False
    return 1.0 if dtype.is_floating_point else 1


def _places(noted: Dict[str, int]) -> str:
    places = sorted(noted, key=noted.__getitem__, reverse=True)
    more = f" and {len(places) - SHOWN} more places" if len(places) > SHOWN else ""
    return ", ".join(places[:SHOWN]) + more


def _place() -> Optional[str]:
    """Innermost frame that is neither PyTorch's nor ours: "file:line"."""
    frame = next((f for f in reversed(traceback.extract_stack()) if _is_of_script(f.filename)), None)
    return f"{os.path.basename(frame.filename)}:{frame.lineno}" if frame else None


def _is_of_script(name: str) -> bool:
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    torch_folder = os.path.dirname(str(sys.modules["torch"].__file__))
    file = os.path.abspath(name)
    return not file.startswith((ours, torch_folder, "<")) and os.path.isfile(file) and "lib/python" not in file


def _asks(module: str) -> bool:
    """Whether this module of PyTorch's is between the script and the question."""
    asks = os.path.abspath(str(getattr(sys.modules.get(module), "__file__", "")))
    between = itertools.takewhile(lambda f: not _is_of_script(f.filename), reversed(traceback.extract_stack()))
    return any(os.path.abspath(frame.filename) == asks for frame in between)
