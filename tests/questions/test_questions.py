"""Every question fits the real schema, and every relation counts exactly."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
import sqlglot

from analytics.calls import Call
from analytics.jobs import JudgeJob
from analytics.jobs.call_rows import call_of
from analytics.questions import NAMES, Filters, QuestionError, ask, question, rows
from analytics.questions.relations import bucket_of, relations
from analytics.questions.times import HOUR_NS
from analytics.store import Batch, Scope
from collector.store import DuckDBStore
from telltale.vocabulary import Outcome
from tests.jobs.stubs import T0, stub_judge, stub_session, tool_span

EVERYTHING = Filters(
    since_ns=T0,
    until_ns=T0 + 5 * HOUR_NS,
    tool="search",
    agent="a",
    service="shop",
    release="1",
    user="u",
    session="s",
    payload="captured",
    fingerprint="f",
    flag="retry_storm",
    outcomes=("ok", "silent_failure"),
    codes=("INTERNAL", "none"),
    inferred=False,
    recovered=True,
)
ROLLED = Filters(since_ns=T0 + 1, until_ns=T0 + 5 * HOUR_NS - 1, tool="search", codes=("INTERNAL", "none"))
PARAMS: dict[str, Any] = {
    "project": "default",
    "before_ns": 2**63 - 1,
    "before_id": "\U0010ffff",
    "limit": 10,
    "offset": 0,
    "flagged": 1,
    "unrecovered": 1,
    "named": "x",
    "started_ns": 1,
    "fingerprints": ["x"],
    "lasts": [1],
    "session_id": "x",
    "from_ns": 0,
    "recent_ns": 0,
    "state": "",
    "detected_from_ns": 0,
    "detected_to_ns": 2**62,
    "id": "x",
    "first_ns": 0,
    "last_ns": 2**62,
    "ids": ["x"],
    "rules": ["permission_denied"],
    "tools": ["x"],
    "since": [0],
    "now_ns": 2**62,
    "window_ns": 60_000_000_000,
    "bucket_ns": 60_000_000_000,
}
FILTERS = pytest.mark.parametrize("filters", [Filters(), EVERYTHING, ROLLED], ids=["none", "all", "rolled up"])


def needed(name: str) -> dict[str, Any]:
    """The values of the parameters that a question names itself."""
    return {key: PARAMS[key] for key in re.findall(r"\$(\w+)", question(name))}


@FILTERS
@pytest.mark.parametrize("name", NAMES)
def test_every_question_runs_on_the_real_schema(store: DuckDBStore, name: str, filters: Filters) -> None:
    """Tables, columns and types are those of the schema, with any filters."""
    table = ask(store, name, filters, needed(name), Scope())

    assert table.num_columns > 0


@FILTERS
@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_a_clickhouse_form(name: str, filters: Filters) -> None:
    """The same question translates to ClickHouse and parses there."""
    sql, _ = relations(filters).into(question(name))
    sql = sql.replace("{span}", "span").replace("{log}", "log")
    [translated] = sqlglot.transpile(sql, read="duckdb", write="clickhouse", unsupported_level=sqlglot.ErrorLevel.RAISE)
    translated = re.sub(r"\{(\w+): \}", r"{\1:String}", translated)  # ClickHouse's parameters carry their type

    assert sqlglot.parse_one(translated, read="clickhouse") is not None


def test_an_unknown_question_is_refused() -> None:
    """A name without a file is an error that names it."""
    with pytest.raises(QuestionError, match="nonsense"):
        question("nonsense")


def test_every_question_says_why() -> None:
    """Each file begins with its reason."""
    assert [name for name in NAMES if not question(name).startswith("-- ")] == []


def test_durations_fall_into_the_same_bucket_in_python_and_in_sql(store: DuckDBStore) -> None:
    """The job's buckets and those that are computed from calls are one."""
    durations = [0.0, 0.005, 0.01, 0.0100001, 0.011, 1.0, 1.05, 30.0, 1234.5, 9e6, 1e15]
    sql, _ = relations(Filters(agent="x")).into("SELECT * FROM {durations} AS durations")
    expression = re.search(r"(CASE WHEN duration_ms .* END) AS bucket", sql)
    assert expression is not None
    found = store.read(
        f"SELECT {expression[1]} AS bucket FROM (SELECT unnest($durations) AS duration_ms)",
        {"durations": durations},
    )

    assert [row["bucket"] for row in found.to_pylist()] == [bucket_of(each) for each in durations]


