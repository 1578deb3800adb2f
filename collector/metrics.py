"""What the service tells Prometheus of itself (`/metrics`). One registry per service, so that tests run several."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_COMMIT_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The counters of the receivers and the writer."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self.registry = registry
        self.accepted = Counter(
            "telltale_accepted_records", "Records made durable and acknowledged.", ["signal"], registry=registry
        )
        self.refused_requests = Counter(
            "telltale_refused_requests", "Requests refused, by reason.", ["transport", "reason"], registry=registry
        )
        self.refused_records = Counter(
            "telltale_refused_records",
            "Records of accepted requests that were not kept.",
            ["signal", "reason"],
            registry=registry,
        )
        self.noted = Counter(
            "telltale_noted_records", "Records kept that were changed or look odd.", ["note"], registry=registry
        )
        self.duplicates = Counter(
            "telltale_duplicate_records", "Records that the store had already.", registry=registry
        )
        self.commit_seconds = Histogram(
            "telltale_commit_seconds", "Time of one durable append.", buckets=_COMMIT_BUCKETS, registry=registry
        )
        self.bytes_in_flight = Gauge(
            "telltale_bytes_in_flight", "Bytes of requests not yet answered.", registry=registry
        )
        self.connections = Gauge("telltale_http_connections", "Open HTTP connections.", ["port"], registry=registry)

    def watch(self, gauges: Callable[[], dict[str, tuple[str, float]]]) -> None:
        """Ask `gauges` (name to help text and value) at every scrape."""
        self.registry.register(_Watched(gauges))

    def refused_by_reason(self) -> dict[str, int]:
        """Requests refused and records not kept since the start, by reason."""
        counts: dict[str, int] = {}
        for counter in (self.refused_requests, self.refused_records):
            for family in counter.collect():
                for sample in family.samples:
                    if sample.name.endswith("_total"):
                        reason = sample.labels["reason"]
                        counts[reason] = counts.get(reason, 0) + int(sample.value)
        return counts

    def text(self) -> bytes:
        """The exposition text."""
        return generate_latest(self.registry)


class _Watched(Collector):
    def __init__(self, gauges: Callable[[], dict[str, tuple[str, float]]]) -> None:
        self._gauges = gauges

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        for name, (help_text, value) in self._gauges().items():
            yield GaugeMetricFamily(name, help_text, value=value)
