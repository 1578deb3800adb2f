"""The tiles of the overview: one number with its unit, its basis, its change, and the list behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import links, tables, words
from dashboard.untrusted import plain
from dashboard.view import View

Overview = Mapping[str, Any]
Target = tuple[str, str, dict[str, str]]
"""A page, the link's label, the link's parameters."""


def tile(label: str, value: str, target: Target, change: str = "") -> None:
    """One bordered tile: what, how many, and the basis as the link to the list behind the number.

    Args:
        label: what is counted.
        value: the number, formatted.
        target: the list behind the number; the link's label says what the number rests on. A zero opens nothing.
        change: how it compares with the window before, in our own words with Streamlit's colours.
    """
    page, text, query = target
    # Not st.metric: it waits for the chart library, a megabyte of script, before it shows a number.
    with st.container(border=True, gap=None, height="stretch", key=f"tile.{label}"):
        st.caption(label)
        st.header(value, anchor=False)
        if change:
            st.caption(change)
        st.space("stretch")
        if value == "0":
            st.caption(text)
        else:
            links.link(page, text, query)


def basis(part: object, whole: object, noun: str = "") -> str:
    """What a count is a share of, in few words: a link on a tile is short."""
    return f"{words.share(part, whole)} {noun}".strip() if whole else "of none"


def against(now: object, before: Mapping[str, Any] | None, key: str) -> str:
    """A count of failures against the window before: more is worse, said in words besides the colour."""
    if before is None:
        return ""
    if not before.get("calls"):
        return "no calls before"
    earlier = before.get(key)
    if not isinstance(now, int | float) or not isinstance(earlier, int | float):
        return ""
    if now == earlier:
        return f"as many as before ({words.count(earlier)})"
    arrow, word, color = ("↑", "worse", "red") if now > earlier else ("↓", "better", "green")
    return f":{color}[{arrow} {word}: {words.count(earlier)} before]"


def tiles(answer: Overview, view: View) -> None:
    """The overview's six numbers."""
    before = answer.get("previous")
    failures, calls = answer.get("failures"), answer.get("calls")
    with st.grid(6, min_column_width=124, gap="small"):
        tile(
            "Failed calls",
            words.count(failures),
            ("calls", basis(failures, calls), view.query(outcome=links.failing(view))),
            against(failures, before, "failures"),
        )
        tile(
            "Silent failures",
            words.count(answer.get("silent")),
            ("silent", basis(answer.get("silent"), failures, "failed"), view.query(outcome="")),
            against(answer.get("silent"), before, "silent"),
        )
        _compliance(answer.get("compliance") or {}, view)
        hit, sessions = answer.get("sessions_failed"), answer.get("sessions")
        tile(
            "Sessions hit",
            words.count(hit),
            ("sessions", basis(hit, sessions), view.query(flagged="true")),
            f"{words.plural(answer.get('users_failed'), 'user')} met a failure",
        )
        unrecovered = answer.get("sessions_unrecovered")
        tile(
            "Not recovered",
            words.count(unrecovered),
            ("sessions", basis(unrecovered, hit, "hit"), view.query(unrecovered="true")),
            "failed, and nothing later mended it",
        )
        tile(
            "Budgets exhausted",
            words.count(answer.get("budget_exhausted")),
            (
                "calls",
                basis(answer.get("budget_exhausted"), calls),
                view.query(flag="budget_exhausted"),
            ),
            "calls told to stop retrying",
        )


def _compliance(rate: Mapping[str, Any], view: View) -> None:
    missing = int(rate.get("not_measured") or 0)
    target = ("calls", words.rate_basis(rate), view.query(outcome="structured_error"))
    if missing:
        target = ("calls", f"{words.count(missing)} not measured", view.query(payload="absent"))
    told = [words.rate_basis(rate)] if missing else []
    tile("Compliance", words.rate_value(rate), target, " · ".join(filter(None, [*told, words.rate_interval(rate)])))


def by_code(rows: Sequence[Mapping[str, Any]], view: View) -> None:
    """How many failed calls bear each code; each row opens its calls."""
    ordered = [(str(row.get("code")), int(row.get("calls") or 0)) for row in rows]
    frame = pd.DataFrame({"code": [plain(code, 40) for code, _ in ordered], "failed calls": [n for _, n in ordered]})
    tables.opening(
        frame,
        "overview.codes",
        {
            n: ("calls", view.query(code=links.code_filter(code), outcome=links.failing(view)))
            for n, (code, _) in enumerate(ordered)
        },
        alt="Failed calls by code",
        config={
            "failed calls": st.column_config.ProgressColumn(
                format="%d", min_value=0, max_value=max((n for _, n in ordered), default=1)
            )
        },
    )
