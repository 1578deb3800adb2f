"""Calls by outcome and code, and their compliance."""

from __future__ import annotations

from collections import Counter
from typing import Any

from analytics.questions.statistics import compliance
from telltale.vocabulary import Code, Outcome


class Tally:
    """Calls by outcome, with what can be told of their compliance; folded from rows of the question `tools`
    (or `tools_releases`)."""

    def __init__(self) -> None:
        self.outcomes: dict[Outcome, int] = dict.fromkeys(Outcome, 0)
        self.measured: dict[Outcome, int] = dict.fromkeys(Outcome, 0)
        self.codes: Counter[str] = Counter()
        self.not_measured = 0
        self.budget_exhausted = 0
        self.inferred_internal = 0

    def add(self, row: dict[str, Any]) -> None:
        """Count one row in."""
        outcome, calls = Outcome(row["outcome"]), row["calls"]
        self.outcomes[outcome] += calls
        self.budget_exhausted += row["budget_exhausted"]
        if row["measured"]:
            self.measured[outcome] += calls
        else:
            self.not_measured += calls
        if outcome is not Outcome.OK:
            self.codes[row["code"]] += calls
            self.inferred_internal += row["inferred"] if row["code"] == Code.INTERNAL else 0

    def merge(self, other: Tally) -> None:
        """Count another tally in."""
        for outcome in Outcome:
            self.outcomes[outcome] += other.outcomes[outcome]
            self.measured[outcome] += other.measured[outcome]
        self.codes.update(other.codes)
        self.not_measured += other.not_measured
        self.budget_exhausted += other.budget_exhausted
        self.inferred_internal += other.inferred_internal

    @property
    def calls(self) -> int:
        """All of them."""
        return sum(self.outcomes.values())

    @property
    def failures(self) -> int:
        """Those that failed, in whichever way."""
        return self.calls - self.outcomes[Outcome.OK]

    @property
    def compliance(self) -> dict[str, Any]:
        """Of the failures, the share told in a compliant envelope."""
        return compliance(self.measured, self.not_measured)

    @property
    def top_code(self) -> str | None:
        """The most frequent code of the failures; None without failures."""
        return max(self.codes, key=lambda code: (self.codes[code], code)) if self.codes else None
