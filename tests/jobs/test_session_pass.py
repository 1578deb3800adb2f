"""However the calls of a session arrive, its pass comes to what one look at all of them comes to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.calls import Call
from analytics.jobs.session_pass import SessionPass
from analytics.jobs.writing import Judged
from analytics.judge import SessionCall, apply_update, judge_session
from analytics.settings import JudgeSettings
from analytics.spans import Trace
from analytics.store import TraceKey
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

SECOND = 1_000_000_000
T0 = 4_000_000_000 * SECOND  # to come: no session of it has gone quiet
SETTINGS = JudgeSettings()


class Nothing:
    """A transaction over an empty store."""

    def query(self, *_: Any) -> pa.Table:
        """No rows."""
        return pa.table({})


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[Call], list[list[int]], set[int]]:
    """Up to forty calls of one session, the batches in which they arrive, and which looked good when they first did."""
    count = draw(st.integers(1, 40))
    calls = [made(n, draw) for n in range(count)]
    order = draw(st.permutations(range(count))) if draw(st.booleans()) else list(range(count))
    size = draw(st.integers(1, 7))
    early = draw(st.sets(st.sampled_from(range(count)), max_size=6))
    order = [*draw(st.permutations(sorted(early))), *order] if draw(st.booleans()) else [*order, *sorted(early)]
    return calls, [list(order[start : start + size]) for start in range(0, len(order), size)], early


def made(n: int, draw: st.DrawFn) -> Call:
    """The n-th call; few tools, arguments and failures, so that they meet."""
    outcome = draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.UNSTRUCTURED_ERROR, Outcome.STRUCTURED_ERROR]))
    failed = outcome is not Outcome.OK
    advised = outcome is Outcome.STRUCTURED_ERROR
    arguments = draw(st.sampled_from(['{"q": 1}', '{"q": 2}', "{}"]))
    return Call(
        id=f"c{n}",
        project="default",
        trace_id=f"t{n}",
        span_id=f"s{n}",
        span_ids=[f"s{n}"],
        tool=draw(st.sampled_from(["find", "pay"])),
        started_ns=T0 + n * SECOND,
        duration_ms=draw(st.sampled_from([100.0, 1500.0])),
        outcome=outcome,
        declared=Declared.NONE,
        confidence=Confidence.CERTAIN,
        payload=Payload.CAPTURED,
        session_id="s",
        code=draw(st.sampled_from(["INVALID_ARGUMENT", "INTERNAL"])) if failed else None,
        action=draw(st.sampled_from(["stop_and_tell_user", "retry_later"])) if advised else None,
        retryable=draw(st.booleans()) if advised else None,
        retry_after_s=draw(st.sampled_from([None, 5.0])) if advised else None,
        fingerprint="f" if failed else None,
        arguments=arguments,
        arguments_hash=arguments,
        result_hash=draw(st.sampled_from(["r", "r", "r2"])),
        rules=["r1"] if failed else [],
        evidence=[{"rule": "r1"}] if failed else [],
    )


def verdict(call: Call | SessionCall) -> tuple[Any, ...]:
    """What the pass says of a call; which later call a rule names may depend on which came first."""
    return call.id, call.recovered, sorted(call.flags), sorted(call.rules)


def looking_good(call: Call) -> Call:
    """The call before the spans came that show its failure."""
    return replace(call, outcome=Outcome.OK, code=None, action=None, retryable=None, rules=[], evidence=[], flags=[])


@given(sessions())
@settings(max_examples=150, deadline=None)
def test_any_order_and_any_batches_give_the_same_verdicts(
    given_: tuple[list[Call], list[list[int]], set[int]],
) -> None:
    """Shortcuts over stored calls leave nothing out, and late calls and late spans change what they should."""
    calls, batches, early = given_
    whole = [SessionCall.of(call) for call in calls]
    for update in judge_session(whole, SETTINGS):
        apply_update(next(call for call in whole if call.id == update.id), update)

    session_pass = SessionPass(SETTINGS, judge_session)
    for batch in batches:
        judged = []
        for n in dict.fromkeys(batch):
            is_early = n in early and batch.count(n) == 1
            early.discard(n)
            call = looking_good(calls[n]) if is_early else replace(calls[n])
            judged.append(Judged(TraceKey("default", f"t{n}"), Trace("default", f"t{n}", [], []), [call]))
        session_pass.run(Nothing(), judged, {})  # type: ignore[arg-type]
        session_pass.remember()
    stored = session_pass._memory._recent["default", "s"].calls

    assert sorted(map(verdict, stored)) == sorted(map(verdict, whole))
