"""The contract kit: what its assertions let through and what they name, the fakes, the capture, the plugin."""

from __future__ import annotations

from typing import Any

import pytest

import telltale
from telltale import ToolError, guard
from telltale.testing import (
    Case,
    SpanCapture,
    assert_contract,
    assert_envelope,
    assert_error_maps,
    error_maps,
    failing_tool,
    registered_tools,
)

pytest_plugins = ["pytester"]


def good(**changes: Any) -> dict[str, Any]:
    """A compliant error with something changed."""
    body = {"code": "CONFLICT", "message": "Taken.", "action": "choose_alternative", "retryable": True}
    return {"status": "error", "error": {**body, **changes}}


def without(key: str) -> dict[str, Any]:
    """A compliant error with a key missing."""
    made = good()
    del made["error"][key]
    return made


@pytest.mark.parametrize(
    "value", [telltale.ok(), good(), good(field="slot", retry_after_seconds=3), '{"status":"ok","output":1}']
)
def test_compliant_envelopes_pass(value: Any) -> None:
    """Objects, and the JSON text in which frameworks carry them."""
    assert assert_envelope(value)["status"] in ("ok", "error")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "an envelope is an object, not list"),
        ({"status": "failed"}, "status is 'ok' or 'error'"),
        ({"status": "ok"}, "has the keys ['output', 'status']"),
        ({"status": "error", "error": "boom"}, "error is an object"),
        (without("code"), "error.code is required"),
        (without("retryable"), "error.retryable is required"),
        (good(code="TEAPOT"), "'TEAPOT' is not one of the closed codes"),
        (good(action="panic"), "error.action 'panic' is unknown"),
        (good(message=""), "has 0 characters"),
        (good(message="x" * 301), "has 301 characters"),
        (good(message="KeyError: 'x'"), "error.message holds"),
        (good(retryable=False), "error.retryable of CONFLICT with action choose_alternative is True"),
        (good(detail="x"), "error.detail is not part of the contract"),
        (good(field=3), "error.field is a str"),
    ],
)
def test_each_breach_is_named(value: Any, sentence: str) -> None:
    """The first thing that is wrong, in words."""
    with pytest.raises(AssertionError) as caught:
        assert_envelope(value)

    assert sentence in str(caught.value)


@guard(budget=None)
def book(date: str) -> dict[str, int]:
    """A tool with a contract."""
    if date == "x":
        raise ToolError("INVALID_ARGUMENT", "date must be ISO-8601", field="date")
    if date == "down":
        raise TimeoutError
    return {"id": 1}


@guard(budget=None)
async def fetch(date: str) -> dict[str, int]:
    """The same, asynchronous."""
    return {"id": 2}


def test_cases_that_hold() -> None:
    """Code, field, action and output, sync and async."""
    answers = assert_contract(
        book,
        [
            Case({"date": "x"}, code="INVALID_ARGUMENT", field="date"),
            Case({"date": "down"}, code="UNAVAILABLE", action="retry_later"),
            Case({"date": "2026-10-06"}, output={"id": 1}),
        ],
    )

    assert len(answers) == 3
    assert_contract(fetch, [Case({"date": "x"}, output={"id": 2})])


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        (Case({"date": "x"}), "case 1 {'date': 'x'}: expected to work"),
        (Case({"date": "x"}, code="CONFLICT"), "expected CONFLICT, got INVALID_ARGUMENT"),
        (Case({"date": "x"}, code="INVALID_ARGUMENT", field="slot"), "field is 'date'"),
        (Case({"date": "down"}, code="UNAVAILABLE", action="stop_and_tell_user"), "action is retry_later"),
        (Case({"date": "y"}, code="CONFLICT"), "expected CONFLICT, got {'status': 'ok'"),
        (Case({"date": "y"}, output=3), "output is {'id': 1}"),
    ],
)
def test_cases_that_do_not_hold_are_named(case: Case, sentence: str) -> None:
    """Which case, and what it answered instead."""
    with pytest.raises(AssertionError) as caught:
        assert_contract(book, [case])

    assert sentence in str(caught.value)


def test_an_unguarded_tool_breaks_the_contract() -> None:
    """What answers in its own shape does not pass."""
    with pytest.raises(AssertionError, match="status is 'ok' or 'error'"):
        assert_contract(lambda: {"error": "boom"}, [Case(code="INTERNAL")])


