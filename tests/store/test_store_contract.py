"""What every implementation of the Store protocol must do."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from analytics.spans import Event, Link, LogRecord, Span
from analytics.store import Batch, Scope, Store, TraceKey
from collector.store import DuckDBStore

START = 1_764_500_000_000_000_000


def span(number: int = 1, trace: int = 1, **fields: object) -> Span:
    """A small span; every number is another one."""
    base = Span(
        trace_id=f"{trace:032x}",
        span_id=f"{number:016x}",
        parent_span_id="",
        name="execute_tool search",
        kind=1,
        start_ns=START + number,
        end_ns=START + number + 1000,
        attributes={"gen_ai.tool.name": "search", "n": number},
    )
    for name, value in fields.items():
        setattr(base, name, value)
    return base


def full_span() -> Span:
    """A span with something in every field."""
    return Span(
        trace_id="ab" * 16,
        span_id="cd" * 8,
        parent_span_id="ef" * 8,
        name="näme \u2400 ✓",
        kind=3,
        start_ns=2**64 - 1,
        end_ns=0,
        status_code=2,
        status_message="broken",
        attributes={
            "text": "x",
            "yes": True,
            "int": 2**63 - 1,
            "float": 0.5,
            "list": [1, "a"],
            "deep": {"a": {"b": None}},
        },
        events=[Event("exception", START, {"exception.type": "ValueError"})],
        links=[Link("12" * 16, "34" * 8, {"why": "retry"})],
        resource={"service.name": "booking"},
        scope_name="scope",
        scope_version="1",
        scope_attributes={"s": 1},
        schema_url="https://opentelemetry.io/schemas/1.38.0",
        trace_state="a=b",
        flags=257,
        dropped_attributes=1,
        dropped_events=2,
        dropped_links=3,
        cut={"text": 300_000},
    )


def test_the_store_is_one(store: DuckDBStore) -> None:
    """The implementation satisfies the protocol, for a type checker and at run time."""
    promised: Store = store
    assert promised.arrivals(0).traces == []


def test_a_span_comes_back_as_it_was_sent(store: DuckDBStore) -> None:
    """Every field of a span survives, times beyond the range of the column included."""
    sent = full_span()
    receipt = store.append(Batch([sent]))
    assert (receipt.spans, receipt.logs, receipt.duplicates) == (1, 0, 0)
    [trace] = store.traces([TraceKey("default", "ab" * 16)])
    assert trace.spans == [sent]
    assert sent.seq == receipt.last_seq


def test_a_log_comes_back_as_it_was_sent(store: DuckDBStore) -> None:
    """Every field of a log record survives."""
    sent = LogRecord(
        "ab" * 16, "cd" * 8, "gen_ai.choice", START, 9, {"message": ["x"]}, {"a": 1}, {"r": 2}, "s", "1", 4
    )
    store.append(Batch(logs=[sent]))
    [trace] = store.traces([TraceKey("default", "ab" * 16)])
    assert trace.logs == [sent]


def test_rows_survive_a_reopening(path: Path) -> None:
    """What was acknowledged is there after closing, and arrival numbers go on."""
    first = DuckDBStore(path)
    last = first.append(Batch([span(1)])).last_seq
    first.close()
    second = DuckDBStore(path)
    assert [s.span_id for s in second.traces([TraceKey("default", f"{1:032x}")])[0].spans] == [f"{1:016x}"]
    assert second.append(Batch([span(2)])).last_seq > last
    second.close()


def test_a_row_sent_twice_is_kept_once(store: DuckDBStore) -> None:
    """Duplicates in one batch and across batches are counted in the receipt and never stored."""
    assert store.append(Batch([span(1), span(1), span(2)])).duplicates == 1
    assert store.append(Batch([span(1), span(3)])).duplicates == 1
    assert store.read("SELECT count(*) AS n FROM {span} AS s").to_pylist() == [{"n": 3}]


def test_the_same_span_with_other_content_is_another_row(store: DuckDBStore) -> None:
    """A span that was sent open and again ended is kept in both states."""
    store.append(Batch([span(1, end_ns=0), span(1)]))
    assert len(store.traces([TraceKey("default", f"{1:032x}")])[0].spans) == 2


def test_arrivals_go_on_from_where_they_ended(store: DuckDBStore) -> None:
    """Following `up_to` visits every trace that got rows, and then nothing."""
    for number in range(7):
        store.append(Batch([span(number, trace=number + 1)]))
    seen, after = [], 0
    while (answer := store.arrivals(after, limit=3)).traces:
        seen += [key.trace_id for key in answer.traces]
        after = answer.up_to
    assert seen == [f"{n + 1:032x}" for n in range(7)]
    store.append(Batch([span(99, trace=1)]))
    assert store.arrivals(after).traces == [TraceKey("default", f"{1:032x}")]


def test_traces_answer_in_the_order_of_their_keys(store: DuckDBStore) -> None:
    """Unknown traces come back empty, known ones with their rows in order of arrival."""
    store.append(Batch([span(2, trace=2), span(1, trace=1)]))
    keys = [TraceKey("default", f"{n:032x}") for n in (1, 9, 2, 1)]
    assert [len(trace.spans) for trace in store.traces(keys)] == [1, 0, 1, 1]


def test_projects_do_not_see_each_other(store: DuckDBStore) -> None:
    """A scope names one project; the same ids in another are other rows."""
    store.append(Batch([span(1), span(1, project="Ops / EU"), span(1, project="ops_eu")]))
    for project in ("default", "Ops / EU", "ops_eu"):
        rows = store.read("SELECT project FROM {span} AS s", scope=Scope(project)).to_pylist()
        assert rows == [{"project": project}]
    assert store.read("SELECT count(*) AS n FROM {span} AS s", scope=Scope("none")).to_pylist() == [{"n": 0}]


def test_a_scope_in_time_leaves_other_days_alone(store: DuckDBStore) -> None:
    """A range of receive time reads only the days that it touches."""
    day = 86_400_000_000_000
    store.append(Batch([span(n, received_ns=START + n * day) for n in range(3)]))
    scope = Scope("default", START + day - 1, START + day)
    assert store.read("SELECT count(*) AS n FROM {span} AS s", scope=scope).to_pylist()[0]["n"] in (1, 2)


def test_a_transaction_is_all_or_nothing(store: DuckDBStore) -> None:
    """An exception rolls back; without one the statements become visible together."""
    row = pa.table({"name": ["judge"], "value": [7]})

    def broken() -> None:
        with store.write() as transaction:
            transaction.insert("job_state", row)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert store.read("SELECT value FROM job_state WHERE name = 'judge'").num_rows == 0
    with store.write() as transaction:
        assert transaction.insert("job_state", row) == 1
        assert transaction.query("SELECT value FROM job_state WHERE name = $n", {"n": "judge"}).num_rows == 1
        assert transaction.execute("UPDATE job_state SET value = $v WHERE name = $n", {"v": 8, "n": "judge"}) == 1
    assert store.read("SELECT value FROM job_state WHERE name = 'judge'").to_pylist() == [{"value": 8}]
