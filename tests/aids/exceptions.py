"""Exceptions of libraries that are not installed here, and what the mapper makes of any."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from telltale import Mapper

mapper = Mapper()
URL = "https://calendar.example/meetings"


def stand_in(path: str, *bases: type, **attributes: Any) -> type[Exception]:
    """A class that looks like `module.Class` of a library that is not installed here."""
    module, _, name = path.rpartition(".")
    return type(name, bases or (Exception,), {"__module__": module, **attributes})


def code_and_source(exc: BaseException) -> tuple[str, str]:
    """What the mapper makes of an exception."""
    found = mapper.map(exc)
    return found.code.value, found.mapped_from


def httpx_error(status: int, headers: dict[str, str] | None = None) -> Exception:
    """What `raise_for_status` raises."""
    response = httpx.Response(status, headers=headers, request=httpx.Request("GET", URL))
    with pytest.raises(httpx.HTTPStatusError) as caught:
        response.raise_for_status()
    return caught.value
