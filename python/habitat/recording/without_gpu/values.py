"""What a script gets that asks a tensor for its value: a made-up one, and a note of where it asked.

Loss scaling goes on as in a step without overflow. What hangs on values altogether (the shape of a result) is refused.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, Dict, NoReturn, Optional, Tuple

from ..errors import AbortScript, RecordError

SHOWN = 3  # places named in a warning


class Values:
    def __init__(self, where: str) -> None:
        self.where = where
        self.asked: Dict[str, int] = {}  # "file:line" of the script -> times
        self._known: Dict[int, Tuple[Any, Any]] = {}  # id of a tensor -> (the tensor, its value)

    def know(self, tensor: Any, value: Any) -> None:
        self._known[id(tensor)] = (tensor, value)

    def of(self, tensor: Any) -> Any:
        """A number for the only element of a tensor."""
        import torch

        if id(tensor) in self._known:
            return self._known[id(tensor)][1]
        constant = getattr(tensor, "constant", None)
        if constant is not None:
            with torch.utils._python_dispatch._disable_current_modes():
                return constant.item()
        place = _place()
        if place:
            self.asked[place] = self.asked.get(place, 0) + 1
        if tensor.dtype == torch.bool:
            return False
        return 1.0 if tensor.dtype.is_floating_point else 1

    def refuse(self, what: str) -> NoReturn:
        """Leaves the script: there is no going on."""
        place = _place()
        where = f"{place}: " if place else ""
        remedy = "leave it out of the recorded step, or record on a machine with a GPU"
        raise AbortScript(RecordError(self.where, f"{where}{what}; without a GPU no value is known: {remedy}"))

    def warning(self) -> Optional[str]:
        if not self.asked:
            return None
        places = sorted(self.asked, key=self.asked.__getitem__, reverse=True)
        more = f" and {len(places) - SHOWN} more places" if len(places) > SHOWN else ""
        return (
            f"the script asked for values of tensors at {', '.join(places[:SHOWN])}{more}: without a GPU there are none, 1"
            " (false) was given; if another branch is taken with real values, the recorded operations are not the real ones"
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