def test_every_error_map_of_a_guarded_tool_is_compliant() -> None:
    """Hostile texts, wrapped causes, groups: the check that a parametrised test runs."""
    assert_error_maps(book)
    assert_error_maps(fetch)

    codes = {label: envelope["error"]["code"] for label, envelope in error_maps(book)}
    assert codes["timeout"] == codes["wrapped"] == codes["group"] == "UNAVAILABLE"
    assert codes["text 1"] == "INTERNAL"
    with pytest.raises(TypeError, match="is not guarded"):
        error_maps(len)


def test_an_error_map_that_leaks_is_found() -> None:
    """A mapper of the app's own can leak; the check sees it."""
    leaky = telltale.Mapper(lambda exc: telltale.Failure(telltale.Code.NOT_FOUND, "x", "Fine."))
    assert_error_maps(guard("t", mapper=leaky)(lambda: 1))

    class Mute(telltale.Mapper):
        def map(self, exc: BaseException) -> Any:
            class Wrong:
                code, mapped_from, ref, action = telltale.Code.INTERNAL, "x", None, "retry_later"

                def envelope(self) -> Any:
                    return {"status": "error", "error": {"code": "INTERNAL", "message": "KeyError"}}

            return Wrong()

    with pytest.raises(AssertionError):
        assert_error_maps(guard("t", mapper=Mute())(lambda: 1))


def test_guarded_functions_are_registered_while_they_live() -> None:
    """One parametrised test finds them all."""
    assert book in registered_tools()
    assert fetch in registered_tools()


def test_a_failing_tool_plays_its_script() -> None:
    """Exceptions by class or object, values, the last one for ever; arguments by name."""

    def real(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book."""
        return {}

    tool: Any = failing_tool(TimeoutError, KeyError("x"), {"id": 1}, like=real)

    with pytest.raises(TimeoutError):
        tool("a")
    with pytest.raises(KeyError):
        tool(date="b")
    assert [tool("c", slot="9"), tool("d")] == [{"id": 1}, {"id": 1}]
    assert tool.calls == [{"date": "a"}, {"date": "b"}, {"date": "c", "slot": "9"}, {"date": "d"}]
    assert (tool.__name__, tool.__doc__) == ("real", "Book.")
    with pytest.raises(ValueError, match="at least one entry"):
        failing_tool()


def test_the_agent_stopped_at_the_budget() -> None:
    """The end-to-end test that the kit is for."""
    tool: Any = failing_tool(TimeoutError)
    guarded = guard("book", budget=2)(tool)

    while guarded()["error"]["action"] == "retry_later":
        pass

    assert len(tool.calls) == 2


def test_captured_spans_are_the_same_in_every_run(telltale_spans: SpanCapture) -> None:
    """Ids, clock and references are fixed."""
    guard("a")(lambda: 1 / 0)()
    guard("b")(lambda: 1)()

    assert [(s.trace_id, s.span_id, s.start, s.end) for s in telltale_spans.spans] == [(1, 1, 1, 2), (2, 2, 3, 4)]
    assert telltale_spans.one("execute_tool a").attributes["telltale.error.ref"] == "00000001"
    with pytest.raises(AssertionError, match="0 spans are named 'x'"):
        telltale_spans.one("x")
    telltale_spans.clear()
    assert telltale_spans.spans == []


def test_the_plugin_serves_another_project(pytester: pytest.Pytester) -> None:
    """Its fixtures are there by installation, and `guarded_tool` runs once for each tool, adapters' included."""
    pytester.makepyfile(
        conftest="""
        class Tool:
            name = "adapters"
        def pytest_telltale_tools():
            import telltale
            tool = Tool()
            tool._policy = telltale.Policy()
            return [tool]
        """,
        test_tools="""
        import telltale
        from telltale.testing import assert_error_maps

        @telltale.guard
        def one(): ...

        @telltale.guard
        async def two(): ...

        def test_error_maps(guarded_tool):
            assert_error_maps(guarded_tool)

        def test_spans(telltale_spans):
            one()
            assert telltale_spans.one("execute_tool one").status == "UNSET"
        """,
    )
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v")

    found.assert_outcomes(passed=4)
    found.stdout.fnmatch_lines(["*test_error_maps?one?*", "*test_error_maps?two?*", "*test_error_maps?adapters?*"])
