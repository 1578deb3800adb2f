"""Other sessions make a verdict surer, and change nothing else."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from analytics.calls import Call
from analytics.jobs import JudgeJob
from analytics.jobs.call_rows import digest
from analytics.jobs.corrections import correct
from analytics.jobs.corroborate import corroborate, corroborate_since
from analytics.jobs.rejudge import rejudge
from analytics.judge import SessionCall, Update
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from collector.store import DuckDBStore
from telltale.vocabulary import Confidence, Declared, Outcome, Payload
from tests.jobs.stubs import SECOND, T0, stub_judge, stub_session, tool_span
from tests.jobs.test_exact import assert_exact

MINUTE = 60 * SECOND
NOW = T0 + 10 * MINUTE
EMPTY = {"outcome": "silent_failure", "rule": "trace.empty_after_failure", "code": "UNAVAILABLE"}


def judge_with_doubt(trace: Trace, settings: JudgeSettings) -> list[Call]:
    """As `stub_judge`; `confidence` and `upstream` are what the span says too."""
    told = {span.span_id: span.attributes for span in trace.spans}
    calls = stub_judge(trace, settings)
    for call in calls:
        call.confidence = Confidence(told[call.span_id].get("confidence", "suspected"))
        call.upstream = told[call.span_id].get("upstream")
    return calls


def job_on(store: DuckDBStore, **options: Any) -> JudgeJob:
    """A job with that judge."""
    return JudgeJob(store, **{"pause_s": 0, "again_s": 0, "judge_trace": judge_with_doubt, **options})


def failing(trace: int, session: str, *, upstream: str = "api.example.com 503", **more: Any) -> Span:
    """A silent failure with an upstream."""
    return tool_span(trace, 0, session=session, upstream=upstream, **{**EMPTY, **more})


def doubts(store: DuckDBStore) -> dict[str, tuple[str, list[str]]]:
    """Confidence and later rules of each session's silent failures."""
    rows = store.read("SELECT session_key, confidence, rules FROM call WHERE outcome = 'silent_failure'").to_pylist()
    return {
        row["session_key"]: (row["confidence"], [rule for rule in row["rules"] if rule.startswith("sessions.")])
        for row in rows
    }


SURER = ("probable", ["sessions.same_upstream"])
AS_BEFORE: tuple[str, list[str]] = ("suspected", [])


