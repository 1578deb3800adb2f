"""Exceptions and results whose own methods raise: a guarded call ends as if they did not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import telltale


class LooksUp(Exception):
    """An exception that hands its attributes out of a dict: what it lacks is a KeyError."""

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["data"][name]


class NoText(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Unbound:
    """A proxy of nothing: whatever is asked of it raises, its class included."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("unbound")

    @__class__.setter
    def __class__(self, _: type) -> None:
        raise RuntimeError("unbound")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def nested(depth: int, innermost: Exception) -> Exception:
    """Groups of one exception each, one in another."""
    for _ in range(depth):
        innermost = ExceptionGroup("group", [innermost])
    return innermost


FAILURES: dict[str, Callable[[], Exception]] = {
    "attributes that raise": lambda: LooksUp("odd"),
    "no text": NoText,
    "groups nested deep": lambda: nested(5_000, ValueError("odd")),
}


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_a_hostile_exception_is_a_failure_as_any(kind: str, awaited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool's failure is told in the envelope; nothing else leaves the guard."""
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    failure = FAILURES[kind]

    def plain() -> None:
        raise failure()

    async def awaiting() -> None:
        raise failure()

    guard = telltale.guard("odd_job", budget=None)
    answer = asyncio.run(guard(awaiting)()) if awaited else guard(plain)()
    assert answer["status"] == "error"
    assert answer["error"]["code"] in ("INTERNAL", "INVALID_ARGUMENT")


def test_control_flow_deep_in_a_group_passes() -> None:
    """A cancellation is found at any depth, and leaves the guard as it came."""
    group: BaseException = asyncio.CancelledError()
    for _ in range(2_000):
        group = BaseExceptionGroup("group", [group])

    def work() -> None:
        raise group

    with pytest.raises(BaseExceptionGroup):
        telltale.guard("odd_job", budget=None)(work)()


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"deep": [value]}], ids=["itself", "within"])
def test_a_result_that_bears_no_look_at_it_is_output(
    wrap: Callable[[object], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that returned did not fail, whatever it returned; as in an app, where faults are contained."""
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    value = wrap(Unbound())
    answer = telltale.guard("odd_job", budget=None)(lambda: value)()
    assert answer["status"] == "ok"
    assert answer["output"] is value
