"""What surrounds every page: navigation, filters, and how fresh the view is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analytics.client import ApiError
from dashboard import data, links, words
from dashboard.live import live
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


def sidebar(view: View, here: str) -> bool:
    """Draw navigation and filters.

    Returns:
        Whether the pages should refresh by themselves.
    """
    with st.sidebar:
        _navigation(view, here)
        return _project(view) if here == "replay" else _filters(view, here)


def _navigation(view: View, here: str) -> None:
    with st.container(gap="xxsmall"):
        for group, pages in _GROUPS.items():
            st.caption(group)
            for page in pages:
                place = links.PLACES[page]
                links.link(
                    page, place.title, view.query(session="") if here == "replay" else view.query(), icon=place.icon
                )
        if here == "replay":
            place = links.PLACES["replay"]
            links.link("replay", place.title, st.query_params.to_dict(), icon=place.icon)


def _project(view: View) -> bool:
    # A replay shows one session whole: no other filter has a say in it.
    _typed("project", "Project", view.project)
    return False


def _filters(view: View, here: str) -> bool:
    with st.container(gap="xsmall"):
        st.caption("Filters")
        _choice("since", "Time range", RANGES, view.since)
        _choice("outcome", "Outcome", _OUTCOMES, view.outcome)
        _choice("code", "Code", _CODES, view.code)
        _typed("tool", "Tool", view.tool)
        _typed("agent", "Agent", view.agent)
        rest = (view.service, view.release, view.user, view.session, view.until)
        with st.expander("More filters", expanded=any(rest) or view.project != default_of("project")):
            for key in ("project", "service", "release", "user", "session"):
                _typed(key, key.capitalize(), getattr(view, key))
            _typed("until", "Until (UTC)", view.until)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Clear filters",
                key="filters.clear",
                on_click=_clear,
                disabled=not view.narrowed_by() and not view.until,
            )
            if here not in LIVE:
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


def heading(view: View, place: links.Place) -> None:
    """The page's title beside how fresh the answers are, and what is wrong with the service itself."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.title(place.title, icon=place.icon, anchor=False)
    with right:
        if place.path in LIVE:
            live(lambda: _freshness(view))
        else:
            _freshness(view)
    _health(data.ask("status", params={"project": view.project}))


def _freshness(view: View) -> None:
    try:
        status = data.ask("status", params={"project": view.project})
    except ApiError:
        st.caption(":red[no answer from the API: what is shown is from before]", text_alignment="right")
        return
    st.caption(freshness(status), text_alignment="right")


def freshness(status: dict[str, Any]) -> str:
    """One line: as of when, how old the newest span is."""
    as_of = f"as of {words.utc(status.get('as_of'), day=False)} UTC"
    if not status.get("last_received_at"):
        return f"{as_of} · no spans yet"
    stored = words.plural(status.get("calls"), "call")
    return f"{as_of} · {stored} stored · last span {words.ago(status['last_received_at'])}"


def _health(status: dict[str, Any]) -> None:
    lag = status.get("judged_lag_s")
    if isinstance(lag, int | float) and lag > LAG_WARNING_S:
        st.warning(
            f"Judging is {words.span_of_seconds(lag)} behind: the newest failures are not counted yet.",
            icon=":material/schedule:",
        )
    refused = sum(int(n) for n in (status.get("refused") or {}).values())
    if refused:
        st.caption(f":orange[:material/report:] {words.plural(refused, 'span')} refused since the service started.")
