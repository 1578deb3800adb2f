"""What a result says of itself: unwrapping, payload rules, and their evidence."""

from __future__ import annotations

from telltale.payload.envelope import assess_envelope
from telltale.payload.reader import read_payload
from telltale.payload.reading import Asked, Envelope, Finding, Reading, Says
from telltale.payload.rules import PAYLOAD_RULES, Rule
from telltale.payload.unwrap import Unwrapped, unwrap

__all__ = [
    "PAYLOAD_RULES",
    "Asked",
    "Envelope",
    "Finding",
    "Reading",
    "Rule",
    "Says",
    "Unwrapped",
    "assess_envelope",
    "read_payload",
    "unwrap",
]
