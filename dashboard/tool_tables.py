"""Tables of tools: how each fails, in all, by release, and the worst of them in few columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard import links, words
from dashboard.tables import Row, Target, opening, tone
from dashboard.untrusted import plain
from dashboard.view import View
from telltale.vocabulary import Outcome


def tools(rows: Sequence[Row], view: View, key: str) -> None:
    """Tools, worst first as the API gives them; a click opens the calls behind the number."""
    frame = pd.DataFrame(
        {
            "tool": [plain(row.get("tool")) for row in rows],
            **_counts(rows),
            "top code": [plain(row.get("top_code"), 40) for row in rows],
            "sessions": [row.get("sessions_failed") for row in rows],
            "last failure": [words.ago(row.get("last_failure_at")) for row in rows],
            "p95": [_nearly(row) + words.milliseconds(row.get("p95_ms")) for row in rows],
        }
    )
    targets, shade = _opened(rows, view, ("tool",))
    for n, row in enumerate(rows):
        targets[n, "sessions"] = ("sessions", view.query(tool=row.get("tool"), outcome=links.failing(view)))
        targets[n, "top code"] = (
            "calls",
            view.query(tool=row.get("tool"), code=links.code_filter(row.get("top_code"))),
        )
    opening(frame, key, targets, alt="Tools, worst first", shade=shade)


def _nearly(row: Row) -> str:
    """What marks a duration that is known to two digits only."""
    return "≈ " if row.get("p95_ms") is not None and row.get("durations_exact") is False else ""


def releases(rows: Sequence[Row], view: View, key: str) -> None:
    """How each tool fails under each release, the worst tool's newest release first; a click opens the calls."""
    frame = pd.DataFrame(
        {
            "tool": [plain(row.get("tool")) for row in rows],
            "release": [plain(row.get("release"), 60) or "not named" for row in rows],
            **_counts(rows),
            "not measured": [row.get("not_measured") for row in rows],
            "first call": [words.ago(row.get("first_call_at")) for row in rows],
        }
    )
    targets, shade = _opened(rows, view, ("tool", "release"))
    opening(frame, key, targets, alt="Tools by release, the worst tool's newest release first", shade=shade)


def _counts(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The columns that count calls and failures, and the shares that rest on them."""
    return {
        "calls": [row.get("calls") for row in rows],
        "failed": [failures_of(row) for row in rows],
        "share": [words.share(failures_of(row), row.get("calls")) for row in rows],
        "▲ structured": [row.get("structured_error") for row in rows],
        "✕ unstructured": [row.get("unstructured_error") for row in rows],
        "◆ silent": [row.get("silent_failure") for row in rows],
        "compliance": [_compliance(row) for row in rows],
    }


def _opened(
    rows: Sequence[Row], view: View, by: tuple[str, ...]
) -> tuple[dict[Any, Target], dict[tuple[int, str], str]]:
    """What each cell of a table of tools opens, and the shades of those that count failures."""
    columns = {
        "▲ structured": "structured_error",
        "✕ unstructured": "unstructured_error",
        "◆ silent": "silent_failure",
        "failed": links.failing(view),
        "share": links.failing(view),
        "last failure": links.failing(view),
    }
    targets: dict[Any, Target] = {}
    shade: dict[tuple[int, str], str] = {}
    for n, row in enumerate(rows):
        of_row = {name: row.get(name) for name in by}
        targets[n] = ("calls", view.query(**of_row))
        for column, outcome in columns.items():
            targets[n, column] = ("calls", view.query(**of_row, outcome=outcome))
            if outcome in words.LOOKS and row.get(outcome):
                shade[n, column] = tone(outcome)
    return targets, shade


def worst_tools(rows: Sequence[Row], view: View, key: str) -> None:
    """The same tools in few columns, for half of the first screen, by failed calls; a click opens those.

    What matters most stands left: a long name or code pushes the last columns out of sight first.
    """
    frame = pd.DataFrame(
        {
            "tool": [plain(row.get("tool"), 60) for row in rows],
            "failed ↓": [f"{words.count(failures_of(row))} of {words.count(row.get('calls'))}" for row in rows],
            "◆ silent": [row.get("silent_failure") for row in rows],
            "top code": [plain(row.get("top_code"), 40) for row in rows],
            "last": [words.ago(row.get("last_failure_at")) for row in rows],
        }
    )
    targets: dict[Any, Target] = {}
    for n, row in enumerate(rows):
        of_tool = view.query(tool=row.get("tool"), outcome=links.failing(view))
        targets[n] = ("calls", of_tool)
        targets[n, "◆ silent"] = ("calls", {**of_tool, "outcome": str(Outcome.SILENT_FAILURE)})
        targets[n, "top code"] = ("calls", {**of_tool, "code": links.code_filter(row.get("top_code"))})
    silent = tone(Outcome.SILENT_FAILURE)
    shade = {(n, "◆ silent"): silent for n, row in enumerate(rows) if row.get("silent_failure")}
    opening(frame, key, targets, alt="Tools that fail most", shade=shade)


def failures_of(row: Row) -> int:
    """A tool's failed calls of all three kinds."""
    return sum(int(row.get(outcome) or 0) for outcome in links.FAILURES)


def _compliance(row: Row) -> str:
    return words.rate_whole(row.get("compliance") or {}) if failures_of(row) else "no failures"
