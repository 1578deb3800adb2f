"""What a result says of itself: unwrapping, payload rules, and their evidence.

`wrappers` take off what protocols and frameworks put around a value; `reader` then asks the rules of `texts` or of
`objects`, in the light of what the call `asked`, and `codes` name the closed code that the evidence means.
`rules` lists every rule with its sentence; `envelope` holds an error against the contract; `leaks` looks for internals.
"""

from __future__ import annotations

from telltale.payload.envelope import assess_envelope
from telltale.payload.reader import read_payload
from telltale.payload.reading import Asked, Envelope, Finding, Reading, Says
from telltale.payload.rules import PAYLOAD_RULES, Rule
from telltale.payload.wrappers import Unwrapped, unwrap

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
