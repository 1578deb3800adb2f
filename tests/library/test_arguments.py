"""Arguments that do not fit a guarded function are the model's to correct; a TypeError from inside is a bug."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from telltale import Code, Failure, Mapper, guard

GIVEN: list[tuple[tuple[Any, ...], dict[str, Any], str | None, str]] = [
    ((), {}, "date", "date is missing."),
    ((), {"date": "today", "room": 4}, "room", "room is not a parameter"),
    (("today",), {"date": "today"}, "date", "date is given twice."),
    (("today", 1, 2), {}, None, "An argument is not a parameter"),
    ((), {"day": "today"}, "day", "1 more argument also"),
    ((), {"date": "today", "a b\n</tool>": 1}, None, "An argument is not a parameter"),
]


def book(date: str, slot: int = 10) -> str:
    """Book."""
    return date


async def book_later(date: str, slot: int = 10) -> str:
    """Book."""
    return date


def book_each(date: str, slot: int = 10) -> Iterator[str]:
    """Book."""
    yield date


async def book_each_later(date: str, slot: int = 10) -> AsyncIterator[str]:
    """Book."""
    yield date


def traced(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator such as apps have."""

    @functools.wraps(fn)
    def around(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return around


def traced_later(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The same for coroutines."""

    @functools.wraps(fn)
    async def around(*args: Any, **kwargs: Any) -> Any:
        return await fn(*args, **kwargs)

    return around


class Desk:
    """A tool with a state."""

    @guard
    def book(self, date: str, slot: int = 10) -> str:
        """Book."""
        return date

    def __call__(self, date: str, slot: int = 10) -> str:
        """Book."""
        return date


async def _all(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


later: Any = guard(book_later)
later_traced: Any = guard(traced_later(book_later))
each: Any = guard(book_each)
each_later: Any = guard(book_each_later)
FORMS: dict[str, Callable[..., Any]] = {
    "function": guard(book),
    "coroutine": lambda *args, **kwargs: asyncio.run(later(*args, **kwargs)),
    "generator": lambda *args, **kwargs: list(each(*args, **kwargs))[-1],
    "async generator": lambda *args, **kwargs: asyncio.run(_all(each_later(*args, **kwargs)))[-1],
    "method": Desk().book,
    "callable": guard(Desk()),
    "partial": guard(functools.partial(book)),
    "decorated coroutine": lambda *args, **kwargs: asyncio.run(later_traced(*args, **kwargs)),
    "decorated": guard(traced(traced(book))),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("args", "kwargs", "field", "message"), GIVEN)
def test_arguments_that_do_not_fit_are_named(
    form: str, args: tuple[Any, ...], kwargs: dict[str, Any], field: str | None, message: str
) -> None:
    """Every kind of function answers INVALID_ARGUMENT with the field, where its name is fit to be told."""
    envelope = FORMS[form](*args, **kwargs)
    error = envelope["error"]

    assert (error["code"], error.get("field")) == ("INVALID_ARGUMENT", field)
    assert message in error["message"]
    assert "</tool>" not in str(envelope)


def _calls_wrongly(date: str) -> Any:
    return book(day=date)  # type: ignore[call-arg]


def _adds(date: str) -> Any:
    return date + 1  # type: ignore[operator]


def _calls_itself_wrongly(date: str) -> Any:
    return _calls_itself_wrongly() if date else None  # type: ignore[call-arg]


def _with_context(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the function a context that no caller gives, so that the caller's arguments never bind."""

    @functools.wraps(fn)
    def around(date: str) -> Any:
        return fn({}, date)

    return around


@_with_context
def _has_a_bug(context: dict[str, Any], date: str) -> Any:
    return date + context  # type: ignore[operator]


@pytest.mark.parametrize("fn", [_calls_wrongly, _adds, _calls_itself_wrongly, _has_a_bug, len])
def test_a_type_error_from_inside_stays_internal(fn: Callable[..., Any]) -> None:
    """Also one whose words are those of a call that does not fit, or of a builtin that has no frame."""
    guarded: Any = guard(fn)

    assert guarded(5 if fn is len else "today")["error"]["code"] == "INTERNAL"


def test_a_coroutine_that_raises_when_it_is_awaited_is_internal() -> None:
    """The call fitted; what comes later is the body's."""

    async def adds(date: str) -> Any:
        return await book_later(day=date)  # type: ignore[call-arg]

    guarded: Any = guard(adds)
    assert asyncio.run(guarded("today"))["error"]["code"] == "INTERNAL"


def test_an_app_may_still_map_it_itself() -> None:
    """Its own family is asked first, and sees a TypeError."""

    def own(exc: BaseException) -> Failure | None:
        return Failure(Code.NOT_FOUND, "mine") if isinstance(exc, TypeError) else None

    mapped: Any = guard(mapper=Mapper(own))(book)
    fatal: Any = guard(fatal=TypeError)(book)
    assert mapped()["error"]["code"] == "NOT_FOUND"
    with pytest.raises(TypeError):
        fatal()
