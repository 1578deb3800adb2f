"""The sentence behind each rule id, from the judge's own catalogue."""

from __future__ import annotations

from analytics.jobs.call_rows import CORRECTION
from analytics.judge import explain


def sentence(rule: str) -> str:
    """What a rule says, for the engineer; its id where the catalogue of this release does not know it."""
    return "A person corrected this verdict." if rule == CORRECTION else explain(rule)
