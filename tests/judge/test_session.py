"""What a session tells of its calls: loops, recovery, obedience."""

from __future__ import annotations

from typing import Any

import pytest

from analytics.calls import Call
from analytics.judge import WINDOW_NS, Answer, SessionCall, apply_update, judge_session
from analytics.settings import JudgeSettings
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

SETTINGS = JudgeSettings()
SECOND = 1_000_000_000
T0 = 1_790_000_000 * SECOND


def made(n: int, at: float, *, ok: bool = False, tool: str = "find", lasts: float = 0.1, **more: Any) -> Call:
    """A judged call that began `at` seconds into the session."""
    fields: dict[str, Any] = {
        "outcome": Outcome.OK if ok else Outcome.UNSTRUCTURED_ERROR,
        "arguments_hash": "a",
        "result_hash": "r",
        "fingerprint": None if ok else "f",
        "code": None if ok else "UNAVAILABLE",
        "arguments": '{"q": "x"}',
        "turn": 0,
    }
    fields.update(more)
    return Call(
        id=f"c{n}",
        project="default",
        trace_id="t",
        span_id=f"s{n}",
        span_ids=[f"s{n}"],
        tool=tool,
        started_ns=T0 + int(at * SECOND),
        duration_ms=lasts * 1000,
        declared=Declared.NONE,
        confidence=Confidence.CERTAIN,
        payload=Payload.CAPTURED,
        **fields,
    )


def judged(calls: list[Call], **more: Any) -> dict[str, Call]:
    """The calls after the session's pass, by id."""
    by_id = {call.id: call for call in calls}
    for update in judge_session([SessionCall.of(call) for call in calls], SETTINGS, **more):
        apply_update(by_id[update.id], update)
    return by_id


def storms(calls: list[Call]) -> list[str]:
    """The ids of the calls that bear the flag."""
    return [call.id for call in judged(calls).values() if "retry_storm" in call.flags]


def test_five_equal_failures_are_a_storm() -> None:
    """From the fifth equal call with the same failure on, each bears the flag; four are none."""
    assert storms([made(n, n) for n in range(6)]) == ["c4", "c5"]
    assert storms([made(n, n) for n in range(4)]) == []


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": lambda n: f"f{n}"},
        {"arguments_hash": lambda n: f"a{n}"},
        {"tool": lambda n: f"t{n}"},
    ],
)
def test_what_changes_is_no_storm(change: dict[str, Any]) -> None:
    """Another failure, other arguments or another tool each time is no storm."""
    calls = [made(n, n, **{key: make(n) for key, make in change.items()}) for n in range(8)]

    assert storms(calls) == []


def test_a_success_in_between_ends_the_run() -> None:
    """A good answer between equal failures begins the count anew."""
    calls = [made(n, n, ok=n == 3) for n in range(7)]

    assert storms(calls) == []


def test_polling_and_fan_out() -> None:
    """A poll whose result changes, a job reported as running, and overlapping starts are no storms."""
    changing = [made(n, n, ok=True, result_hash=f"r{n}") for n in range(8)]
    waiting = [made(n, n, ok=True, result='{"status": "running"}') for n in range(8)]
    parallel = [made(n, n / 100, lasts=5) for n in range(8)]

    assert (storms(changing), storms(waiting), storms(parallel)) == ([], [], [])


def test_equal_good_answers_in_a_row_are_a_storm_too() -> None:
    """Reading the same thing five times without anything between is a loop; with other calls between it is none."""
    row = [made(n, n, ok=True) for n in range(5)]
    mixed = [made(n, n, ok=True, tool="find" if n % 2 else "edit") for n in range(12)]

    assert (storms(row), storms(mixed)) == (["c4"], [])


def test_a_second_pass_changes_nothing() -> None:
    """The pass replaces what it said before: asked again, with copies and in another order, it says the same."""
    calls = [made(n, n) for n in range(7)]
    first = {name: (list(c.flags), list(c.rules), list(c.evidence)) for name, c in judged(calls).items()}

    again = [SessionCall.of(call) for call in (*reversed(calls), *calls)]
    assert judge_session(again, SETTINGS) == []
    assert {n: (c.flags, c.rules, c.evidence) for n, c in judged(calls).items()} == first


def test_recovered_by_the_same_call() -> None:
    """The same call that succeeds later makes the failure recovered; nobody knows before."""
    assert judged([made(0, 0), made(1, 5, ok=True)])["c0"].recovered is True
    assert judged([made(0, 0)])["c0"].recovered is None
    assert judged([made(0, 0), made(1, 5, ok=True, arguments_hash="b")])["c0"].recovered is None


def test_recovered_by_a_corrected_argument() -> None:
    """A wrong argument is recovered when a later call keeps the others and succeeds."""
    wrong = made(0, 0, code="INVALID_ARGUMENT", arguments='{"date": "soon", "slot": "10:00"}')
    right = made(1, 5, ok=True, arguments_hash="b", arguments='{"date": "2026-10-06", "slot": "10:00"}')
    other = made(1, 5, ok=True, arguments_hash="b", arguments='{"date": "2026-10-06", "slot": "12:00"}')

    assert judged([wrong, right])["c0"].recovered is True
    wrong.recovered = None
    assert judged([wrong, other])["c0"].recovered is None


def test_recovered_by_telling_the_user() -> None:
    """An answer that takes up the error tells the user; one about something else does not."""
    call = made(0, 0, tool="book_meeting", error_message="The calendar backend does not answer (ref 1a2b3c4d).")
    told = Answer(T0 + 3 * SECOND, "I could not book it: the calendar backend gives no answer right now.")
    by_reference = Answer(T0 + 3 * SECOND, "It went wrong, ref 1a2b3c4d.")
    silent = Answer(T0 + 3 * SECOND, "Done! You are all set for Tuesday.")
    early = Answer(T0 - SECOND, "the calendar backend is fine")

    assert judged([call], answers=[told])["c0"].recovered is True
    call.recovered = None
    assert judged([call], answers=[by_reference])["c0"].recovered is True
    call.recovered = None
    assert judged([call], answers=[silent])["c0"].recovered is None
    assert judged([call], answers=[early])["c0"].recovered is None


def test_unrecovered_when_the_session_is_over() -> None:
    """Half an hour of quiet makes an open failure a final one."""
    call = made(0, 0)

    assert judged([call], now_ns=T0 + WINDOW_NS + SECOND)["c0"].recovered is False


def test_obedience() -> None:
    """Going on after a stop, repeating what must not be repeated, not waiting: each is noted with the later call."""
    envelope: dict[str, Any] = {"outcome": Outcome.STRUCTURED_ERROR}
    stop = [made(0, 0, action="stop_and_tell_user", retryable=False, **envelope), made(1, 5, arguments_hash="b")]
    again = [made(0, 0, retryable=False, **envelope), made(1, 5)]
    early = [made(0, 0, retryable=True, retry_after_s=30.0, **envelope), made(1, 5)]
    waited = [made(0, 0, retryable=True, retry_after_s=30.0, **envelope), made(1, 31)]

    assert judged(stop)["c0"].rules == ["agent.went_on_after_stop"]
    assert judged(again)["c0"].rules == ["agent.retried_not_retryable"]
    assert judged(early)["c0"].rules == ["agent.ignored_retry_after"]
    assert judged(waited)["c0"].rules == []
    assert stop[0].evidence[0]["span_id"] == "s1"
