"""What surrounds every page: navigation, filters, and how fresh the view is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import links, moment, states, words
from dashboard.moment import Moment
from dashboard.view import RANGES, View, default_of
from telltale.vocabulary import Code

LAG_WARNING_S = 30
"""Judging later than this is worth a line: a failure must be visible within seconds."""

LIVE = frozenset({"overview", "tools-codes"})
"""Pages that refresh by themselves. The others are lists to work through: they stay as of the time that they show."""

_GROUPS = {
    "Now": ("overview", "incidents", "silent"),
    "Find": ("tools-codes", "sessions", "calls"),
    "Trust": ("rules", "senders"),
}
_OUTCOMES = {"": "any outcome", words.FAILED: "any failure"} | {
    str(key): f"{look.glyph} {look.label}" for key, look in words.LOOKS.items()
}
_CODES = {"": "any code", "none": "no code"} | {str(code): str(code) for code in Code}
_CHOICES = {"since": ("Time range", RANGES), "outcome": ("Outcome", _OUTCOMES), "code": ("Code", _CODES)}


def sidebar(view: View, here: str) -> bool:
    """Draw navigation and filters.

    Returns:
        Whether the pages should refresh by themselves.
    """
    with st.sidebar:
        _navigation(view, here)
        return _filters(view, here)


def _navigation(view: View, here: str) -> None:
    with st.container(gap="xxsmall"):
        for group, pages in _GROUPS.items():
            st.caption(group)
            for page in pages:
                place = links.PLACES[page]
                back = {"session": ""} if here == "replay" else {}
                links.link(page, place.title, view.query(as_of="", **back), icon=place.icon)
        if here == "replay":
            place = links.PLACES["replay"]
            links.link("replay", place.title, st.query_params.to_dict(), icon=place.icon)


def _filters(view: View, here: str) -> bool:
    # Only those that work on the page: one that did nothing would be taken for an answer.
    works = links.PLACES[here].filters
    if works == ("project",):
        _typed("project", "Project", view.project)
        return False
    with st.container(gap="xsmall"):
        st.caption("Filters")
        for key, (label, options) in _CHOICES.items():
            if key in works:
                _choice(key, label, options, getattr(view, key))
        for key in ("tool", "agent"):
            if key in works:
                _typed(key, key.capitalize(), getattr(view, key))
        rest = [key for key in ("project", "service", "release", "user", "session", "until") if key in works]
        with st.expander("More filters", expanded=any(getattr(view, key) != default_of(key) for key in rest)):
            for key in rest:
                _typed(key, "Until (UTC)" if key == "until" else key.capitalize(), getattr(view, key))
        with st.container(horizontal=True, vertical_alignment="center"):
            narrowed = view.narrowed_by() or view.until
            st.button("Clear filters", key="filters.clear", on_click=_clear, disabled=not narrowed)
            if here not in LIVE or view.as_of:
                return False
            return st.toggle("Live", key="live", value=True, persist_state="session", help="Refresh every 10 seconds")


def _choice(key: str, label: str, options: dict[str, str], value: str) -> None:
    # A value that only a link can carry has no name of ours: it is offered as "from the link", not by its own text.
    known = options if value in options else {**options, value: "as in the link"}
    st.session_state[f"filter.{key}"] = value
    st.selectbox(
        label,
        list(known),
        format_func=known.__getitem__,
        key=f"filter.{key}",
        on_change=_write,
        args=(key,),
    )


def _typed(key: str, label: str, value: str) -> None:
    st.session_state[f"filter.{key}"] = value
    st.text_input(label, key=f"filter.{key}", on_change=_write, args=(key,), max_chars=1024, placeholder="any")


def _write(key: str) -> None:
    value = str(st.session_state[f"filter.{key}"] or "").strip()
    if value and value != default_of(key):
        st.query_params[key] = value
    elif key in st.query_params:
        del st.query_params[key]


def _clear() -> None:
    kept = {key: value for key, value in st.query_params.to_dict().items() if key in {"project", "since"}}
    st.query_params.from_dict(kept)


def heading(now: Moment, place: links.Place) -> None:
    """The page's title beside the moment that it is about, and what is wrong with the service itself."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.title(place.title, icon=place.icon, anchor=False)
    with right, st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"):
        st.caption(freshness(now), width="content")
        if now.fixed:
            query = {key: value for key, value in st.query_params.to_dict().items() if key != "as_of"}
            links.link(place.path, "Show now", query, icon=":material/update:")
        elif not st.session_state.get("refresh"):
            st.button("Refresh", key="refresh.now", on_click=moment.move_on, type="tertiary", icon=":material/refresh:")
    _health(now.status, place.path)
    states.no_such_project(now.status, now.view.project)


def freshness(now: Moment) -> str:
    """One line: as of when, how old the newest span is."""
    status = now.status
    if now.fixed:
        return f"as of {words.utc(now.view.as_of)} UTC, as in the link: later calls are left out"
    as_of = f"as of {words.utc(status.get('as_of'), day=False)} UTC"
    if not status.get("last_received_at"):
        return f"{as_of} · no spans yet"
    stored = words.plural(status.get("calls"), "call")
    return f"{as_of} · {stored} stored · last span {words.ago(status['last_received_at'])}"


def _health(status: dict[str, Any], page: str) -> None:
    lag = status.get("judged_lag_s")
    if isinstance(lag, int | float) and lag > LAG_WARNING_S:
        st.warning(
            f"Judging is {words.span_of_seconds(lag)} behind: the newest failures are not counted yet.",
            icon=":material/schedule:",
        )
    # What was refused bears no project: a list of one is not the place to tell it, nor a project that sent nothing.
    refused = words.refused(status)
    if refused and (page == "senders" or (page == "overview" and status.get("spans"))):
        st.caption(f":orange[:material/report:] {refused} refused since the service started, over all projects.")
