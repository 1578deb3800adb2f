"""Evidence from other sessions: it makes a silent failure surer, and never changes what a call came to.

A verdict rests on one trace. Two things that only the store knows speak for it: that the same upstream failed in the
same minutes for others too, and that the tool is never empty otherwise. Each raises the confidence by one step, once
for a call. The row keeps the digest of the judge's own verdict, so that a trace that is judged again to the same
verdict leaves what was added alone; where the verdict is another one, the evidence is looked for anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analytics.calls import Call
from analytics.jobs.call_rows import call_of, raised_from
from analytics.jobs.writing import Change, Placed, write_change
from analytics.judge.rules import NEVER_EMPTY, SAME_UPSTREAM
from analytics.questions.times import HOUR_NS
from analytics.store import Store
from telltale.payload.objects.empty import is_empty
from telltale.payload.wrappers import unwrap
from telltale.vocabulary import Confidence

WINDOW_NS = HOUR_NS // 2
"""How long after its start a call is still looked at."""

MINUTES_NS = HOUR_NS // 12
"""How far before and after a call the same failure of the upstream counts as the same minutes."""

OTHER_SESSIONS = 3
"""Other sessions in which the upstream must have failed: one or two may be the same user at another try."""

GOOD_RESULTS = 30
"""Good results, none of them empty, that a tool must have given before one that is empty speaks against itself: a tool
that is empty in a tenth of its calls shows none in 30 once in 24 times, one that is in a fifth once in 800."""

SAMPLE = 200
"""The latest good results of a tool that are looked at, of the last day."""

AT_ONCE, TOOLS = 500, 20
"""Most rows raised in one run, and most tools whose results are looked at."""

_STEP = {Confidence.SUSPECTED: Confidence.PROBABLE, Confidence.PROBABLE: Confidence.CERTAIN}

_OPEN = """outcome = 'silent_failure' AND confidence <> 'certain' AND started_ns >= $from_ns AND started_ns < $until_ns
    AND NOT list_contains(rules, 'correction')"""
_SAME = f"""SELECT project, id, upstream, others FROM (
    SELECT project, id, upstream, outcome, confidence, rules, started_ns, count(DISTINCT session_key) OVER (
        PARTITION BY project, upstream ORDER BY started_ns
        RANGE BETWEEN {MINUTES_NS} PRECEDING AND {MINUTES_NS} FOLLOWING
    ) - 1 AS others
    FROM call
    WHERE started_ns >= $from_ns - {MINUTES_NS} AND started_ns < $until_ns + {MINUTES_NS} AND outcome <> 'ok'
        AND upstream <> '' AND code IN ('UNAVAILABLE', 'INTERNAL', 'RATE_LIMITED', 'PERMISSION_DENIED')
)
WHERE {_OPEN} AND others >= {OTHER_SESSIONS} AND NOT list_contains(rules, '{SAME_UPSTREAM}')
ORDER BY started_ns LIMIT {AT_ONCE}"""  # noqa: S608  (numbers and names of ours)
"""A code that speaks of the request and not of the upstream (NOT_FOUND…) says nothing of anybody else's call."""

_EMPTY = f"""SELECT project, tool, list(id ORDER BY started_ns)[:{AT_ONCE}] AS ids FROM call
WHERE {_OPEN} AND list_has_any(rules, ['trace.empty_after_failure', 'trace.empty_after_exception'])
    AND NOT list_contains(rules, '{NEVER_EMPTY}')
GROUP BY project, tool ORDER BY count(*) DESC, tool LIMIT {TOOLS}"""  # noqa: S608
_GOOD = f"""SELECT result FROM call WHERE result IS NOT NULL AND rowid IN (
    SELECT rowid FROM call
    WHERE project = $project AND tool = $tool AND started_ns >= $until_ns - {24 * HOUR_NS} AND started_ns < $until_ns
        AND outcome = 'ok' AND payload = 'captured'
    ORDER BY started_ns DESC LIMIT {SAMPLE}
)"""  # noqa: S608
_ROWS = """SELECT * FROM call WHERE project = $project AND id IN (SELECT unnest($ids))
    AND started_ns >= $from_ns AND started_ns < $until_ns AND outcome = 'silent_failure'"""
_HOURS = """SELECT DISTINCT started_ns // $step AS step FROM call
WHERE started_ns >= $since AND outcome = 'silent_failure' AND confidence <> 'certain' ORDER BY step"""


@dataclass(slots=True, frozen=True)
class _Found:
    rule: str
    value: Any


def corroborate(store: Store, now_ns: int) -> int:
    """Raise the confidence of the silent failures of the last half hour that others speak for; returns how many.

    Raises:
        StoreUnavailable: nothing is kept; the same call may work later.
    """
    return _corroborate(store, now_ns - WINDOW_NS, now_ns + MINUTES_NS)


def corroborate_since(store: Store, since_ns: int) -> int:
    """As `corroborate`, for all stored calls since a time (ns): rows that were judged anew have lost it."""
    raised = 0
    for row in store.read(_HOURS, {"since": since_ns, "step": WINDOW_NS}).to_pylist():
        from_ns = row["step"] * WINDOW_NS
        while done := _corroborate(store, from_ns, from_ns + WINDOW_NS):
            raised += done
    return raised


def _corroborate(store: Store, from_ns: int, until_ns: int) -> int:
    place = {"from_ns": from_ns, "until_ns": until_ns}
    found: dict[str, dict[str, list[_Found]]] = defaultdict(lambda: defaultdict(list))
    for project, call_id, each in (*_same_upstream(store, place), *_never_empty(store, place)):
        found[project][call_id].append(each)
    if not found:
        return 0
    change = Change()
    with store.write() as transaction:
        for project, calls in found.items():
            rows = transaction.query(_ROWS, {"project": project, "ids": list(calls), **place})
            for row in rows.to_pylist():
                _add(change, row, calls[row["id"]])
        if change.added:
            write_change(transaction, change)
    return len(change.added)


def _same_upstream(store: Store, place: Mapping[str, int]) -> Iterator[tuple[str, str, _Found]]:
    for row in store.read(_SAME, place).to_pylist():
        said = f"{row['upstream']}, in {row['others']} other sessions within {MINUTES_NS // (60 * 10**9)} min"
        yield row["project"], row["id"], _Found(SAME_UPSTREAM, said)


def _never_empty(store: Store, place: Mapping[str, int]) -> Iterator[tuple[str, str, _Found]]:
    for row in store.read(_EMPTY, place).to_pylist():
        asked = {"project": row["project"], "tool": row["tool"], "until_ns": place["until_ns"]}
        good = store.read(_GOOD, asked).column("result").to_pylist()
        if len(good) >= GOOD_RESULTS and not any(is_empty(unwrap(text).value) for text in good):
            for call_id in row["ids"]:
                yield row["project"], call_id, _Found(NEVER_EMPTY, f"none of the last {len(good)} good results")


def _add(change: Change, row: Mapping[str, Any], found: list[_Found]) -> None:
    """Add what is new to a row: a run that saw an older state of it may have been overtaken by a correction."""
    call = call_of(row)
    before = call.confidence
    for each in found:
        _raise(call, each)
    if call.confidence is not before:
        change.gone.append(row)
        change.added.append(Placed(call, row["scope"], row["judged_seq"], row["digest"]))


def _raise(call: Call, found: _Found) -> None:
    surer = _STEP.get(call.confidence)
    if surer is None or found.rule in call.rules:
        return
    call.rules = [*call.rules, found.rule]
    call.evidence = [*call.evidence, {"rule": found.rule, "mark": raised_from(call.confidence), "value": found.value}]
    call.confidence = surer
