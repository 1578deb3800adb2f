"""The queue between receivers and store: groups, deadlines, waiting for a judge that is behind, survival."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from analytics.store import Batch, Receipt, StoreUnavailable
from collector import intake as module
from collector import worker
from collector.decode import Decoded, Encoding, Signal
from collector.errors import Refusal
from collector.intake import Intake
from collector.metrics import Metrics
from tests.collector.otlp import traces


class RememberingStore:
    """Keeps batches; may be told to wait or to fail."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None

    def append(self, batch: Batch) -> Receipt:
        self.gate.wait(30)
        if self.error is not None:
            raise self.error
        self.batches.append(batch)
        return Receipt(len(batch.spans), len(batch.logs), 0, 0)


@pytest.fixture
def store() -> RememberingStore:
    return RememberingStore()


def started(store: Any, **more: Any) -> Intake:
    made = Intake(store, Metrics(), **more)
    made.start()
    return made


async def submit(intake: Intake, body: bytes | None = None) -> Decoded:
    return await intake.submit(Signal.TRACES, Encoding.PROTOBUF, body or traces().SerializeToString(), "default")


def many(intake: Intake, bodies: list[bytes | None], meanwhile: Callable[[], None] = lambda: None) -> list[Any]:
    """Submit at the same time; answers or exceptions in order."""

    async def run() -> list[Any]:
        tasks = [asyncio.create_task(submit(intake, body)) for body in bodies]
        await asyncio.sleep(0.05)
        meanwhile()
        return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(run())


def test_requests_that_gather_are_appended_together(store: RememberingStore) -> None:
    """While the store is busy requests gather, then go in few appends; each is answered."""
    intake = started(store)
    store.gate.clear()
    answers = many(intake, [None] * 20, store.gate.set)
    assert all(isinstance(answer, Decoded) for answer in answers)
    assert len(store.batches) <= 3
    assert sum(len(batch.spans) for batch in store.batches) == 20
    intake.close(5)


def test_a_bad_request_fails_alone(store: RememberingStore) -> None:
    """In one group, the body that cannot be decoded is refused and the others are stored."""
    intake = started(store)
    answers = many(intake, [None, b"\xff\xff", None])
    assert [isinstance(answer, Refusal) for answer in answers] == [False, True, False]
    intake.close(5)


def test_a_failing_group_is_refused_and_the_thread_lives(store: RememberingStore) -> None:
    """Every request of a group that the store refuses is told to come back; the next one is taken."""
    intake = started(store)
    store.error = RuntimeError("broken")
    assert all(answer.retry_after_s for answer in many(intake, [None, None]))
    store.error = None
    assert isinstance(many(intake, [None])[0], Decoded)
    intake.close(5)


def test_a_store_that_takes_nothing_is_logged_once(store: RememberingStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Senders of a full disk come again and again: one line when it begins, one when it is over, no traceback."""
    store.error = StoreUnavailable("No space left on device")
    with capture_logs() as said:
        monkeypatch.setattr(worker, "log", structlog.get_logger())
        intake = started(store, group_requests=1)
        refused = many(intake, [None] * 20)
        store.error = None
        [taken] = many(intake, [None])
        intake.close(5)
    assert all(isinstance(answer, Refusal) and answer.http_status == 503 for answer in refused)
    assert isinstance(taken, Decoded)
    assert [line["event"] for line in said] == ["work_waits_for_the_store", "work_goes_on"]
    assert (said[0]["worker"], said[1]["failures"]) == ("intake", 20)
    assert "exc_info" not in said[0]


def test_a_request_that_waits_too_long_is_refused_and_not_stored(
    store: RememberingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the deadline the sender is told to come back, and what is still queued is dropped, not stored."""
    monkeypatch.setattr(module, "REQUEST_DEADLINE_S", 0.3)
    intake = started(store)
    store.gate.clear()
    answers = many(intake, [None, None, None])
    assert all(isinstance(answer, Refusal) and answer.reason == "deadline" for answer in answers)
    time.sleep(0.1)
    store.gate.set()
    intake.close(5)
    assert sum(len(batch.spans) for batch in store.batches) <= 3


def test_a_closing_intake_finishes_its_queue_and_refuses_new_requests(store: RememberingStore) -> None:
    """What was queued is stored and answered; later requests are told to come back."""
    intake = started(store)
    store.gate.clear()
    closing = threading.Thread(target=intake.close, args=(10,))

    def close() -> None:
        closing.start()
        time.sleep(0.05)
        store.gate.set()

    assert all(isinstance(answer, Decoded) for answer in many(intake, [None] * 5, close))
    closing.join()
    [answer] = many(intake, [None])
    assert answer.reason == "shutting_down"


def test_requests_wait_a_moment_for_a_judge_that_is_behind(
    store: RememberingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the judge is behind nothing is appended, but no longer than the bound: a hanging judge stops no ingest."""
    behind = threading.Event()
    behind.set()
    intake = started(store, behind=behind.is_set)
    assert isinstance(many(intake, [None], behind.clear)[0], Decoded)
    behind.set()
    monkeypatch.setattr(module, "HOLD_S", 0.2)
    assert isinstance(many(intake, [None])[0], Decoded)
    intake.close(5)


def test_redaction_sees_every_batch_before_the_store(store: RememberingStore) -> None:
    """What the redactor does is what is stored."""

    def mask(batch: Batch) -> None:
        for span in batch.spans:
            span.name = "masked"

    intake = started(store, redact=mask)
    many(intake, [None])
    assert [span.name for batch in store.batches for span in batch.spans] == ["masked"]
    intake.close(5)


def test_a_sender_that_goes_away_hurts_nobody(store: RememberingStore) -> None:
    """A request cancelled while its group is appended changes nothing for the others of the group."""
    intake = started(store)
    store.gate.clear()

    async def run() -> list[Any]:
        tasks = [asyncio.create_task(submit(intake)) for _ in range(4)]
        await asyncio.sleep(0.05)
        tasks[1].cancel()
        await asyncio.sleep(0.05)
        store.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(run())
    assert [isinstance(answer, Decoded) for answer in answers] == [True, False, True, True]
    assert isinstance(many(intake, [None])[0], Decoded)
    intake.close(5)