def test_the_same_upstream_in_other_sessions(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Three other sessions within five minutes make each of the four surer, once, with the evidence."""
    send(*(failing(n * 60, f"s{n}") for n in range(4)))
    job_on(store).drain()

    assert (corroborate(store, NOW), corroborate(store, NOW)) == (4, 0)
    assert set(map(repr, doubts(store).values())) == {repr(SURER)}
    [evidence] = store.read("SELECT evidence FROM call WHERE session_key = 's0'").column("evidence").to_pylist()
    assert json.loads(evidence)[-1] == {
        "rule": "sessions.same_upstream",
        "mark": "raised from suspected",
        "value": "api.example.com 503, in 3 other sessions within 5 min",
    }
    assert_exact(store)


def test_a_failure_that_said_so_is_a_witness(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Whatever the other calls came to and whichever tool they were: the upstream failed for them."""
    seen = {"outcome": "unstructured_error", "tool": "mail"}
    send(failing(0, "s0"), *(failing(n, f"s{n}", **seen) for n in range(1, 4)))
    job_on(store).drain()

    assert corroborate(store, NOW) == 1
    assert doubts(store) == {"s0": SURER}


NEAR_MISSES: dict[str, list[Span]] = {
    "two others": [failing(n, f"s{n}") for n in range(3)],
    "one session": [failing(n, "s0") for n in range(5)],
    "another upstream": [failing(n, f"s{n}", upstream=f"host{n} 503") for n in range(5)],
    "no upstream": [failing(n, f"s{n}", upstream="") for n in range(5)],
    "hours apart": [failing(n * 301, f"s{n}") for n in range(5)],
    "of the request": [failing(n, f"s{n}", code="NOT_FOUND", upstream="api.example.com 404") for n in range(5)],
    "another project": [
        tool_span(n, 0, project=f"p{n}", session=f"s{n}", upstream="api.example.com 503", **EMPTY) for n in range(5)
    ],
    "others were well": [failing(0, "s0"), *(failing(n, f"s{n}", outcome="ok") for n in range(1, 6))],
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_is_no_evidence(store: DuckDBStore, send: Callable[..., None], name: str) -> None:
    """Too few, too far, the same user, another source, or a failure that is about the request."""
    send(*NEAR_MISSES[name])
    job_on(store).drain()

    assert corroborate(store, T0 + 25 * MINUTE) == 0
    assert set(map(repr, doubts(store).values())) == {repr(AS_BEFORE)}


def good(count: int, **more: Any) -> list[Span]:
    """Good results of the tool that the failing calls use, none of them empty unless told."""
    return [tool_span(1, n, session="good", **{"result": {"items": [n]}, **more}) for n in range(count)]


def test_a_tool_that_is_never_empty_otherwise(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Thirty good results and not one of them empty."""
    send(*good(30), failing(2, "s0"))
    job_on(store).drain()

    assert (corroborate(store, NOW), corroborate(store, NOW)) == (1, 0)
    assert doubts(store) == {"s0": ("probable", ["sessions.never_empty"])}


@pytest.mark.parametrize(
    "others",
    [
        good(29),
        [*good(29), tool_span(3, 0, result={"items": []})],
        [*good(60), tool_span(3, 0, result=[])],
        good(40, tool="mail"),
        good(40, payload="absent"),
        good(40, project="other"),
    ],
    ids=["too few", "empty at last", "empty once", "another tool", "not captured", "another project"],
)
def test_what_does_not_show_it(store: DuckDBStore, send: Callable[..., None], others: list[Span]) -> None:
    """Too little is known, or the tool is empty now and then."""
    send(*others, failing(2, "s0"))
    job_on(store).drain()

    assert corroborate(store, NOW) == 0
    assert doubts(store) == {"s0": AS_BEFORE}


def test_a_verdict_that_does_not_rest_on_emptiness_stays(store: DuckDBStore, send: Callable[..., None]) -> None:
    """That a tool is never empty says nothing of a text."""
    send(*good(40), failing(2, "s0", rule="trace.text_after_failure"))
    job_on(store).drain()

    assert corroborate(store, NOW) == 0


def test_each_kind_raises_one_step(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Both together make a suspicion certain; what is certain or was corrected, or is older, is left alone."""
    send(*good(30), *(failing(n, f"s{n}") for n in range(2, 5)))
    send(failing(5, "sure", confidence="certain"), failing(6, "fine"))
    job_on(store).drain()
    [row] = store.read("SELECT span_id FROM call WHERE session_key = 'fine'").to_pylist()
    correct(store, "default", row["span_id"], outcome=Outcome.OK, who="ada", why="so")
    correct(store, "default", row["span_id"], outcome=Outcome.SILENT_FAILURE, who="ada", why="no")
    certain = doubts(store)

    assert corroborate(store, NOW) == 0
    assert doubts(store) == certain
    assert corroborate(store, T0 + 60 * MINUTE) == 0


def test_both_kinds_make_it_certain(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Two steps, one for each kind; the outcome, the code and every count are as they were."""
    send(*good(30), *(failing(n, f"s{n}") for n in range(2, 6)))
    job_on(store).drain()
    before = store.read("SELECT id, outcome, code, digest FROM call ORDER BY id").to_pylist()

    assert corroborate(store, NOW) == 4
    assert doubts(store)["s2"] == ("certain", ["sessions.same_upstream", "sessions.never_empty"])
    assert store.read("SELECT id, outcome, code, digest FROM call ORDER BY id").to_pylist() == before
    assert corroborate(store, NOW) == 0
    assert corroborate(store, T0 + 60 * MINUTE) == 0
    assert_exact(store)


def test_a_trace_that_is_judged_again_keeps_it(store: DuckDBStore, send: Callable[..., None]) -> None:
    """The same verdict leaves the row alone, through a restart too; another verdict starts anew."""
    send(*(failing(n, f"s{n}") for n in range(4)))
    job_on(store).drain()
    corroborate(store, NOW)
    written = store.read("SELECT judged_ns FROM call WHERE session_key = 's0'").to_pylist()

    send(tool_span(0, 1, session="s0"))
    job_on(store).drain()
    assert doubts(store)["s0"] == SURER
    assert store.read("SELECT judged_ns FROM call WHERE id = $id", {"id": f"{0:016x}"}).to_pylist() == written

    moods = {"outcome": Outcome.UNSTRUCTURED_ERROR}

    def otherwise(trace: Trace, settings: JudgeSettings) -> list[Call]:
        calls = judge_with_doubt(trace, settings)
        for call in calls:
            call.outcome = moods["outcome"]
        return calls

    send(tool_span(0, 2, session="s0"))
    job_on(store, judge_trace=otherwise).drain()
    assert "s0" not in doubts(store)
    assert_exact(store)


def test_a_session_that_goes_on_keeps_it(store: DuckDBStore, send: Callable[..., None]) -> None:
    """What later calls of the session tell is written beside it, from memory that knows nothing of it."""

    def judge_calls(calls: list[SessionCall], *_: Any, **__: Any) -> list[Update]:
        first = calls[0]
        if len(calls) == 1 or "agent.seen" in first.rules:
            return []
        return [Update(first.id, first.flags, [*first.rules, "agent.seen"], first.evidence, None)]

    send(*(failing(n, f"s{n}") for n in range(4)))
    job = job_on(store, judge_calls=judge_calls)
    job.drain()
    corroborate(store, NOW)
    send(tool_span(9, 0, session="s0"))
    job.drain()

    [row] = store.read("SELECT * FROM call WHERE id = $id", {"id": f"{0:016x}"}).to_pylist()
    assert row["rules"] == ["trace.empty_after_failure", "agent.seen", "sessions.same_upstream"]
    assert row["confidence"] == "probable"
    assert [each["rule"] for each in json.loads(row["evidence"])][-1] == "sessions.same_upstream"
    assert corroborate(store, NOW) == 0
    assert_exact(store)


def test_rejudging_looks_for_it_again(
    store: DuckDBStore, send: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """New rules write the rows anew; what other sessions say is then looked for in all that was judged."""
    send(*(failing(n, f"s{n}") for n in range(4)))
    job_on(store).drain()
    corroborate(store, NOW)

    def newer(trace: Trace, settings: JudgeSettings) -> list[Call]:
        return [replace(call, rules_version=99) for call in judge_with_doubt(trace, settings)]

    monkeypatch.setattr(
        sys.modules["analytics.jobs.rejudge"], "JudgeJob", lambda store, _: job_on(store, judge_trace=newer)
    )
    assert rejudge(store, None) == 4
    assert set(map(repr, doubts(store).values())) == {repr(SURER)}
    assert corroborate_since(store, 0) == 0
    assert store.read("SELECT DISTINCT rules_version FROM call").to_pylist() == [{"rules_version": 99}]


def test_the_job_does_it_every_minute(store: DuckDBStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a minute has passed since the last time; not in between."""
    asked: list[int] = []
    monkeypatch.setattr("analytics.jobs.judge_job.corroborate", lambda _, now_ns: asked.append(now_ns))
    job = job_on(store)
    job.run_once()
    assert asked == []

    monkeypatch.setattr("analytics.jobs.judge_job.EVERY_S", 0.0)
    job.run_once()
    assert len(asked) == 1


def test_the_digest_is_of_the_judges_own_verdict() -> None:
    """With and without what others said it is the same; with another confidence of the judge it is not."""
    call = Call(
        id="a",
        project="default",
        trace_id="t",
        span_id="s",
        span_ids=["s"],
        tool="search",
        started_ns=T0,
        duration_ms=1.0,
        outcome=Outcome.SILENT_FAILURE,
        declared=Declared.NONE,
        confidence=Confidence.SUSPECTED,
        payload=Payload.CAPTURED,
        rules=["r"],
    )
    own = digest(call)
    call.rules = ["r", "sessions.never_empty"]
    call.evidence = [{"rule": "sessions.never_empty", "mark": "raised from suspected", "value": ""}]
    call.confidence = Confidence.PROBABLE

    assert digest(call) == own
    assert (call.confidence, len(call.rules), len(call.evidence)) == (Confidence.PROBABLE, 2, 1)
    call.evidence[0]["mark"] = "raised from probable"
    assert digest(call) != own


@pytest.mark.parametrize("seed", range(3))
def test_counts_stay_exact_through_any_history(store: DuckDBStore, send: Callable[..., None], seed: int) -> None:
    """Raised between batches, corrections and restarts: the sums always fit; in the end nothing is left to raise."""
    chance = random.Random(seed)
    spans = [
        tool_span(
            trace,
            number,
            session=f"s{trace}",
            outcome=chance.choice(["ok", "silent_failure", "silent_failure"]),
            rule=chance.choice(["trace.empty_after_failure", "r2"]),
            code="UNAVAILABLE",
            upstream=chance.choice(["one 503", "two 503", None]),
        )
        for trace in range(12)
        for number in range(chance.randrange(1, 5))
    ]
    chance.shuffle(spans)
    job = job_on(store, judge_calls=stub_session)
    while spans:
        batch = [spans.pop() for _ in range(min(len(spans), chance.randrange(1, 9)))]
        send(*batch)
        job.run_once()
        corroborate(store, NOW)
        if chance.random() < 0.3:
            job = job_on(store, judge_calls=stub_session)
        if chance.random() < 0.3:
            correct(store, "default", batch[0].span_id, outcome=chance.choice(list(Outcome)), who="sre", why="so")
    job.drain()
    corroborate(store, NOW)

    assert corroborate(store, NOW) == 0
    assert_exact(store)
