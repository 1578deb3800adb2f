"""Every page over a busy, an empty, a failing API: what it shows, and what it must never show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analytics.client import ApiClient

PAGES = ("overview", "incidents", "silent", "tools_codes", "sessions", "calls", "replay", "senders", "rules")
Page = Callable[..., AppTest]


def texts(at: AppTest) -> str:
    """All text that a page draws outside tables."""
    kinds = ("title", "subheader", "caption", "text", "markdown", "code", "error", "warning", "info", "success")
    return "\n".join(str(element.value) for kind in kinds for element in at.get(kind))


def tiles(at: AppTest) -> dict[str, str]:
    """The numbers on the tiles, by what they count."""
    names = ("Failed calls", "Silent failures", "Compliance", "Sessions hit", "Not recovered", "Budgets exhausted")
    return {name: at.container(key=f"tile.{name}").header[0].value for name in names}


def tables(at: AppTest) -> list[Any]:
    """All tables of a page."""
    return [element.value for element in at.dataframe]


@pytest.mark.parametrize("name", PAGES)
def test_busy(serve: Any, page: Page, name: str) -> None:
    """A page over a busy store draws its title, how fresh it is, and no exception."""
    serve()

    at = page(name)

    assert not at.exception
    assert at.title
    assert "as of" in texts(at)


@pytest.mark.parametrize("name", [name for name in PAGES if name not in {"replay", "rules"}])
def test_empty(serve: Any, page: Page, name: str) -> None:
    """Over an empty store a page says that there are no calls and how to get some; it shows no number."""
    serve(0)

    at = page(name)

    assert not at.exception
    assert "No calls yet" in texts(at)
    assert any("telltale.instrument" in code.value for code in at.code)
    assert not at.header


@pytest.mark.parametrize("name", PAGES)
def test_api_down(serve: Any, page: Page, name: str) -> None:
    """With nobody at the API's address a page says so, and shows no number and no table."""
    serve().stop()

    at = page(name)

    assert not at.exception
    assert at.error
    assert not at.header
    assert not at.dataframe


def test_refusal(serve: Any, page: Page) -> None:
    """A refusal is shown with the API's reason, and no number beside it."""
    serve(refuse=True)

    at = page()

    assert not at.exception
    assert "since: not a time" in texts(at)
    assert not at.header


def test_overview_numbers(serve: Any, page: Page) -> None:
    """The tiles show the API's numbers; compliance has its denominator, its interval and what was not measured."""
    api = serve().api
    calls = api.calls

    at = page()

    failed = [call for call in calls if call["outcome"] != "ok"]
    good = [call for call in failed if call["outcome"] == "structured_error"]
    shown = tiles(at)
    assert shown["Failed calls"] == str(len(failed))
    assert shown["Silent failures"] == str(sum(call["outcome"] == "silent_failure" for call in calls))
    assert shown["Compliance"] == f"{len(good) / len(failed):.0%}".replace("%", " %")
    assert f"{len(good)} of {len(failed)} failures" in texts(at)
    assert "in an envelope; 95 % interval" in texts(at)
    missing = sum(call["payload"] == "absent" for call in calls)
    assert f"{missing} not measured" in [link.proto.label for link in at.page_link]


def test_no_failures_is_no_rate(serve: Any, page: Page) -> None:
    """Without a failure the compliance rate is neither 0 % nor 100 %."""
    serve()

    at = page("overview", outcome="ok")

    shown = tiles(at)
    assert shown["Compliance"] == "no failures yet"


def test_open_incident_first(serve: Any, page: Page) -> None:
    """An open incident is the first thing the overview says, with the tool and code in it."""
    serve()

    at = page()

    assert at.error[0].value.startswith("**1 incident open**")
    assert "PERMISSION_DENIED" in [text.value for text in at.text]


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"outcome": "failed"},
        {"outcome": "silent_failure"},
        {"tool": "send_mail", "outcome": "failed"},
        {"flag": "budget_exhausted"},
    ],
)
def test_count_equals_list(serve: Any, page: Page, query: dict[str, str]) -> None:
    """The calls page lists as many rows as it counts, for every filter that a count can bring."""
    serve(150)

    at = page("calls", **query)

    counted = int(at.markdown[0].value.split("[")[1].split()[0]) if at.markdown else -1
    assert counted == len(tables(at)[0])


def test_silent_declared_against_derived(serve: Any, page: Page) -> None:
    """A silent failure is shown with what it declared, the rule that found it, and the raw result."""
    serve()

    at = page("silent")

    codes = [code.value for code in at.code]
    assert "[]" in codes
    assert "empty_after_upstream_error" in texts(at)


