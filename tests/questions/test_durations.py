"""Durations of tools: as measured where calls are few, else to as many digits as are known, and marked."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from analytics.api import Context, answer, durations
from analytics.commands.output import show
from analytics.jobs import JudgeJob
from analytics.questions.relations import bucket_of
from analytics.spans import Span
from analytics.store import Batch
from collector.store import DuckDBStore
from tests.jobs.stubs import T0, stub_judge, stub_session, tool_span

TOOLS = {
    "one": [1000.0],
    "longer": [900.0],
    "five": [100.0, 200.0, 300.0, 400.0, 5000.0],
    "instant": [0.0, 0.0],
    "ages": [16_304_400_000_000.0],
    "many": [float(n) for n in range(1, 101)],
}
TRUE = {"one": (1000, 1000), "longer": (900, 900), "five": (300, 5000), "instant": (0, 0), "many": (50, 95)}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """A call of each tool for each of its durations."""
    store = DuckDBStore(tmp_path_factory.mktemp("durations") / "t.db")
    spans: list[Span] = []
    for tool, durations_ms in TOOLS.items():
        for duration_ms in durations_ms:
            span = tool_span(len(spans), 0, tool=tool, agent="planner")
            span.start_ns = T0 - len(spans)
            span.end_ns = span.start_ns + int(duration_ms * 1_000_000)
            spans.append(span)
    store.append(Batch(spans=spans))
    JudgeJob(store, pause_s=0, judge_trace=stub_judge, judge_calls=stub_session).drain()
    yield Context(store)
    store.close()


def tools(context: Context, **given: str) -> dict[str, dict[str, Any]]:
    return {row["tool"]: row for row in answer(context, "tools", {"since": "all", **given})["rows"]}


@pytest.mark.parametrize("given", [{}, {"agent": "planner"}, {"outcome": "ok"}])
def test_few_durations_are_as_measured(context: Context, given: dict[str, str]) -> None:
    """The nearest rank of what was measured, also of one call, whether a rollup knows the filters or not."""
    found = tools(context, **given)

    assert {tool: (found[tool]["p50_ms"], found[tool]["p95_ms"]) for tool in TRUE} == TRUE
    assert found["ages"]["p50_ms"] == pytest.approx(TOOLS["ages"][0], rel=1e-6)
    assert all(row["durations_exact"] for row in found.values())


@pytest.mark.parametrize("given", [{}, {"agent": "planner"}, {"tool": "five"}, {"tool": "one", "outcome": "ok"}])
def test_many_durations_are_marked_and_no_finer_than_known(
    context: Context, given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the range holds many calls, also of other tools: two significant digits, within 5 % and their rounding."""
    monkeypatch.setattr(durations, "FEW", 3)
    for tool, row in tools(context, **given).items():
        assert row["durations_exact"] is False
        for name, true in zip(("p50_ms", "p95_ms"), TRUE.get(tool, ()), strict=False):
            assert row[name] == pytest.approx(true, rel=0.1)
            assert row[name] == float(f"{row[name]:.2g}")


def test_buckets_are_never_further_off_than_they_say() -> None:
    """Of any durations, what the buckets say is within 5 % of the nearest rank, and half a digit of rounding."""
    chance = random.Random(5)
    for _ in range(200):
        measured = sorted(10 ** chance.uniform(-1, 7) for _ in range(chance.randint(1, 40)))
        buckets = [(bucket_of(each), 1) for each in measured]
        for share in (0.5, 0.95):
            true = _nearest_rank(measured, share)
            found = durations.quantile(buckets, share)
            assert found is not None
            assert abs(found - true) <= 0.05 * true + 0.05 * found


def _nearest_rank(measured: Sequence[float], share: float) -> float:
    return measured[math.ceil(share * len(measured)) - 1]


@pytest.mark.parametrize(
    ("value", "exact", "shown"),
    [(1000.0, True, "1,000"), (970.0, False, "≈ 970"), (0.9, True, "0.9"), (16_304_400_000_000.0, True, "16,304,400,")],
)
def test_a_table_marks_what_is_only_nearly_so(
    value: float, exact: bool, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`≈` before what was read off buckets; no digits that nobody needs, no powers of ten."""
    show([{"tool": "x", "p50_ms": value, "durations_exact": exact}], ("tool", "p50_ms"), "table")

    assert capsys.readouterr().out.splitlines()[1].split(maxsplit=1)[1].startswith(shown)
