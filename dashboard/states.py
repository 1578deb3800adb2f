"""What a page says when it cannot show an answer: the API is down, slow or refuses, or there is nothing yet.

A page that cannot reach the API says so; it never shows zeros instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from analytics.client import ApiError, ApiUnavailable
from dashboard import data, links, untrusted, words
from dashboard.view import View

_RETRY_S = 3

DEFAULT_OTLP = "http://127.0.0.1:4318"
"""Where OTLP is taken over HTTP unless the service was started otherwise."""

FIRST_SPANS = """\
import telltale
telltale.instrument(endpoint="{endpoint}", service="my-agent")
# run your agent as before: its spans arrive here"""
"""Three lines that point an agent at the collector, for the page with nothing on it."""


def loading() -> AbstractContextManager[object]:
    """Something to look at while the API thinks; says how long it has been."""
    return st.spinner("Asking the API…", show_time=True)


def failed(error: ApiError) -> None:
    """Say why there is no answer, and look again by itself where that may help."""
    if error.status == 404:
        st.warning("The address names something that is not stored, or no more.", title="Not found", icon=_NOT_FOUND)
        untrusted.block(str(error), "")
        return
    if 400 <= error.status < 500 and not isinstance(error, ApiUnavailable):
        st.error("Check the filters in the address.", title="The API refused the question", icon=":material/block:")
        untrusted.block(str(error), "")
        return
    st.error(
        "What is going on is not known: no number here would be true. Trying again every few seconds.",
        title="The API does not answer",
        icon=":material/cloud_off:",
    )
    untrusted.block(str(error), "")
    st.caption("Is the service running? `telltale serve` starts it; `telltale dashboard --api URL` names another.")
    _look_again(time.monotonic())


_NOT_FOUND = ":material/search_off:"


@st.fragment(run_every=_RETRY_S)
def _look_again(failed_at: float) -> None:
    # The first run is the failed one itself: running the page again at once would turn a fault into a loop.
    if time.monotonic() - failed_at < _RETRY_S / 2:
        return
    try:
        data.ask("status")
    except ApiError:
        return
    st.rerun()


def guarded(draw: Callable[[], None]) -> None:
    """Draw a part of a page; where the API fails, say so in its place."""
    try:
        draw()
    except ApiError as error:
        failed(error)


def nothing(view: View, what: str) -> bool:
    """An empty list, honestly: no spans at all, or none that match.

    Returns:
        Whether spans are stored, so that the list is empty for its own reasons.
    """
    status = data.ask("status", params={"project": view.project})
    if not status.get("spans"):
        no_calls_yet(status, view.project)
        return False
    if view.narrowed_by():
        st.info(f"No {what} match these filters in this time range.", icon=":material/filter_alt_off:")
    else:
        st.info(f"No {what} in this time range.", icon=":material/inbox:")
    return True


def unknown(status: Mapping[str, Any], project: str) -> list[str]:
    """The projects that there are, where `project` is none of them; [] where it is, or where there is none at all.

    The service names a part of very many, so a project that holds spans is one without being named.
    """
    known = [str(name) for name in status.get("projects") or []]
    return [] if status.get("spans") or project in known else known


def no_such_project(status: Mapping[str, Any], project: str) -> None:
    """Say that the address names a project that nothing was stored for, with the ways to those that there are."""
    known = unknown(status, project)
    if not known:
        return
    with st.container(border=True, gap="xsmall"):
        st.subheader("No such project", icon=":material/search_off:", anchor=False)
        st.text(f"Nothing was ever stored for the project “{untrusted.plain(project, 80)}”. These there are:")
        for name in known[:_PROJECTS]:
            with st.container(horizontal=True, vertical_alignment="center"):
                links.link(links.HOME.path, "Open", View(project=name).query(), icon=":material/arrow_forward:")
                untrusted.name(name)
        if len(known) > _PROJECTS:
            st.caption(f"and {words.count(len(known) - _PROJECTS)} more.")
        st.caption("A project begins with the first span that a sender's token brings: `telltale token create --help`.")


_PROJECTS = 20


def no_calls_yet(status: Mapping[str, Any], project: str) -> None:
    """The page of a store that has seen nothing, with the way to change that; of a project that does not exist, the
    page's head says so (`no_such_project`)."""
    if unknown(status, project):
        return
    told = str(status.get("otlp_http") or "")
    endpoint = told or DEFAULT_OTLP
    with st.container(border=True):
        st.subheader("No calls yet", icon=":material/sensors:")
        st.caption("Point an agent here in three lines. Any framework that sends OpenTelemetry spans will do:")
        st.code(FIRST_SPANS.format(endpoint=endpoint), language="python")
        st.caption("Or play recorded spans in:")
        st.code(f"telltale ingest sample_traces --endpoint {endpoint}", language="bash")
        if not told:
            st.caption("4318 is the usual port. A service that was started with another prints it as `otlp_http`.")
