"""One line of progress on a terminal; nothing anywhere else. No colour is used, so NO_COLOR has nothing to turn off."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any


class Progress:
    def __init__(self, stream: Any = None, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        terminal = hasattr(self._stream, "isatty") and self._stream.isatty()
        self._on = terminal and not quiet and os.environ.get("TERM") != "dumb"
        self._width = 0

    def show(self, text: str) -> None:
        if not self._on:
            return
        room = shutil.get_terminal_size((80, 24)).columns - 1
        line = f"habitat: {text}"[:room]
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def clear(self) -> None:
        if self._on and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
