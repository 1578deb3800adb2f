"""Compliance by tool and release: did the new release make it better?"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from analytics.api.context import Context
from analytics.api.tally import Tally
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import rfc3339
from telltale.vocabulary import Outcome


def release_rows(context: Context, filters: Filters) -> list[dict[str, Any]]:
    """One row per tool and release (None where the spans name none).

    The tools with the most failures come first, and of each tool the release whose calls began last: that is the order
    in which they were rolled out, which the text of a release does not tell. From the calls: no rollup knows releases.
    """
    found: dict[str, dict[str | None, _Release]] = defaultdict(dict)
    for row in rows(context.store, "tools_releases", filters):
        found[row["tool"]].setdefault(row["release"], _Release()).add(row)
    failed = {tool: sum(each.tally.failures for each in releases.values()) for tool, releases in found.items()}
    made: list[dict[str, Any]] = []
    for tool in sorted(found, key=lambda name: (-failed[name], name)):
        newest = sorted(found[tool].items(), key=lambda each: (-each[1].first_ns, each[0] or ""))
        made += [each.object(tool, release) for release, each in newest]
    return made


class _Release:
    """The calls of one tool under one release."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.first_ns = 2**63 - 1
        self.last_ns = 0

    def add(self, row: dict[str, Any]) -> None:
        """Count one row of the question in."""
        self.tally.add(row)
        self.first_ns = min(self.first_ns, row["first_ns"])
        self.last_ns = max(self.last_ns, row["last_ns"])

    def object(self, tool: str, release: str | None) -> dict[str, Any]:
        """The row as it leaves the service."""
        tally = self.tally
        return {
            "tool": tool,
            "release": release,
            "calls": tally.calls,
            "failures": tally.failures,
            **{outcome.value: tally.outcomes[outcome] for outcome in Outcome},
            "not_measured": tally.not_measured,
            "compliance": tally.compliance,
            "failure_rate": tally.failures / tally.calls,
            "budget_exhausted": tally.budget_exhausted,
            "top_code": tally.top_code,
            "first_call_at": rfc3339(self.first_ns),
            "last_call_at": rfc3339(self.last_ns),
        }
