"""Errors of the recorder, and the two signals that leave a user's script on purpose."""

from __future__ import annotations

from typing import Any, Tuple


class RecordError(Exception):
    """Recording cannot be done. `where` is the file or thing meant, `code` the exit code of DESIGN 6."""

    def __init__(self, where: str, what: str, code: int = 1) -> None:
        super().__init__(what)
        self.where = where
        self.what = what
        self.code = code

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle: an exception of a worker process must arrive as it was raised."""
        return type(self), (self.where, self.what, self.code), self.__dict__


class StopScript(BaseException):
    """Raised at an iteration boundary once the trace is written: the script has done its part.

    A BaseException, so that `except Exception` in a training loop does not take it for a failure.
    """


class AbortScript(BaseException):
    """Raised at an iteration boundary when recording failed; carries the RecordError."""

    def __init__(self, error: RecordError) -> None:
        super().__init__(str(error))
        self.error = error
