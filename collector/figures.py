"""What the running service tells of itself: gauges for `/metrics`, and the process's share of the API's `status`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from analytics.alerts import AlertJob
from analytics.jobs import JudgeJob
from analytics.store import StoreUnavailable
from collector.lag import JudgeLag
from collector.metrics import Metrics
from collector.store import DuckDBStore
from collector.worker import Worker
from telltale.redaction import Redactor

_STORE_GAUGES = {
    "free_disk_bytes": "Free bytes on the database's disk.",
    "file_bytes": "Size of the database file.",
    "wal_bytes": "Size of the database's write-ahead log.",
    "journal_bytes": "Size of the journal.",
    "backlog_rows": "Rows that the journal holds and the database does not yet.",
    "backlog_bytes": "Bytes that the journal holds and the database does not yet.",
    "recent_bytes": "Bytes of recent traces kept in memory for the judge.",
    "day_tables": "Span tables, one a project and day.",
    "last_checkpoint": "When the last checkpoint ended, seconds since 1970.",
    "last_checkpoint_s": "How long the last checkpoint took, seconds.",
    "quarantined": "Damaged files set aside when the store was opened.",
}
_STORE_COUNTERS = {
    "duplicates": "Records that the store had already.",
    "written_rows": "Rows written to the span tables.",
    "rejected_rows": "Rows that the database refused for good; a file beside the journal keeps them.",
    "checkpoints": "Checkpoints done.",
    "failed_checkpoints": "Checkpoints that failed.",
    "failures": "Writes that failed and were tried again.",
    "reopened": "Times that the database was opened anew after a failure.",
}

_UNMAPPED = """
SELECT count(*) AS n FROM (
    SELECT project, service FROM sender GROUP BY project, service HAVING sum(calls) = 0
) AS unmapped
"""
"""Senders none of whose spans was understood as a tool call."""

_ASK_EVERY_S = 30.0


@dataclass(slots=True)
class Parts:
    """The parts of a running service that have something to tell."""

    store: DuckDBStore
    metrics: Metrics
    judge: JudgeJob
    alerts: AlertJob
    lag: JudgeLag
    redactor: Redactor
    workers: Mapping[str, Worker]
    version: str


class Figures(Collector):
    """Asked at each scrape and at each `status`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._unmapped = 0
        self._waiting_notices: dict[str, int] = {}
        self._asked = float("-inf")

    def status(self) -> Mapping[str, Any]:
        """The process's share of the API's `status`."""
        parts = self._parts
        stats = parts.store.stats()
        return {
            "refused": parts.metrics.refused_by_reason(),
            "judged_lag_s": round(self._lag_s(), 3),
            "clocks_ahead_s": parts.metrics.clocks.ahead_s(),
            "redacted": dict(parts.redactor.counts),
            "recovery": parts.store.recovery.sentences(),
            "damage": stats.damage,
            "free_disk_bytes": stats.free_disk_bytes,
            "notices_waiting": self._waiting_notices,
            "version": parts.version,
        }

    def describe(self) -> Iterable[Metric]:
        """Nothing: names are known at collection only."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The gauges and counters that are looked up when asked."""
        stats = self._parts.store.stats()
        for name, text in _STORE_GAUGES.items():
            yield GaugeMetricFamily(f"telltale_store_{name}", text, value=getattr(stats, name))
        for name, text in _STORE_COUNTERS.items():
            yield CounterMetricFamily(f"telltale_store_{name}", text, value=getattr(stats, name))
        yield from self._jobs()
        redacted = CounterMetricFamily("telltale_redactions", "Secrets masked, by kind.", labels=["kind"])
        for kind, count in dict(self._parts.redactor.counts).items():
            redacted.add_metric([kind], count)
        yield redacted
        self._ask_store()
        yield GaugeMetricFamily(
            "telltale_unmapped_senders", "Services none of whose spans was a tool call.", value=self._unmapped
        )
        waiting = GaugeMetricFamily("telltale_notices_waiting", "Notices not delivered yet.", labels=["destination"])
        for destination, count in self._waiting_notices.items():
            waiting.add_metric([destination], count)
        yield waiting

    def _jobs(self) -> Iterator[Metric]:
        parts = self._parts
        yield GaugeMetricFamily(
            "telltale_judged_lag_seconds",
            "Age of the oldest batch that no verdict covers.",
            value=self._lag_s(),
        )
        yield GaugeMetricFamily(
            "telltale_last_received_seconds", "When the last batch came, since 1970.", value=parts.lag.last_arrival
        )
        yield CounterMetricFamily(
            "telltale_unreadable_traces",
            "Traces on which the judge itself failed.",
            value=parts.judge.unreadable.total(),
        )
        success = GaugeMetricFamily(
            "telltale_job_last_success_seconds", "When the job last finished a round, since 1970.", labels=["job"]
        )
        failures = CounterMetricFamily("telltale_job_failures", "Rounds of the job that failed.", labels=["job"])
        for name, worker in parts.workers.items():
            success.add_metric([name], worker.last_success)
            failures.add_metric([name], worker.failures)
        yield success
        yield failures

    def _lag_s(self) -> float:
        return self._parts.lag.seconds(self._parts.judge.covered, time.time())

    def _ask_store(self) -> None:
        """Figures that cost a question, at most every half minute; a busy store leaves the last ones."""
        if time.monotonic() - self._asked < _ASK_EVERY_S:
            return
        self._asked = time.monotonic()
        with contextlib.suppress(StoreUnavailable):
            self._unmapped = self._parts.store.read(_UNMAPPED)["n"][0].as_py()
            self._waiting_notices = {health.destination: health.waiting for health in self._parts.alerts.health()}
