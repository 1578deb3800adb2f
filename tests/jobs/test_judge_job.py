"""What arrives is judged once, counted once, and visible together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analytics.calls import Call
from analytics.jobs import JudgeJob
from analytics.jobs.corrections import correct
from analytics.judge import judge_session
from analytics.questions import Filters, rows
from analytics.questions.waiting import oldest_waiting
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from analytics.store import Batch, TraceKey
from collector.store import DuckDBStore
from telltale.vocabulary import Outcome
from tests.jobs.stubs import stub_judge, stub_session, tool_span

Send = Callable[..., None]


def job_on(store: DuckDBStore, **options: Any) -> JudgeJob:
    """A job with the stub judges, without pauses."""
    given = {"pause_s": 0.0, "again_s": 0.0, "judge_trace": stub_judge, "judge_calls": stub_session, **options}
    return JudgeJob(store, JudgeSettings(), **given)


def counted(store: DuckDBStore) -> dict[str, int]:
    """Calls by outcome as the rollup has them."""
    found: dict[str, int] = {}
    for row in rows(store, "tools", Filters()):
        found[row["outcome"]] = found.get(row["outcome"], 0) + row["calls"]
    return found


def recounted(store: DuckDBStore) -> dict[str, int]:
    """The same from the calls themselves."""
    found = store.read("SELECT outcome, count(*) AS calls FROM call GROUP BY outcome").to_pylist()
    return {row["outcome"]: row["calls"] for row in found}


def test_what_arrived_is_judged_and_then_nothing_is_left(store: DuckDBStore, send: Send) -> None:
    """One round judges every trace that arrived; the next finds nothing to do."""
    send(tool_span(1, 0), tool_span(1, 1, outcome="silent_failure"), tool_span(2, 0))
    job = job_on(store)

    assert (job.run_once(), job.run_once()) == (2, 0)
    assert counted(store) == recounted(store) == {"ok": 2, "silent_failure": 1}


def test_a_late_span_judges_its_trace_again_without_counting_twice(store: DuckDBStore, send: Send) -> None:
    """Rows and rollups after any batching equal those of one batch."""
    spans = [tool_span(1, n, outcome="ok" if n % 2 else "unstructured_error", code="INTERNAL") for n in range(6)]
    job = job_on(store)
    for span in spans:
        send(span)
        job.run_once()

    assert counted(store) == recounted(store) == {"ok": 3, "unstructured_error": 3}
    [session] = store.read("SELECT calls, failures, traces FROM session").to_pylist()
    assert session == {"calls": 6, "failures": 3, "traces": 1}
    [sender] = store.read("SELECT spans, calls FROM sender").to_pylist()
    assert sender == {"spans": 6, "calls": 6}


def test_a_verdict_that_changes_moves_its_counts(store: DuckDBStore, send: Send) -> None:
    """A trace judged otherwise takes its old verdict out of every count."""
    verdict = {"outcome": "ok"}

    def judge(trace: Any, settings: JudgeSettings) -> Any:
        for span in trace.spans:
            span.attributes["outcome"] = verdict["outcome"]
        return stub_judge(trace, settings)

    job = job_on(store, judge_trace=judge)
    send(tool_span(1, 0, code="NOT_FOUND"))
    job.run_once()
    verdict["outcome"] = "silent_failure"
    send(tool_span(1, 1, code="NOT_FOUND"))
    job.run_once()

    assert counted(store) == recounted(store) == {"silent_failure": 2}
    [session] = store.read("SELECT calls, failures, silent, codes FROM session").to_pylist()
    assert session == {"calls": 2, "failures": 2, "silent": 2, "codes": ["NOT_FOUND"]}


def test_a_later_success_recovers_an_earlier_trace_of_the_session(store: DuckDBStore, send: Send) -> None:
    """Recovery reaches back into other traces of the session, and the unrecovered count follows."""
    job = job_on(store)
    send(tool_span(1, 0, session="s", outcome="unstructured_error"))
    job.run_once()
    assert store.read("SELECT unrecovered FROM session").to_pylist() == [{"unrecovered": 1}]

    send(tool_span(2, 0, session="s"))
    job.run_once()

    assert store.read("SELECT unrecovered, traces FROM session").to_pylist() == [{"unrecovered": 0, "traces": 2}]
    assert store.read("SELECT recovered FROM call WHERE outcome <> 'ok'").to_pylist() == [{"recovered": True}]
    assert store.read("SELECT sum(calls) AS n FROM rollup_hour WHERE recovered = 'yes'").to_pylist() == [{"n": 1}]


def test_a_restarted_job_knows_the_session_from_the_store(store: DuckDBStore, send: Send) -> None:
    """Nothing that a verdict rests on is only in memory."""
    send(tool_span(1, 0, session="s", outcome="unstructured_error", result={"secret": 1}))
    job_on(store).run_once()
    send(tool_span(2, 0, session="s"))
    job_on(store).run_once()

    [call] = store.read("SELECT recovered, result FROM call WHERE outcome <> 'ok'").to_pylist()
    assert call == {"recovered": True, "result": '{"secret": 1}'}


def test_a_poisoned_trace_is_named_and_stops_nothing(store: DuckDBStore, send: Send) -> None:
    """The judge's own failure on one trace leaves the others judged."""
    send(tool_span(1, 0, poison=True), tool_span(2, 0))
    job = job_on(store)

    assert (job.run_once(), job.run_once()) == (2, 0)
    assert job.unreadable == {"KeyError": 1}
    assert recounted(store) == {"ok": 1}
    [fault] = store.read("SELECT trace_id, error FROM judge_fault").to_pylist()
    assert fault == {"trace_id": f"{1:032x}", "error": "KeyError"}


