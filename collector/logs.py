"""Structured logs: one JSON object a line on standard error, values cut, nothing of a payload in them."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import Any, TextIO, cast

import structlog

_LONGEST = 256
_UNCUT = frozenset({"exception", "event"})


class _StandardError:
    """Standard error as it is now. A log that nobody reads any more (a closed pipe) must never stop a thread.

    No `io` class, whose objects are flushed once more when the interpreter has already let go of its modules.
    """

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()


def configure(level: str = "info") -> None:
    """Set up structlog, and send the standard library's warnings (uvicorn, grpc) the same way."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            *shared,
            structlog.processors.format_exc_info,
            _cut,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _StandardError())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(cast("TextIO", _StandardError()))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _cut,
                structlog.processors.JSONRenderer(),
            ],
            foreign_pre_chain=shared,
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)


def _cut(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Long texts are cut: a log line must stay a line that a person can read."""
    for key, value in event.items():
        if isinstance(value, str) and len(value) > _LONGEST and key not in _UNCUT:
            event[key] = value[:_LONGEST] + "…"
    return event
