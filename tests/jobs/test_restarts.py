"""A job that starts anew at every border of a batch comes to the verdicts of one that never stopped."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from analytics.calls import Call
from analytics.jobs import JudgeJob
from analytics.judge import judge_session
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from analytics.store import Batch
from collector.store import DuckDBStore
from telltale.vocabulary import Outcome
from tests.jobs.stubs import T0, stub_judge, tool_span

LATER = 2_000_000_000 * 1_000_000_000
"""From the stubs' time to one that is to come: no session goes quiet while the test runs."""


def judge_as_told(trace: Trace, settings: JudgeSettings) -> list[Call]:
    """The stub's calls with the arguments and the advice of their spans."""
    told = {span.span_id: span.attributes for span in trace.spans}
    calls = stub_judge(trace, settings)
    for call in calls:
        says = told[call.span_id]
        call.arguments = call.arguments_hash = says["arguments"]
        call.result_hash = call.result
        call.retryable, call.retry_after_s = says.get("retryable"), says.get("retry_after_s")
        call.fingerprint = None if call.outcome is Outcome.OK else says["outcome"]
    return calls


OPTIONS: dict[str, Any] = {"pause_s": 0, "again_s": 0, "judge_trace": judge_as_told, "judge_calls": judge_session}
VERDICT = "SELECT id, outcome, flags, rules, evidence, confidence, recovered, turn FROM call ORDER BY id"


def any_span(chance: random.Random, trace: int, number: int) -> Span:
    """A call of one session: few tools and arguments, so that retries, advice and loops meet."""
    outcome = chance.choice([Outcome.OK, Outcome.OK, Outcome.UNSTRUCTURED_ERROR, Outcome.STRUCTURED_ERROR])
    advice: dict[str, Any] = {}
    if outcome is Outcome.STRUCTURED_ERROR:
        advice = chance.choice(
            [{"action": "stop_and_tell_user"}, {"retryable": False}, {"retryable": True, "retry_after_s": 5.0}]
        )
    return _later(
        tool_span(
            trace,
            number,
            session="s",
            tool=chance.choice(["find", "pay"]),
            outcome=outcome.value,
            arguments=chance.choice(['{"q": 1}', '{"q": 2}']),
            result={"n": chance.randrange(2)},
            **advice,
        )
    )


def any_agent(trace: int, number: int) -> Span:
    """The run of an agent: a turn begins with it."""
    span = _later(tool_span(trace, number))
    span.span_id = f"{trace * 1000 + 500 + number:016x}"
    span.start_ns -= 1
    span.attributes = {"gen_ai.operation.name": "invoke_agent"}
    return span


def _later(span: Span) -> Span:
    span.start_ns += LATER
    span.end_ns += LATER
    return span


def any_session(chance: random.Random) -> list[list[Span]]:
    """Up to six traces of one session, with turns or without, in batches; most in order, some late."""
    spans: list[Span] = []
    for trace in range(chance.randrange(2, 7)):
        calls = chance.randrange(1, 6)
        spans += [any_span(chance, trace, number) for number in range(calls)]
        if chance.random() < 0.5:
            spans += [any_agent(trace, number) for number in sorted({0, chance.randrange(calls)})]
    spans.sort(key=lambda span: span.start_ns)
    for _ in range(chance.randrange(4)):
        spans.append(spans.pop(chance.randrange(len(spans))))
    if chance.random() < 0.3:
        chance.shuffle(spans)
    batches = []
    while spans:
        size = chance.randrange(1, 6)
        batches.append(spans[:size])
        del spans[:size]
    return batches


@pytest.mark.parametrize("seed", range(4))
def test_a_restart_at_every_border_changes_no_verdict(tmp_path: Path, seed: int) -> None:
    """Outcomes, flags, rules, what they rest on, recoveries and turns: the same rows, several sessions per seed."""
    assert LATER + T0 < 2**63
    for number in range(3):
        batches = any_session(random.Random(seed * 100 + number))
        kept, anew = DuckDBStore(tmp_path / f"kept-{number}.db"), DuckDBStore(tmp_path / f"anew-{number}.db")
        job = JudgeJob(kept, **OPTIONS)
        for batch in batches:
            kept.append(Batch(spans=list(batch)))
            job.drain()
            anew.append(Batch(spans=list(batch)))
            JudgeJob(anew, **OPTIONS).drain()
        assert anew.read(VERDICT).to_pylist() == kept.read(VERDICT).to_pylist()
        kept.close()
        anew.close()
