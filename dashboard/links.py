"""The pages, and the links between them. A link carries the whole view, so every one can be copied and shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from dashboard import words
from dashboard.view import View
from telltale.vocabulary import Code, Outcome

FAILURES = frozenset(Outcome) - {Outcome.OK}


class Place(NamedTuple):
    """A page: its file, its path in the address, what the navigation calls it, the filters that work there."""

    file: str
    path: str
    title: str
    icon: str
    help: str
    filters: tuple[str, ...] = ()


TIME = ("since", "until")
WHO = ("project", "tool", "agent", "service", "user", "session")
WHAT = ("outcome", "code")
EVERY = (*TIME, *WHAT, *WHO, "release")

PLACES = {
    place.path: place
    for place in (
        Place(
            "app_pages/overview.py", "overview", "Overview", ":material/monitor_heart:", "Is anything wrong now?", EVERY
        ),
        Place(
            "app_pages/incidents.py",
            "incidents",
            "Incidents",
            ":material/e911_emergency:",
            "What fired, who has it",
            (*TIME, "project", "tool", "code"),
        ),
        Place(
            "app_pages/silent.py",
            "silent",
            "Silent failures",
            ":material/visibility_off:",
            "Declared against derived",
            (*TIME, "code", *WHO, "release"),
        ),
        Place(
            "app_pages/tools_codes.py",
            "tools-codes",
            "Tools × codes",
            ":material/grid_on:",
            "Which tool, which code",
            EVERY,
        ),
        Place(
            "app_pages/sessions.py",
            "sessions",
            "Sessions",
            ":material/forum:",
            "Who was affected, flagged first",
            EVERY,
        ),
        Place("app_pages/calls.py", "calls", "Calls", ":material/list:", "The list behind every count", EVERY),
        Place(
            "app_pages/replay.py", "replay", "Replay", ":material/replay:", "One session, step by step", ("project",)
        ),
        Place(
            "app_pages/rules.py",
            "rules",
            "Rules",
            ":material/rule:",
            "How far verdicts can be trusted",
            (*TIME, "project", "tool"),
        ),
        Place(
            "app_pages/senders.py",
            "senders",
            "Senders",
            ":material/cell_tower:",
            "Who sends, and what is lost",
            ("project",),
        ),
    )
}
"""Every page by its path, in the order of the navigation."""

HOME = PLACES["overview"]


def link(page: str, label: str, query: dict[str, str], icon: str = "") -> None:
    """A link to a page with a view. The label is the project's own text and numbers, never a span's."""
    st.page_link(PLACES[page].file, label=label, icon=icon, help="", query_params=query)


def replay_query(view: View, session: object, span_id: object = None, step: object = None) -> dict[str, str]:
    """The parameters of a replay: a session, and the span or step to open at; filters come along for the way back."""
    return view.query(session=session, span=span_id, step=step, as_of="")


def call_query(view: View, call: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that open a call at its step; its trace stands in where no session is known."""
    return replay_query(view, call.get("session_id") or call.get("trace_id"), call.get("span_id"))


def code_filter(code: object) -> str:
    """The filter for a code as a row gives it: the API filters by the closed codes, and by their absence."""
    if code in (None, "", "none"):
        return "none"
    return str(code) if str(code) in Code.__members__ else ""


def failing(view: View) -> str:
    """The outcomes that a count of failures is made of in this view, as a filter."""
    chosen = [outcome for outcome in view.outcome.split(",") if outcome.strip() in FAILURES]
    return ",".join(chosen) or words.FAILED


def keep_address(page: str) -> None:
    """Put into the browser's address what a link asked for that leads to the page it stands on.

    Streamlit runs the page with the link's parameters, but renews the address only where the page is another one: a
    reload, a bookmark or the way back would lose them.
    """
    here = urlsplit(str(st.context.url or ""))
    if here.path.rstrip("/").rpartition("/")[2] != page:
        return
    wanted = st.query_params.to_dict()
    if dict(parse_qsl(here.query, keep_blank_values=True)) != wanted:
        st.query_params.from_dict(wanted)


def visit(page: str, query: dict[str, str]) -> None:
    """Go to a page with a view, now."""
    st.switch_page(PLACES[page].file, query_params=query)
