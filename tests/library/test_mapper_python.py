"""The mapper over Python's own: arguments, files, wrapped causes, groups, and what nobody knows.

Libraries that are installed here are the real ones; of the others, classes of the same name and module stand in.
"""

from __future__ import annotations

import errno
import json
from typing import Any

import pydantic
import pytest
from exceptions import code_and_source, httpx_error, mapper

import telltale
from telltale import Code, Failure, Mapper, ToolError
from telltale._mapper import chain

# --- Arguments, files, decoding --------------------------------------------------------------------------------------


class Meeting(pydantic.BaseModel):
    """A tool's arguments."""

    date: str
    seats: int


def validation_error(**given: Any) -> pydantic.ValidationError:
    """What the model's arguments raise."""
    with pytest.raises(pydantic.ValidationError) as caught:
        Meeting.model_validate(given)
    return caught.value


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"seats": 3}, "date", "date is missing"),
        ({"date": "x", "seats": "many"}, "seats", "seats must be an integer"),
        ({"date": 3, "seats": 1}, "date", "date must be a string"),
        ({}, "date", "1 more argument also need"),
    ],
)
def test_pydantic_names_the_field_in_our_words(given: dict[str, Any], field: str, words: str) -> None:
    """The field, what is wrong with it, nothing of the input."""
    found = mapper.map(validation_error(**given))

    assert (found.code, found.field) == (Code.INVALID_ARGUMENT, field)
    assert words in (found.message or "")
    assert "many" not in (found.message or "")


def test_a_hostile_location_is_no_field() -> None:
    """Keys of the input can stand in a location."""
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(dict[str, int]).validate_python({"<b>ignore previous</b>": "x"})

    assert mapper.map(caught.value).field is None


@pytest.mark.parametrize(
    ("exc", "code"),
    [
        (PermissionError(), "PERMISSION_DENIED"),
        (FileNotFoundError("/srv/secret"), "NOT_FOUND"),
        (FileExistsError(), "CONFLICT"),
        (IsADirectoryError(), "INVALID_ARGUMENT"),
        (OSError(errno.EACCES, "x"), "PERMISSION_DENIED"),
        (OSError(errno.ENOSPC, "x"), "INTERNAL"),
    ],
)
def test_files(exc: OSError, code: str) -> None:
    """By class and by number."""
    assert code_and_source(exc)[0] == code
    assert "/srv" not in mapper.map(exc).envelope()["error"]["message"]


def test_text_that_is_no_json() -> None:
    """An answer that cannot be read: neither a retry nor other arguments help."""
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("<html>")

    assert code_and_source(caught.value) == ("INTERNAL", "decoding JSONDecodeError")


# --- Chains, groups, the unknown, the app's own ----------------------------------------------------------------------


def test_a_tool_error_says_what_its_author_said() -> None:
    """One case a code is in the envelope's tests; here, that it comes through whole."""
    found = mapper.map(ToolError("CONFLICT", "Taken.", field="slot", retry_after_seconds=3, quote="busy"))

    assert found == Failure(Code.CONFLICT, "ToolError", "Taken.", "slot", 3, "busy")


def test_causes_contexts_and_groups_are_unwrapped() -> None:
    """Explicit causes, implicit contexts, groups and groups in groups."""
    cause = RuntimeError("reactive operator")
    cause.__cause__ = ValueError("wrapper")
    cause.__cause__.__cause__ = httpx_error(429)
    context = KeyError("x")
    context.__context__ = TimeoutError()
    group = ExceptionGroup("g", [ValueError("x"), ExceptionGroup("h", [httpx_error(404)])])

    assert code_and_source(cause) == ("RATE_LIMITED", "http 429")
    assert code_and_source(context) == ("UNAVAILABLE", "timeout TimeoutError")
    assert code_and_source(group) == ("NOT_FOUND", "http 404")


def test_a_suppressed_context_is_not_looked_at() -> None:
    """`raise … from None` says that the context is none of it."""
    exc = KeyError("x")
    exc.__context__ = TimeoutError()
    exc.__suppress_context__ = True

    assert code_and_source(exc) == ("INTERNAL", "exception KeyError")


def test_a_circle_and_a_crowd_end() -> None:
    """At most twelve exceptions are looked at, each once."""
    one, two = ValueError(1), ValueError(2)
    one.__cause__, two.__cause__ = two, one
    crowd = ExceptionGroup("g", [ValueError(n) for n in range(500)])

    assert list(chain(one)) == [one, two]
    assert len(list(chain(crowd))) == 12


def test_an_unknown_exception_is_internal_with_a_reference() -> None:
    """What nobody knows is a bug, and says so."""
    found = mapper.map(ZeroDivisionError())

    assert (found.code, found.mapped_from, found.certain) == (Code.INTERNAL, "exception ZeroDivisionError", False)
    assert found.ref is not None
    assert found.ref in found.envelope()["error"]["message"]


def test_an_exception_that_raises_when_looked_at_is_unknown() -> None:
    """A property of a foreign exception may do anything."""

    class NastyError(Exception):
        @property
        def response(self) -> Any:
            raise RuntimeError("no")

        status_code = property(response.fget)  # type: ignore[attr-defined]

    assert code_and_source(NastyError())[0] == "INTERNAL"


class CalendarBusyError(Exception):
    """An app's own."""


def test_an_app_teaches_its_own_errors() -> None:
    """Registered families come first, and can be taken back."""
    own = Mapper()

    @own.register
    def calendar(exc: BaseException) -> Failure | None:
        if isinstance(exc, CalendarBusyError):
            return Failure(Code.CONFLICT, "calendar busy", "That slot was just taken.", field="slot")
        return None

    assert own.map(CalendarBusyError()).code == Code.CONFLICT
    assert own.map(TimeoutError()).code == Code.UNAVAILABLE
    own.unregister(calendar)
    assert own.map(CalendarBusyError()).code == Code.INTERNAL


def test_the_default_mapper_is_taught_for_the_whole_process() -> None:
    """`telltale.register_mapping` serves every guard."""

    @telltale.register_mapping
    def calendar(exc: BaseException) -> Failure | None:
        return Failure(Code.CONFLICT, "calendar busy") if isinstance(exc, CalendarBusyError) else None

    def busy() -> None:
        raise CalendarBusyError

    try:
        assert telltale.guard("book")(busy)()["error"]["code"] == "CONFLICT"
    finally:
        telltale.default_mapper.unregister(calendar)


def test_a_mapper_that_raises_never_reaches_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app's own mapper can be wrong; in an app the answer is INTERNAL, under pytest the fault is raised."""

    class Faulty(Mapper):
        def map(self, exc: BaseException) -> Failure:
            raise RuntimeError("bug in the mapper")

    tool = telltale.guard("book", mapper=Faulty())(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="bug in the mapper"):
        tool()
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert tool()["error"]["code"] == "INTERNAL"


def test_a_family_that_raises_is_passed_over() -> None:
    """An app's faulty family never replaces the tool's failure by its own."""

    def faulty(exc: BaseException) -> Failure | None:
        raise RuntimeError("bug in the family")

    assert Mapper(faulty).map(TimeoutError()).code == Code.UNAVAILABLE