@pytest.fixture(scope="module")
def filled(store: DuckDBStore) -> list[Call]:
    """Calls over several hours, of many kinds; returns them as stored."""
    spans = []
    for number in range(400):
        span = tool_span(
            number,
            0,
            tool=f"tool{number % 3}",
            outcome=list(Outcome)[number % 4],
            code=[None, "INTERNAL", "NOT_FOUND"][number % 3],
            session=f"s{number % 50}",
            agent=f"agent{number % 2}",
            flags=["budget_exhausted"] if number % 7 == 0 else [],
            payload="absent" if number % 11 == 0 else "captured",
        )
        span.start_ns = T0 + number * HOUR_NS // 90
        span.end_ns = span.start_ns + (number % 20) * 1_000_000
        spans.append(span)
    store.append(Batch(spans=spans))
    JudgeJob(store, pause_s=0, judge_trace=stub_judge, judge_calls=stub_session).drain()
    return [call_of(row) for row in store.read("SELECT * FROM call").to_pylist()]


WINDOWS = [
    (None, None),
    (T0, None),
    (T0 + 17 * 60_000_000_000, T0 + 4 * HOUR_NS),
    (T0 + HOUR_NS // 3, T0 + HOUR_NS // 2),
    (T0 - T0 % HOUR_NS, T0 - T0 % HOUR_NS + 2 * HOUR_NS),
    (T0 - T0 % HOUR_NS + 1, T0 - T0 % HOUR_NS + 3 * HOUR_NS + 1),
    (T0 + 100 * HOUR_NS, None),
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("tool", [None, "tool1"])
@pytest.mark.parametrize("agent", [None, "agent1"])
def test_counts_over_any_window_are_exact(
    store: DuckDBStore, filled: list[Call], window: tuple[int | None, int | None], tool: str | None, agent: str | None
) -> None:
    """Rolled-up hours and the parts of hours beside them add up to what the calls say."""
    low, high = window[0] or 0, window[1] or 2**63
    meant = [call for call in filled if low <= call.started_ns < high]
    meant = [call for call in meant if tool in (None, call.tool) and agent in (None, call.agent)]
    expected = Counter((call.tool, call.outcome.value) for call in meant)
    filters = Filters(since_ns=window[0], until_ns=window[1], tool=tool, agent=agent)
    found: Counter[tuple[str, str]] = Counter()
    for row in rows(store, "tools", filters):
        found[row["tool"], row["outcome"]] += row["calls"]

    assert found == expected
    assert sum(row["calls"] for row in rows(store, "tool_durations", filters)) == len(meant)


def test_the_rule_of_a_flag_counts_the_calls_that_carry_it(store: DuckDBStore, filled: list[Call]) -> None:
    """The count of a flag's rule is the number of calls that the filter for that flag finds."""
    [counted] = [row["calls"] for row in rows(store, "rule_hits") if row["rule"] == "flag.budget_exhausted"]
    [listed] = rows(store, "calls_total", Filters(flag="budget_exhausted"))

    assert counted == listed["total"] == sum("budget_exhausted" in call.flags for call in filled) > 0


def test_sessions_of_a_window_are_those_that_overlap_it(store: DuckDBStore, filled: list[Call]) -> None:
    """A session counts where any part of it lies in the range."""
    [all_of_them] = rows(store, "sessions_total", Filters(), flagged=0, unrecovered=0)
    [none] = rows(store, "sessions_total", Filters(since_ns=T0 + 100 * HOUR_NS), flagged=0, unrecovered=0)

    assert (all_of_them["sessions"], none["sessions"]) == (50, 0)
