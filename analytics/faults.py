"""What a log may say of an exception: its class and where it arose. Its text may hold a payload, so it stays out."""

from __future__ import annotations

import traceback
from pathlib import PurePath


def fault(error: BaseException) -> dict[str, str]:
    """`error` (the class) and `at` (file:line of the innermost frame) for a log record."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return {"error": type(error).__name__, "at": at}
