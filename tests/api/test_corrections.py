"""What people say of verdicts: outcome and code, taken back, and the precision that follows."""

from __future__ import annotations

import time
from typing import Any

import pytest

from analytics.api import BadRequestError, Context, NotFoundError, answer
from analytics.api.corrections import checked_verdicts
from analytics.jobs import JudgeJob, rejudge
from analytics.settings import JudgeSettings
from collector.store import DuckDBStore
from tests.api.scene import scene

Asked = dict[str, Any]


@pytest.fixture
def context(empty: DuckDBStore) -> Context:
    """The scene in a store of its own, judged."""
    empty.append(scene(time.time_ns()))
    JudgeJob(empty, pause_s=0).drain()
    return Context(empty)


def call_of(context: Context, tool: str, **more: str) -> Asked:
    """The newest call of a tool, in full."""
    [row, *_] = answer(context, "calls", {"tool": tool, **more})["rows"]
    return answer(context, "call", {}, path={"span_id": row["span_id"]})


def say(context: Context, call: Asked, **right: str) -> Asked:
    """Correct a call."""
    return answer(context, "correct", {}, body={"span_id": call["span_id"], "who": "ada", "why": "so", **right})


def take_back(context: Context, named: str) -> Asked:
    """Take a correction back."""
    return answer(context, "undo-correction", {}, path={"id": named}, body={"who": "bob", "why": "a mistake"})


def counted(context: Context) -> list[Any]:
    """Everything that counts calls, without the moment of the answer."""
    overview = answer(context, "overview", {})
    sessions = answer(context, "sessions", {})["rows"]
    kept = ("by_outcome", "compliance", "codes", "sessions_failed", "sessions_unrecovered", "silent")
    return [{name: overview[name] for name in kept}, answer(context, "tools", {})["rows"], sessions]


def precision(context: Context, rule: str) -> tuple[int, int]:
    """Numerator and denominator of a rule's precision."""
    [row] = [row for row in answer(context, "rules", {})["rows"] if row["rule"] == rule]
    return row["precision"]["numerator"], row["precision"]["denominator"]


def test_a_code_is_corrected_alone(context: Context) -> None:
    """The outcome stays the judge's; the code is a person's, everywhere, and the rule is not blamed for it."""
    call = call_of(context, "fetch_note")
    made = say(context, call, code="NOT_FOUND")
    after = call_of(context, "fetch_note")

    assert (made["judged"], made["outcome"], made["code"]) == ("unstructured_error", "unstructured_error", "NOT_FOUND")
    assert (after["outcome"], after["code"], after["code_source"]) == ("unstructured_error", "NOT_FOUND", "person")
    assert {row["code"] for row in answer(context, "tools-codes", {"tool": "fetch_note"})["rows"]} == {"NOT_FOUND"}
    assert precision(context, made["rule"]) == (1, 1)


def test_a_failure_that_went_unseen_gets_its_code(context: Context) -> None:
    """An ok verdict corrected to a failure may name the code in the same word."""
    call = call_of(context, "book_meeting", outcome="ok")
    say(context, call, outcome="silent_failure", code="CONFLICT")

    assert call_of(context, "book_meeting", code="CONFLICT")["outcome"] == "silent_failure"


@pytest.mark.parametrize(
    "right", [{}, {"code": "TEAPOT"}, {"outcome": "ok", "code": "INTERNAL"}, {"outcome": "fine"}], ids=str
)
def test_a_word_that_says_nothing_right_is_refused(context: Context, right: dict[str, str]) -> None:
    """A sentence names outcome or code; nothing is kept."""
    with pytest.raises(BadRequestError, match=r"outcome|code"):
        say(context, call_of(context, "fetch_note"), **right)
    assert answer(context, "corrections", {})["total"] == 0


@pytest.mark.parametrize("named", ["id", "span_id"])
def test_a_correction_is_taken_back_whole(context: Context, named: str) -> None:
    """Verdict, code, confidence and every count are as before; the word stays in the history with who and why."""
    before, call = counted(context), call_of(context, "list_meetings", outcome="failed")
    made = say(context, call, outcome="ok")
    assert counted(context) != before
    taken = take_back(context, made[named])

    assert (taken["corrected"], taken["in_force"]) == (1, None)
    assert {**call_of(context, "list_meetings", outcome="failed"), "as_of": ""} == {**call, "as_of": ""}
    assert counted(context) == before
    [kept] = answer(context, "corrections", {})["rows"]
    assert (kept["who"], kept["undone_by"], kept["undone_why"]) == ("ada", "bob", "a mistake")
    assert kept["undone_at"] >= kept["created_at"]


def test_what_was_taken_back_stays_so_when_judged_again(context: Context, empty: DuckDBStore) -> None:
    """A re-judge finds the same verdict, to the last field."""
    call = call_of(context, "fetch_note")
    take_back(context, say(context, call, outcome="ok")["id"])
    rejudge(empty, 0, JudgeSettings())
    again = call_of(context, "fetch_note")

    assert {**again, "as_of": ""} == {**call, "as_of": ""}


def test_the_word_before_is_in_force_again(context: Context) -> None:
    """Taking the last word back leaves the one before it; taking that back leaves the judge's."""
    call = call_of(context, "fetch_note")
    first = say(context, call, outcome="ok")
    second = say(context, call, outcome="silent_failure")

    assert take_back(context, second["id"])["in_force"] == first["id"]
    assert call_of(context, "fetch_note")["outcome"] == "ok"
    assert take_back(context, call["span_id"])["in_force"] is None
    assert call_of(context, "fetch_note")["outcome"] == "unstructured_error"


def test_what_nobody_said_cannot_be_taken_back(context: Context) -> None:
    """A sentence says which: unknown, not corrected, or taken back already."""
    call = call_of(context, "fetch_note")
    for named, why in (("nothing", "no correction and no call"), (call["span_id"], "nobody corrected")):
        with pytest.raises(NotFoundError, match=why):
            take_back(context, named)
    made = say(context, call, outcome="ok")
    take_back(context, made["id"])
    with pytest.raises(NotFoundError, match="already, by bob"):
        take_back(context, made["id"])


def test_precision_follows_what_stands(context: Context) -> None:
    """The last word on a call counts, once; what was taken back does not count."""
    call = call_of(context, "fetch_note")
    made = say(context, call, outcome="ok")
    assert precision(context, made["rule"]) == (0, 1)
    right = say(context, call, outcome=call["outcome"])
    assert precision(context, made["rule"]) == (1, 1)
    take_back(context, right["id"])
    assert precision(context, made["rule"]) == (0, 1)
    take_back(context, made["id"])
    assert precision(context, made["rule"]) == (0, 0)


def _word(rule: str, judged: str, outcome: str, span_id: str = "a") -> Asked:
    return {"rule": rule, "judged": judged, "outcome": outcome, "span_id": span_id, "undone_ns": None}


def test_a_rule_is_not_punished_for_an_ok_that_it_did_not_decide() -> None:
    """Where a hit was dismissed and a person says that the call failed, the rule's evidence stands."""
    stood, checked = checked_verdicts(
        [
            _word("payload.error_key", "ok", "unstructured_error", "a"),
            _word("payload.error_key", "unstructured_error", "unstructured_error", "b"),
            _word("trace.control_flow", "ok", "unstructured_error", "c"),
        ]
    )

    assert (stood["payload.error_key"], checked["payload.error_key"]) == (1, 1)
    assert (stood["trace.control_flow"], checked["trace.control_flow"]) == (0, 1), "it made the verdict ok"
