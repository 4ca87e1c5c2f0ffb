"""`Device` as type checkers see it: any name may be a member. The members are made in tracker.py, from the table of GPUs."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING


class _DeviceType(enum.EnumMeta):
    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Device: ...


class Device(enum.Enum, metaclass=_DeviceType):
    """A GPU of the table: the value is its canonical name, the member's name has _ for - and dots."""
