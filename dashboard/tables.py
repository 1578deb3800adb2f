"""Tables of calls, tools, sessions and groups: text as text, and a click that opens what is behind a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import links, words
from dashboard.untrusted import message, plain
from dashboard.view import View

Target = tuple[str, dict[str, str]]
"""A page and its parameters."""

Row = Mapping[str, Any]

MOST = 22
"""Rows that fit on a screen."""

_TONE = {
    "green": "rgba(76, 195, 138, 0.16)",
    "orange": "rgba(240, 161, 60, 0.20)",
    "red": "rgba(255, 107, 99, 0.20)",
    "violet": "rgba(160, 110, 255, 0.24)",
    "gray": "rgba(149, 161, 178, 0.14)",
}


def opening(
    frame: pd.DataFrame,
    key: str,
    targets: Mapping[Any, Target],
    *,
    alt: str,
    config: dict[str, Any] | None = None,
    shade: Mapping[tuple[int, str], str] | None = None,
    most: int = MOST,
) -> None:
    """Show a table in which a click on a cell opens a page.

    Args:
        frame: the cells; strings are shown as plain text.
        key: the element's name on the page.
        targets: where a click leads, by (row, column) or by row.
        alt: the table's name for assistive technology; our own words.
        config: column settings; text columns need none.
        shade: CSS background colours by (row, column).
        most: the rows that are in sight at once; more of them scroll inside the table, which then says so.
    """
    st.session_state[f"{key}.targets"] = targets
    st.dataframe(
        _shaded(frame, shade) if shade else frame,
        key=key,
        on_select=lambda: _clicked(key),
        selection_mode="single-cell",
        hide_index=True,
        column_config=config,
        height=height_of(len(frame), most),  # type: ignore[arg-type]
        placeholder="–",
        alt=alt,
    )
    more_below(len(frame), most)
    target = st.session_state.pop("visit", None)
    if target:
        links.visit(*target)


def _clicked(key: str) -> None:
    cells = st.session_state[key].get("selection", {}).get("cells", [])
    targets = st.session_state.get(f"{key}.targets", {})
    for row, column in cells:
        target = targets.get((row, column)) or targets.get(row)
        if target:
            st.session_state["visit"] = target


def _shaded(frame: pd.DataFrame, shade: Mapping[tuple[int, str], str]) -> Any:
    cells: dict[str, list[str]] = {column: [""] * len(frame) for column in frame.columns}
    for (row, column), color in shade.items():
        cells[column][row] = f"background-color: {color}"
    colors = pd.DataFrame(cells, index=frame.index)
    return frame.style.apply(lambda _: colors, axis=None)


def reading(frame: pd.DataFrame, key: str, alt: str, most: int = MOST) -> None:
    """Show a table that opens nothing, with the same hint where rows lie below the visible ones."""
    height = height_of(len(frame), most)
    st.dataframe(frame, hide_index=True, key=key, height=height, placeholder="–", alt=alt)  # type: ignore[arg-type]
    more_below(len(frame), most)


def height_of(rows: int, most: int = MOST) -> int | str:
    """All rows where they fit on a screen; a scrolling table of `most` rows where they do not."""
    return "content" if rows <= most else 31 * (most + 1) + 2


def more_below(rows: int, most: int = MOST) -> None:
    """Say how many rows a table has where not all of them are in sight."""
    if rows > most:
        seen = f"{words.count(rows)} rows, {words.count(most)} in sight"
        st.caption(f":material/swipe_vertical: {seen}: scroll inside the table for the others.")


def tone(outcome: object) -> str:
    """A quiet background for an outcome, readable on the light and the dark theme."""
    return _TONE[words.look(outcome).color]


def tone_of(call: Row) -> str:
    """The background of a call's outcome; see `words.look_of`."""
    return _TONE[words.look_of(call).color]


def calls(rows: Sequence[Row], view: View, key: str, *, tool: bool = True) -> None:
    """The calls of a list, newest first; a click opens the step in its session's replay.

    What went wrong stands left: a long name pushes the last columns out of sight first.
    """
    frame = pd.DataFrame(
        {
            "outcome": [words.call_text(row) for row in rows],
            "code": [plain(row.get("code"), 40) for row in rows],
            "tool": [plain(row.get("tool")) for row in rows],
            "time (UTC)": [words.utc(row.get("started_at")) for row in rows],
            "declared": [plain(row.get("declared")) for row in rows],
            "confidence": [plain(row.get("confidence")) for row in rows],
            "agent": [plain(row.get("agent")) for row in rows],
            "session": [plain(row.get("session_id") or f"trace {row.get('trace_id')}") for row in rows],
            "took": [words.milliseconds(row.get("duration_ms")) for row in rows],
            "recovered": [_yes_no(row.get("recovered")) for row in rows],
            "flags": [plain(", ".join(map(str, row.get("flags") or []))) for row in rows],
        }
    )
    if not tool:
        frame = frame.drop(columns="tool")
    opening(
        frame,
        key,
        {n: ("replay", links.call_query(view, row)) for n, row in enumerate(rows)},
        alt="Tool calls, newest first",
        shade={(n, "outcome"): tone_of(row) for n, row in enumerate(rows)},
    )


