"""Every derived table equals what a count over the calls gives, after any history of batches and verdicts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from analytics.calls import Call
from analytics.jobs import JudgeJob
from analytics.jobs.corrections import correct, take_back
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from analytics.store import Batch
from collector.store import DuckDBStore
from telltale.vocabulary import Code, Outcome
from tests.api.scene import scene
from tests.jobs.stubs import T0, stub_judge, stub_session, tool_span

RECOUNTED = {
    "rollup_hour": """SELECT project, CAST(started_ns // 3600000000000 AS INTEGER) AS hour, tool, outcome,
        coalesce(code, 'none') AS code, payload, measured, inferred, muted,
        list_contains(flags, 'budget_exhausted') AS budget_exhausted,
        CASE WHEN recovered THEN 'yes' WHEN recovered IS NULL THEN 'unknown' ELSE 'no' END AS recovered,
        count(*) AS calls FROM call GROUP BY ALL""",
    "latency_day": """SELECT project, CAST(started_ns // 86400000000000 AS INTEGER) AS day, tool,
        CASE WHEN duration_ms <= 0.01 THEN 0 ELSE CAST(ceil(ln(duration_ms / 0.01) / ln(1.1)) AS INTEGER) END AS bucket,
        count(*) AS calls FROM call GROUP BY ALL""",
    "tool_session": """SELECT project, session_key AS session_id, tool, count(*) AS failures, min(started_ns) AS t0_ns,
        max(started_ns) AS t1_ns FROM call WHERE outcome <> 'ok' GROUP BY ALL""",
    "session": """SELECT project, session_key AS session_id, min(started_ns) AS t0_ns, count(*) AS calls,
        count(CASE WHEN outcome <> 'ok' THEN 1 END) AS failures,
        count(CASE WHEN outcome = 'silent_failure' THEN 1 END) AS silent,
        count(CASE WHEN outcome <> 'ok' AND recovered IS NOT TRUE THEN 1 END) AS unrecovered,
        list_sort(list(DISTINCT tool)) AS tools,
        list_sort(coalesce(list(DISTINCT code) FILTER (WHERE outcome <> 'ok' AND code IS NOT NULL), [])) AS codes,
        count(DISTINCT trace_id) AS traces
        FROM call GROUP BY ALL""",
    "sender": """SELECT project, 'shop' AS service, 'tests' AS scope, 'stub' AS convention, count(*) AS calls
        FROM call GROUP BY ALL""",
}


def assert_exact(store: DuckDBStore) -> None:
    """Compare every derived table with its recount."""
    for table, recount in RECOUNTED.items():
        expected = store.read(recount)
        columns = ", ".join(f'"{name}"' for name in expected.column_names)
        kept = "WHERE calls > 0" if "calls" in expected.column_names else ""
        found = store.read(f"SELECT {columns} FROM {table} {kept}")
        assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist())), table


def any_span(chance: random.Random, trace: int, number: int) -> Span:
    """A call of any kind in one of a few sessions."""
    span = tool_span(
        trace,
        number,
        tool=chance.choice(["search", "mail"]),
        outcome=chance.choice(list(Outcome)),
        code=chance.choice([None, "INTERNAL", "NOT_FOUND"]),
        rule=chance.choice(["r1", "r2"]),
        flags=chance.choice([[], ["budget_exhausted"]]),
    )
    if trace % 3:
        span.attributes["session"] = f"s{trace % 4}"
    span.end_ns = span.start_ns + chance.randrange(1, 50) * 1_000_000
    return span


@pytest.mark.parametrize("seed", range(4))
def test_counts_stay_exact_through_any_history(store: DuckDBStore, seed: int) -> None:
    """Spans in any order and batching, verdicts that change, corrections, restarts: the sums always fit."""
    chance = random.Random(seed)
    moods: dict[str, str] = {}

    def moody_judge(trace: Trace, settings: JudgeSettings) -> list[Call]:
        calls = stub_judge(trace, settings)
        for call in calls:
            call.outcome = Outcome(moods.get(call.trace_id, call.outcome))
        return calls

    options: dict[str, Any] = {"pause_s": 0, "again_s": 0, "judge_trace": moody_judge, "judge_calls": stub_session}
    spans = [any_span(chance, trace, number) for trace in range(12) for number in range(chance.randrange(1, 6))]
    chance.shuffle(spans)
    job = JudgeJob(store, **options)
    while spans:
        batch = [spans.pop() for _ in range(min(len(spans), chance.randrange(1, 9)))]
        moods[chance.choice(batch).trace_id] = chance.choice(list(Outcome))
        store.append(Batch(spans=batch))
        job.run_once()
        if chance.random() < 0.2:
            job = JudgeJob(store, **options)
        if chance.random() < 0.3:
            outcome = chance.choice(list(Outcome))
            code = None if outcome is Outcome.OK else chance.choice([None, Code.CONFLICT])
            correct(store, "default", batch[0].span_id, outcome=outcome, code=code, who="sre", why="so")
        if chance.random() < 0.2:
            said = store.read("SELECT id FROM correction WHERE undone_ns IS NULL")["id"].to_pylist()
            for named in said[: chance.randrange(2)]:
                take_back(store, "default", named, who="sre", why="no")
                assert_exact(store)
    job.drain()

    assert_exact(store)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_taken_back_leaves_no_trace_in_the_calls(tmp_path: Path, seed: int) -> None:
    """After any words, taken back in any order, rows are as the judge left them, digests included, and counts fit."""
    chance = random.Random(seed)
    store = DuckDBStore(tmp_path / "words.db")
    store.append(scene(T0))
    JudgeJob(store, pause_s=0).drain()
    whole = "SELECT * EXCLUDE judged_ns FROM call ORDER BY id"
    before = store.read(whole).to_pylist()
    spans = [row["span_id"] for row in before]
    said = [
        correct(store, "default", chance.choice(spans), outcome=chance.choice(list(Outcome)), who="sre", why="so")["id"]
        for _ in range(8)
    ]
    chance.shuffle(said)
    for named in said:
        take_back(store, "default", named, who="sre", why="no")
        assert_exact_of_scene(store)

    assert store.read(whole).to_pylist() == before
    store.close()


def assert_exact_of_scene(store: DuckDBStore) -> None:
    """The hourly counts equal a recount."""
    recount = store.read(RECOUNTED["rollup_hour"])
    columns = ", ".join(f'"{name}"' for name in recount.column_names)
    found = store.read(f"SELECT {columns} FROM rollup_hour WHERE calls > 0")
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, recount.to_pylist()))


@pytest.mark.parametrize("seed", range(3))
def test_any_batching_gives_the_same_verdicts(tmp_path: Path, seed: int) -> None:
    """The real judge over the same spans, in one batch or in any others, in any order: the same rows."""
    chance = random.Random(seed)
    at = T0
    whole, parts = DuckDBStore(tmp_path / "whole.db"), DuckDBStore(tmp_path / "parts.db")
    whole.append(scene(at))
    JudgeJob(whole, pause_s=0).drain()
    spans = scene(at).spans
    chance.shuffle(spans)
    while spans:
        parts.append(Batch(spans=[spans.pop() for _ in range(min(len(spans), chance.randrange(1, 4)))]))
        JudgeJob(parts, pause_s=0).drain()
    compared = "SELECT * EXCLUDE (judged_seq, judged_ns, received_ns, digest) FROM call ORDER BY id"

    assert parts.read(compared).to_pylist() == whole.read(compared).to_pylist()
    whole.close()
    parts.close()
