"""What a script gets that asks a tensor for its value: a made-up one, and a note of where it asked.

Loss scaling goes on as in a step without overflow, and all numbers are finite: a check for that goes the way of a
healthy step, in whatever words it is written (isfinite, not isnan). What hangs on values altogether (the shape of a result) is refused.
"""

from __future__ import annotations

import math
import os
import sys
import traceback
from typing import Any, Dict, NoReturn, Optional, Tuple

from ..errors import AbortScript, RecordError

SHOWN = 3  # places named in a warning
NEVER = ("aten::isnan", "aten::isinf")
BOTH = ("aten::mul", "aten::logical_and", "aten::bitwise_and")
EITHER = ("aten::logical_or", "aten::bitwise_or")
NOT = ("aten::logical_not", "aten::bitwise_not")
SAME = ("aten::all", "aten::any", "aten::_to_copy", "aten::clone", "aten::view", "aten::detach")


class Values:
    def __init__(self, where: str) -> None:
        self.where = where
        self.asked: Dict[str, int] = {}  # "file:line" of the script -> times
        self._known: Dict[int, Tuple[Any, Any]] = {}  # id of a tensor -> (the tensor, its value)
        self._truths: Dict[int, Tuple[Any, bool]] = {}  # the same of what is true of finite numbers

    def know(self, tensor: Any, value: Any) -> None:
        self._known[id(tensor)] = (tensor, value)

    def follow(self, name: str, args: Any, result: Any) -> None:
        """What is true of finite numbers. torch.isfinite(x) comes here as x == x and |x| != inf."""
        truth = self._truth(name, args)
        if truth is not None:
            self._truths[id(result)] = (result, truth)

    def _truth(self, name: str, args: Any) -> Optional[bool]:
        if name in NEVER:
            return False
        if name in ("aten::eq", "aten::ne"):
            itself = args[0] is args[1]
            infinite = isinstance(args[1], float) and math.isinf(args[1])
            return name == "aten::eq" if itself else name == "aten::ne" if infinite else None
        known = [self._truths[id(arg)][1] if id(arg) in self._truths else None for arg in args[:2]]
        if name in SAME or name in NOT:
            return known[0] if known[0] is None or name in SAME else not known[0]
        if name in BOTH + EITHER and None not in known:
            return all(known) if name in BOTH else any(known)
        return None

    def of(self, tensor: Any) -> Any:
        """A number for the only element of a tensor."""
        import torch

        from .known import known

        if id(tensor) in self._known:
            return self._known[id(tensor)][1]
        value = known(tensor)
        if value is not None:
            with torch.utils._python_dispatch._disable_current_modes():
                return value.item()
        place = _place()
        if place:
            self.asked[place] = self.asked.get(place, 0) + 1
        if id(tensor) in self._truths:
            return self._truths[id(tensor)][1]
        if tensor.dtype == torch.bool:
            return False
        return 1.0 if tensor.dtype.is_floating_point else 1

    def refuse(self, what: str, why: str = "no value is known") -> NoReturn:
        """Leaves the script: there is no going on."""
        place = _place()
        where = f"{place}: " if place else ""
        remedy = "leave it out of the recorded step, or record on a machine with a GPU"
        raise AbortScript(RecordError(self.where, f"{where}{what}; without a GPU {why}: {remedy}"))

    def warning(self) -> Optional[str]:
        if not self.asked:
            return None
        places = sorted(self.asked, key=self.asked.__getitem__, reverse=True)
        more = f" and {len(places) - SHOWN} more places" if len(places) > SHOWN else ""
        return (
            f"the script asked for values of tensors at {', '.join(places[:SHOWN])}{more}: without a GPU there are none, 1"
            " (false, finite) was given; if another branch is taken with real values, the recorded operations are not the real ones"
        )


def _place() -> Optional[str]:
    """Innermost frame that is neither PyTorch's nor ours: "file:line"."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    torch_folder = os.path.dirname(str(sys.modules["torch"].__file__))
    for frame in reversed(traceback.extract_stack()):
        file = os.path.abspath(frame.filename)
        if not file.startswith((ours, torch_folder, "<")) and os.path.isfile(file) and "lib/python" not in file:
            return f"{os.path.basename(file)}:{frame.lineno}"
    return None
