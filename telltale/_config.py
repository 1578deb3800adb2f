"""What an app may set once for the whole process: `configure`, `get_config`, `reset_defaults`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from telltale._envelope import Dialect

_log = logging.getLogger("telltale")

_CAPTURE = "TELLTALE_CAPTURE_CONTENT"
_OTHER_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_told: set[str] = set()

_OFF = frozenset({"0", "false", "no", "off", "no_content", "none"})


def _capture_by_environment() -> bool:
    """`TELLTALE_CAPTURE_CONTENT` decides; unset, OpenTelemetry's own switch for GenAI content does; unset, content is
    captured, because a result that is not there cannot be judged.
    """
    _tell_misspelt()
    for name in (_CAPTURE, _OTHER_CAPTURE):
        value = os.environ.get(name, "").strip().lower()
        if value:
            return value not in _OFF
    return True


def _tell_misspelt() -> None:
    """Warn, once for each, of variables that were meant for `TELLTALE_CAPTURE_CONTENT`: with it misspelt, content that
    somebody wanted kept out is captured. Others that begin with `TELLTALE_` are the service's.
    """
    unknown = [name for name in os.environ if name.upper().startswith("TELLTALE_") and name not in (_CAPTURE, *_told)]
    if not unknown:
        return
    from difflib import get_close_matches  # only a process with such variables pays for it

    for name in unknown:
        if "CAPTURE" in name.upper() or get_close_matches(name.upper(), [_CAPTURE], cutoff=0.78):
            _told.add(name)
            _log.warning("%s is set, but there is no such setting; the nearest name is %s", name[:80], _CAPTURE)


def random_reference() -> str:
    """A fresh reference id: eight hexadecimal digits."""
    return os.urandom(4).hex()


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of the library.

    Args:
        capture_content: whether arguments and results go on spans. Errors' codes and actions always do.
        content_cap: most characters of JSON that one attribute holds; the rest is cut and marked.
        redact_outputs: mask credentials also in what a tool returns to the model (its errors are always masked).
        dialect: the shape that `guard` and the adapters answer in.
        new_reference: makes the reference id of an INTERNAL error.
        tracer_provider: instead of OpenTelemetry's global one.
        meter_provider: instead of OpenTelemetry's global one.
    """

    capture_content: bool = field(default_factory=_capture_by_environment)
    content_cap: int = 256 * 1024
    redact_outputs: bool = False
    dialect: Dialect = Dialect.ENVELOPE
    new_reference: Callable[[], str] = random_reference
    tracer_provider: Any = None
    meter_provider: Any = None

    def __post_init__(self) -> None:
        if self.content_cap < 1024:
            raise ValueError("content_cap must be at least 1024 characters")


_active = Config()


def get_config() -> Config:
    """The settings in force."""
    return _active


def configure(**changes: Any) -> Config:
    """Change settings for the whole process; what is not named stays as it is. Returns the settings in force.

    Raises:
        TypeError: a setting of that name does not exist.
        ValueError: a value is out of range.
    """
    global _active  # noqa: PLW0603 - one settings object a process, behind three functions
    _active = replace(_active, **changes)
    return _active


def reset_defaults() -> Config:
    """Back to the defaults, the environment read anew."""
    global _active  # noqa: PLW0603
    _active = Config()
    return _active
