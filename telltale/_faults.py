"""The library's own faults never reach the app; under pytest they are raised, so that they are loud at home."""

from __future__ import annotations

import logging
import os
from types import TracebackType

_log = logging.getLogger("telltale")


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
        _log.error("a fault inside telltale was contained; the tool's own answer is not affected", exc_info=exc)
        return True


contained = _Contained()
"""`with contained:` around code of the library that runs inside an app's tool call."""
