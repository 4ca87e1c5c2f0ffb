"""A command run to its end, with the signals that would end this process handed on to it."""

from __future__ import annotations

import signal
import subprocess
from typing import Any, List, Mapping, Optional

HANDED_ON = (signal.SIGTERM, signal.SIGHUP)  # the terminal sends SIGINT to both


def run(command: List[str], environment: Mapping[str, str]) -> int:
    """The exit code of `command`; 128 + n where signal n ended it."""
    waiting: List[int] = []
    process: Optional[subprocess.Popen[bytes]] = None

    def hand_on(number: int, frame: Any) -> None:
        waiting.append(number)
        while process is not None and waiting:
            process.send_signal(waiting.pop())

    before = {number: signal.signal(number, hand_on) for number in HANDED_ON}
    try:
        process = subprocess.Popen(command, env=environment)
        while waiting:  # they came before there was a process
            process.send_signal(waiting.pop())
        code = process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code
