"""Incidents as cards: what fired, since when, how far it reaches, and the way to the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard import incident_words, links, words
from dashboard.untrusted import plain
from dashboard.view import View

Incident = Mapping[str, Any]
_STATE = {"firing": "red", "acknowledged": "orange", "resolved": "green"}
_SHOWN = 3
_SIGNS: Mapping[str, Mapping[str, str]] = {
    "internal_above_baseline": {"code": "INTERNAL", "outcome": words.FAILED},
    "permission_denied": {"code": "PERMISSION_DENIED", "outcome": words.FAILED},
    "budget_exhausted": {"flag": "budget_exhausted"},
    "silent_failures": {"outcome": "silent_failure"},
}
"""What marks the calls of each rule; the rules that are about no call are not here."""


def gravest_first(rows: Sequence[Incident]) -> list[Incident]:
    """Pages before tickets, of each those with the most failed calls by now, of equals the newest."""
    newest = sorted(rows, key=lambda row: str(row.get("detected")), reverse=True)
    return sorted(newest, key=lambda row: (row.get("severity") != "page", -_failed(row)))


def _failed(row: Incident) -> int:
    return int((row.get("now") or {}).get("failing_calls") or 0)


def open_incidents(rows: Sequence[Incident], view: View) -> None:
    """The open incidents, gravest first, above everything else: one row each, and what each has come to."""
    for row in gravest_first(rows)[:_SHOWN]:
        with st.container(border=True, gap="xsmall", key=f"incident.{row.get('id')}"):
            _row(row, view)
            _now(row)
    if len(rows) > _SHOWN:
        label = f"All {words.count(len(rows))} open incidents"
        links.link("incidents", label, view.query(), icon=":material/arrow_forward:")


def card(row: Incident, view: View, lines: int = 2) -> None:
    """One incident in a bordered box: what it has come to, and the first lines of what its notice said at first."""
    with st.container(border=True, gap="xsmall"):
        _row(row, view)
        _now(row)
        # A notice ends with a link to where the reader is already.
        told = [line for line in str(row.get("text") or "").splitlines() if not line.startswith("Dashboard: ")][:lines]
        if told:
            st.caption("When it fired")
            # The backticks are for chat clients; a notice holds no others.
            st.text("\n".join(plain(line, 300).replace("`", "") for line in told))


def _now(row: Incident) -> None:
    present = incident_words.now(row)
    if present:
        st.markdown(present)


def _row(row: Incident, view: View) -> None:
    """Severity, state, tool, code and age, and the ways to the failing step, to the calls, and to the incident."""
    state = str(row.get("state"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.badge(words.severity(row.get("severity")), color="red" if row.get("severity") == "page" else "gray")
        known = state if state in _STATE else "unknown"
        st.badge(known, color=_STATE.get(state, "gray"), icon=_icon(state))  # type: ignore[arg-type]
        whole = "all tools" if row.get("rule") == "no_data" else "the quiet tools together"
        st.text(plain(row.get("tool") or whole, 80))
        st.text(plain(row.get("code") or str(row.get("rule") or "").replace("_", " "), 60))
        st.caption(f"since {words.lately(row.get('first_failure') or row.get('detected'))}", width="content")
        st.space("stretch")
        sessions = row.get("example_sessions") or []
        if sessions:
            about = replace(view, tool=str(row.get("tool") or ""))
            links.link("replay", "Failing step", links.replay_query(about, sessions[0]), icon=":material/replay:")
        query = calls_behind(row, view)
        if query is not None:
            links.link("calls", "Calls", query, icon=":material/list:")
        incident = view.query(incident=row.get("id"), as_of="")
        links.link("incidents", "Incident", incident, icon=":material/arrow_forward:")


def calls_behind(row: Incident, view: View) -> dict[str, str] | None:
    """The parameters of the calls behind an incident; None where it is about no call (silence, a destination)."""
    signs = _SIGNS.get(str(row.get("rule")))
    if signs is None:
        return None
    since = row.get("first_failure") or view.since
    return View(project=view.project).query(since=since, tool=row.get("tool"), **signs)


def _icon(state: str) -> str:
    return {"firing": ":material/notifications_active:", "resolved": ":material/check:"}.get(
        state, ":material/person_check:"
    )
