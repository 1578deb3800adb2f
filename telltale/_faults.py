"""The library's own faults never reach the app; under pytest they are raised, so that they are loud at home."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from types import TracebackType

_log = logging.getLogger("telltale")


def log_with_traceback(log: logging.Logger, message: str, *args: object, exc: BaseException) -> None:
    """Log an error with its traceback; without it where the exception cannot be shown.

    An exception whose attributes raise, or that nests too deep, makes `traceback` fail, and `logging` with it.
    """
    try:
        log.error(message, *args, exc_info=exc)
    except Exception:
        with suppress(Exception):
            log.error(message + " (%s, whose traceback cannot be shown)", *args, type(exc).__qualname__)


class _Contained:
    """Context manager that logs and swallows any `Exception` of the library's own code, except under pytest."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, _: TracebackType | None) -> bool:
        if exc is None or not isinstance(exc, Exception):
            return False
        if os.environ.get("PYTEST_CURRENT_TEST"):
            return False
        log_with_traceback(
            _log, "a fault inside telltale was contained; the tool's own answer is not affected", exc=exc
        )
        return True


contained = _Contained()
"""`with contained:` around code of the library that runs inside an app's tool call."""
