"""What a decoder answers, and the two ways in which it refuses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from analytics.store import Batch


class Signal(StrEnum):
    """The OTLP signals that a receiver answers."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"


class Encoding(StrEnum):
    """The two encodings of an OTLP request; the values are their media types."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


class DecodeError(ValueError):
    """The bytes are not an OTLP request; the same bytes will fail again. The text is safe to send to the client."""


class TooManyRecordsError(DecodeError):
    """More records than one request may hold; smaller batches will pass."""


@dataclass(slots=True)
class Decoded:
    """The rows of one request, and what was not taken.

    `rejected` counts records that were dropped (OTLP partial success), by reason in `reasons`. `notes` counts what was
    kept but changed or looked odd (cut values, clock skew). `not_kept` counts metrics, which this service never keeps.
    """

    batch: Batch = field(default_factory=Batch)
    reasons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    not_kept: int = 0

    @property
    def rejected(self) -> int:
        """How many records were dropped."""
        return self.reasons.total()

    def message(self) -> str:
        """One English sentence for the partial-success answer; "" when there is nothing to say."""
        parts = [f"{count} {reason}" for reason, count in sorted(self.reasons.items())]
        parts += [f"{count} {note}" for note, count in sorted(self.notes.items())]
        if self.not_kept:
            parts.append(f"{self.not_kept} metrics were accepted but are not kept: this service stores traces and logs")
        return "; ".join(parts)