def test_a_failed_transaction_keeps_nothing_and_the_next_round_does_it_all(
    store: DuckDBStore, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between judging and commit loses nothing and doubles nothing."""
    send(tool_span(1, 0, session="s", outcome="unstructured_error"), tool_span(2, 0, session="s"))
    job = job_on(store)
    with monkeypatch.context() as patch:
        patch.setattr("analytics.jobs.judge_job.state.save_watermark", _broken)
        with pytest.raises(RuntimeError, match="power"):
            job.run_once()
    assert recounted(store) == {}

    assert (job.run_once(), job.run_once()) == (2, 0)
    assert counted(store) == recounted(store) == {"ok": 1, "unstructured_error": 1}


def _broken(*_: object) -> None:
    raise RuntimeError("power cut")


def test_a_growing_trace_waits_for_its_turn_and_is_not_forgotten(store: DuckDBStore, send: Send) -> None:
    """A trace judged a moment ago waits, across a restart too, while other traces go on; draining finishes it."""
    job = job_on(store, again_s=3600.0)
    send(tool_span(1, 0))
    job.run_once()
    send(tool_span(1, 1), tool_span(2, 0))

    assert job.run_once() == 2  # trace 2 judged, trace 1 waiting
    assert recounted(store) == {"ok": 2}
    assert store.read("SELECT trace_id FROM pending_trace").to_pylist() == [{"trace_id": f"{1:032x}"}]
    assert job_on(store).drain() == 1
    assert recounted(store) == {"ok": 3}
    assert store.read("SELECT * FROM pending_trace").num_rows == 0


def test_rows_of_a_waiting_trace_are_covered_only_by_its_turn(store: DuckDBStore, send: Send) -> None:
    """What came for a trace that waits is not judged, though the watermark has passed it, here and after a restart."""
    job = job_on(store, again_s=3600.0)
    send(tool_span(1, 0))
    job.run_once()
    assert (job.covered, oldest_waiting(store, "default", 0)) == (job.watermark, None)
    before = job.covered
    send(tool_span(1, 1), tool_span(2, 0))
    job.run_once()

    assert job.covered == before < job.watermark
    late = store.read("SELECT received_ns AS at FROM {span} AS s WHERE span_id = $id", {"id": f"{1001:016x}"})
    assert oldest_waiting(store, "default", 0) == late["at"][0].as_py()
    assert oldest_waiting(store, "other", 0) is None
    again = job_on(store)
    assert again.covered < again.watermark
    again.drain()
    assert (again.covered, oldest_waiting(store, "default", 0)) == (again.watermark, None)


def test_another_turn_without_new_rows_is_no_lag(store: DuckDBStore, send: Send) -> None:
    """A trace that a correction asks to be judged again is covered by the verdict that it has, until more comes."""
    job = job_on(store, again_s=3600.0)
    send(tool_span(1, 0))
    job.run_once()
    job.judge_again([TraceKey("default", f"{1:032x}")])

    assert (job.covered, oldest_waiting(store, "default", 0)) == (job.watermark, None)
    before = job.watermark
    send(tool_span(1, 1), tool_span(2, 0))
    job.run_once()
    assert job.covered == before < job.watermark
    assert oldest_waiting(store, "default", 0) is not None


def test_projects_with_equal_ids_stay_apart(store: DuckDBStore, send: Send) -> None:
    """The same trace and session ids in two projects are two traces and two sessions."""
    send(tool_span(1, 0, session="s"), tool_span(1, 0, session="s", project="other", outcome="silent_failure"))
    job = job_on(store)
    job.run_once()
    send(tool_span(1, 1, session="s", project="other", outcome="silent_failure"))
    job.run_once()

    found = store.read("SELECT project, calls, failures FROM session ORDER BY project").to_pylist()
    assert found == [
        {"project": "default", "calls": 1, "failures": 0},
        {"project": "other", "calls": 2, "failures": 2},
    ]


def test_a_trace_whose_spans_expired_is_sealed(tmp_path: Path) -> None:
    """When spans of a judged trace are gone, its verdicts stand as they are."""
    store = DuckDBStore(tmp_path / "sealed.db")
    store.append(Batch(spans=[tool_span(1, 0), tool_span(1, 1, outcome="silent_failure")]))
    job_on(store).drain()
    store.close()
    store = DuckDBStore(tmp_path / "sealed.db")
    [table] = [row["name"] for row in store.read("SELECT name FROM day_table WHERE kind = 'span'").to_pylist()]
    with store.write() as transaction:
        transaction.execute(f"DELETE FROM {table} WHERE span_id = '{1001:016x}'")
        transaction.insert("pending_trace", store.read("SELECT project, trace_id FROM trace"))

    assert job_on(store).drain() == 1
    assert recounted(store) == {"ok": 1, "silent_failure": 1}
    store.close()


def test_one_trace_in_very_many_batches_costs_few_judgements(store: DuckDBStore) -> None:
    """A trace that grows batch by batch is judged a few times, not once a batch."""
    judged: list[int] = []

    def judge(trace: Any, settings: JudgeSettings) -> Any:
        judged.append(len(trace.spans))
        return stub_judge(trace, settings)

    job = job_on(store, judge_trace=judge, again_s=3600.0)
    for batch in range(50):
        store.append(Batch(spans=[tool_span(1, batch * 10 + n) for n in range(10)]))
        job.run_once()
    job.drain()

    assert judged == [10, 500]
    assert counted(store) == {"ok": 500}


@pytest.mark.parametrize("limit", [1, 3])
def test_pages_of_arrivals_judge_everything_once(store: DuckDBStore, send: Send, limit: int) -> None:
    """However small a round is, every trace is judged, and none again for being named on two pages."""
    send(*[tool_span(n % 5, n) for n in range(40)])
    calls: list[str] = []

    def judge(trace: Any, settings: JudgeSettings) -> Any:
        calls.append(trace.trace_id)
        return stub_judge(trace, settings)

    job = job_on(store, judge_trace=judge)
    job._limit = limit
    while job.run_once():
        job._limit = limit

    assert sorted(set(calls)) == sorted(calls)
    assert counted(store) == {"ok": 40}


def test_a_correction_made_meanwhile_outlives_the_session_pass(store: DuckDBStore, send: Send) -> None:
    """What a person said of a stored call stays when a later call of the session changes that row."""
    job = job_on(store)
    send(tool_span(1, 0, session="s", outcome="unstructured_error", rule="r1"))
    job.run_once()
    correct(store, "default", f"{1000:016x}", outcome=Outcome.SILENT_FAILURE, who="sre", why="it lied")
    send(tool_span(2, 0, session="s"))
    job.run_once()

    [call] = store.read(
        "SELECT outcome, rules, recovered FROM call WHERE span_id = $id", {"id": f"{1000:016x}"}
    ).to_pylist()
    assert call == {"outcome": "silent_failure", "rules": ["r1", "correction"], "recovered": True}


@pytest.mark.parametrize("between", [0, 3, 230], ids=["at once", "soon after", "beyond what is at hand"])
@pytest.mark.parametrize("restart", [False, True], ids=["one job", "a job that starts anew"])
def test_a_later_round_tells_what_an_earlier_call_came_to(
    store: DuckDBStore, send: Send, between: int, restart: bool
) -> None:
    """Advice that is not followed rounds later is noted at the call that gave it, while it is within the window."""
    options: dict[str, Any] = {"judge_calls": judge_session}
    job = job_on(store, **options)
    send(tool_span(1, 0, session="s", outcome="structured_error", action="stop_and_tell_user", tool="pay"))
    job.run_once()
    if between:
        send(*[tool_span(2, n, session="s", tool="look", result={"n": n}) for n in range(between)])
        job.run_once()
    job = job_on(store, **options) if restart else job
    send(tool_span(3, 0, session="s", tool="pay"))
    job.run_once()

    [stop] = store.read("SELECT rules FROM call WHERE span_id = $id", {"id": f"{1000:016x}"}).to_pylist()
    assert stop["rules"] == (["agent.went_on_after_stop"] if between < 200 else [])
    assert counted(store) == recounted(store)


def test_an_agent_whose_own_span_comes_late_disobeyed_nobody(store: DuckDBStore, send: Send) -> None:
    """A call of the next turn is first seen without the agent's span, which ends last; then the accusation goes."""
    job = job_on(store, judge_calls=judge_session)
    send(tool_span(1, 0, session="s", outcome="structured_error", action="stop_and_tell_user"), agent_span(1))
    job.run_once()
    send(tool_span(2, 1, session="s"))
    job.run_once()
    [before] = store.read("SELECT rules FROM call WHERE span_id = $id", {"id": f"{1000:016x}"}).to_pylist()
    send(agent_span(2))
    job.run_once()
    [after] = store.read("SELECT rules FROM call WHERE span_id = $id", {"id": f"{1000:016x}"}).to_pylist()

    assert (before["rules"], after["rules"]) == (["agent.went_on_after_stop"], [])


def agent_span(trace: int) -> Span:
    """The run of an agent around the calls of a trace; no call itself."""
    span = tool_span(trace, 900)
    span.start_ns = tool_span(trace, 0).start_ns
    span.attributes = {"gen_ai.operation.name": "invoke_agent"}
    return span


def judge_by_size(trace: Trace, given: JudgeSettings) -> list[Call]:
    """The first span is the call; a second one shows that it failed in silence."""
    [call] = stub_judge(replace(trace, spans=trace.spans[:1]), given)
    return [call] if len(trace.spans) == 1 else [replace(call, outcome=Outcome.SILENT_FAILURE)]


def test_a_success_that_was_none_recovers_nothing(store: DuckDBStore, send: Send) -> None:
    """A later call looked good until more of its trace came: the failure before it is open again, and counted so."""
    job = job_on(store, judge_calls=judge_session, judge_trace=judge_by_size)
    send(tool_span(1, 0, session="s", outcome="unstructured_error"))
    job.run_once()
    send(tool_span(2, 0, session="s"))
    job.run_once()
    before = store.read("SELECT unrecovered FROM session").to_pylist()
    send(tool_span(2, 1, session="s"))
    job.run_once()

    assert before == [{"unrecovered": 0}]
    assert store.read("SELECT unrecovered FROM session").to_pylist() == [{"unrecovered": 2}]
    assert True not in store.read("SELECT recovered FROM call").column("recovered").to_pylist()
    assert counted(store) == recounted(store)
