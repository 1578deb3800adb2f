"""What a page says when it cannot show an answer: the API is down, slow or refuses, or there is nothing yet.

A page that cannot reach the API says so; it never shows zeros instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import streamlit as st

from analytics.client import ApiError, ApiUnavailable
from dashboard import data, untrusted
from dashboard.view import View

_RETRY_S = 3

FIRST_SPANS = """\
import telltale
telltale.instrument(endpoint="http://127.0.0.1:4318", service="my-agent")
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


def nothing(view: View, what: str) -> None:
    """An empty list, honestly: no spans at all, or none that match."""
    status = data.ask("status", params={"project": view.project})
    if not status.get("spans"):
        no_calls_yet()
        return
    if view.narrowed_by():
        st.info(f"No {what} match these filters in this time range.", icon=":material/filter_alt_off:")
    else:
        st.info(f"No {what} in this time range.", icon=":material/inbox:")


def no_calls_yet() -> None:
    """The page of a store that has seen nothing, with the way to change that."""
    with st.container(border=True):
        st.subheader("No calls yet", icon=":material/sensors:")
        st.caption("Point an agent here in three lines. Any framework that sends OpenTelemetry spans will do:")
        st.code(FIRST_SPANS, language="python")
        st.caption("Or play recorded spans in:")
        st.code("telltale ingest sample_traces --endpoint http://127.0.0.1:4318", language="bash")
