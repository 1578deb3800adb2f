"""What the service tells Prometheus of itself (`/metrics`). One registry per service, so that tests run several."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from collector.clocks import Clocks

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
        self.clocks = Clocks()
        self.commit_seconds = Histogram(
            "telltale_commit_seconds", "Time of one durable append.", buckets=_COMMIT_BUCKETS, registry=registry
        )
        self.bytes_in_flight = Gauge(
            "telltale_bytes_in_flight", "Bytes of requests not yet answered.", registry=registry
        )

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