def _yes_no(value: object) -> str:
    return "" if value is None else "yes" if value else "no"


def failing_sessions(rows: Sequence[Row], view: View, key: str) -> None:
    """The sessions that failed last; a click opens the replay at the first failing step."""
    frame = pd.DataFrame(
        {
            "session": [plain(row.get("session_id"), 60) for row in rows],
            "started": [words.ago(row.get("started_at")) for row in rows],
            "recovered": ["no" if row.get("unrecovered") else "yes" for row in rows],
            "failed": [f"{words.count(row.get('failures'))} of {words.count(row.get('calls'))}" for row in rows],
            "codes": [plain(", ".join(map(str, row.get("codes") or [])), 60) for row in rows],
            "agent": [plain(row.get("agent"), 40) for row in rows],
        }
    )
    targets = {n: ("replay", links.replay_query(view, row.get("session_id"))) for n, row in enumerate(rows)}
    shade = {(n, "recovered"): _TONE["red"] for n, row in enumerate(rows) if row.get("unrecovered")}
    opening(frame, key, targets, alt="Sessions that failed last", shade=shade)


def groups(rows: Sequence[Row], view: View, key: str) -> None:
    """What is failing, one line per kind of failure: which tool and code, since when, for how many, whose fault.

    A click opens the calls; on "last" it opens the latest of them in its replay.
    """
    frame = pd.DataFrame(
        {
            "outcome": [words.outcome_text(row.get("outcome")) for row in rows],
            "tool": [plain(row.get("tool")) for row in rows],
            "code": [plain(row.get("code"), 40) for row in rows],
            "calls": [row.get("calls") for row in rows],
            "sessions": [row.get("sessions") for row in rows],
            "users": [row.get("users") for row in rows],
            "since": [words.ago(row.get("first_seen")) for row in rows],
            "last": [words.ago(row.get("last_seen")) for row in rows],
            "fault": [plain(row.get("fault"), 40) for row in rows],
            "message": [message(row.get("message")) for row in rows],
            "releases": [plain(", ".join(map(str, row.get("releases") or [])), 60) for row in rows],
        }
    )
    targets: dict[Any, Target] = {}
    for n, row in enumerate(rows):
        targets[n] = ("calls", view.query(fingerprint=row.get("fingerprint"), outcome=links.failing(view)))
        if row.get("last_session"):
            query = links.replay_query(view, row["last_session"], row.get("last_span_id"))
            targets[n, "last"] = ("replay", query)
    shade = {(n, "outcome"): tone(row.get("outcome")) for n, row in enumerate(rows)}
    opening(frame, key, targets, alt="Kinds of failure, most frequent first", shade=shade)


def sessions(rows: Sequence[Row], view: View, key: str) -> None:
    """Sessions, flagged first; a click opens the replay at its first failing step."""
    frame = pd.DataFrame(
        {
            "": ["⚑ flagged" if row.get("flagged") else "✓" for row in rows],
            "session": [plain(row.get("session_id")) for row in rows],
            "agent": [plain(row.get("agent")) for row in rows],
            "user": [plain(row.get("user")) for row in rows],
            "started (UTC)": [words.utc(row.get("started_at")) for row in rows],
            "calls": [row.get("calls") for row in rows],
            "failed": [row.get("failures") for row in rows],
            "silent": [row.get("silent") for row in rows],
            "unrecovered": [row.get("unrecovered") for row in rows],
            "codes": [plain(", ".join(map(str, row.get("codes") or []))) for row in rows],
            "tools": [plain(", ".join(map(str, row.get("tools") or []))) for row in rows],
        }
    )
    targets = {n: ("replay", links.replay_query(view, row.get("session_id"))) for n, row in enumerate(rows)}
    shade = {(n, ""): _TONE["red"] for n, row in enumerate(rows) if row.get("flagged")}
    shade |= {(n, "silent"): _TONE["violet"] for n, row in enumerate(rows) if row.get("silent")}
    opening(frame, key, targets, alt="Sessions, flagged first", shade=shade)