def test_replay_opens_at_failure(serve: Any, page: Page) -> None:
    """A replay opens at the first failing step and shows the raw payload and what came next."""
    api = serve().api
    call = next(call for call in reversed(api.calls) if call["outcome"] == "silent_failure")

    at = page("replay", session=call["session_id"], span=call["span_id"])

    assert not at.exception
    assert call["tool"] in [text.value for text in at.text]
    assert "[]" in [code.value for code in at.code]
    assert "silent failure" in texts(at)
    assert any("/replay?session=" in code.value and call["span_id"] in code.value for code in at.code)


def test_replay_opens_at_the_tool_that_is_asked_for(serve: Any, page: Page) -> None:
    """Who comes from an incident or a list of one tool sees the failing step of that tool, not of an earlier one."""
    api = serve().api
    failed = [call for call in reversed(api.calls) if call["outcome"] != "ok"]
    session, later = next(
        (call["session_id"], call["tool"])
        for call in failed
        if next(each for each in failed if each["session_id"] == call["session_id"])["tool"] != call["tool"]
    )

    at = page("replay", session=session, tool=later)

    assert at.subheader[0].value.startswith("Step ")
    assert later in [text.value for text in at.text][:5]


def test_replay_of_a_session_too_long_for_one_answer(serve: Any, page: Page) -> None:
    """The part that holds the step of the address is asked for, and what is left out is said."""
    api = serve().api
    call = next(call for call in reversed(api.calls) if call["outcome"] == "silent_failure")
    api.longest, api.traces_left_out = 2, 3

    at = page("replay", session=call["session_id"], step="4")

    assert not at.exception
    assert at.subheader[0].value.startswith("Step 4")
    assert any("around=4" in url for url in api.asked)
    said = next(each.value for each in at.caption if "are loaded" in each.value)
    assert "oldest 3 traces" in said
    told = page("replay", session=call["session_id"])
    assert not told.exception
    assert not [url for url in api.asked if "around" in url and "around=4" not in url]


def test_replay_of_unknown_session(serve: Any, page: Page) -> None:
    """A session that does not exist is said to be not found, not shown as empty."""
    serve()

    at = page("replay", session="no-such-session")

    assert not at.exception
    assert at.warning[0].proto.title == "Not found"


def test_replay_without_session(serve: Any, page: Page) -> None:
    """Without a session the replay asks for one."""
    serve()

    at = page("replay")

    assert not at.exception
    assert at.text_input(key="replay.session")


def test_acknowledge(serve: Any, page: Page) -> None:
    """Acknowledging an incident tells the API who did it, with the header that a foreign site cannot send."""
    api = serve().api
    at = page("incidents", incident="inc-1")

    at.text_input(key="incident.who").set_value("ada").run()
    at.button(key="incident.acknowledge").click().run()

    assert not at.exception
    assert api.told == [("/api/v1/incidents/inc-1/acknowledge", {"who": "ada"})]


def test_sessions_flagged_first(serve: Any, page: Page) -> None:
    """Sessions that hold a failure come before all others, and are as many as the API says."""
    api = serve().api

    at = page("sessions")

    marks = list(tables(at)[0][""])
    flagged = {call["session_id"] for call in api.calls if call["outcome"] != "ok"}
    assert marks == sorted(marks, key=lambda mark: mark != "⚑ flagged")
    assert marks.count("⚑ flagged") == len(flagged)


def test_the_token_is_sent(serve: Any, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token from the environment goes with every question, and is on no page."""
    api = serve(20).api
    monkeypatch.setenv("TELLTALE_API_TOKEN", "tt-secret")

    at = page()

    assert api.authorization == {"Bearer tt-secret"}
    assert "tt-secret" not in str(at)


def test_a_slow_api(serve: Any, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that does not come in time is said to be missing; no number stands in for it."""
    serve(20, delay_s=2.0)
    monkeypatch.setattr("dashboard.data.ApiClient", partial(ApiClient, timeout=0.1))

    at = page()

    assert not at.exception
    assert at.error[0].proto.title == "The API does not answer"
    assert "did not answer in time" in texts(at)
    assert not at.header


def test_a_fault_inside_the_api_is_no_loop(serve: Any, page: Page) -> None:
    """A question that always fails inside the service is shown as such; the page does not run again and again."""
    api = serve(20).api

    at = page("overview", since="no time at all")

    assert not at.exception
    assert at.error
    assert len([url for url in api.asked if "/overview?" in url]) <= 2
