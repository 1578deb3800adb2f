"""Questions to the API, cached: pages ask here and nowhere else.

An answer about one moment (`as_of`) does not change, and is kept for minutes; any other is kept for a few seconds, so
that several viewers share a round trip. A failure is never kept, and never turned into an empty answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx

from analytics.client import DEFAULT_URL, ApiClient
from dashboard.sign_in import API_URL_VARIABLE, COOKIE, TOKEN_VARIABLE

ALL = 10_000
"""The most rows that the API gives: for lists that are summed up, not shown."""

KEPT_S = 4
"""How long the present is shared; below the five seconds in which a judged failure must be visible."""

KEPT_OF_A_MOMENT_S = 300
"""How long an answer about one moment is kept: while somebody works on what it shows."""

Answer = dict[str, Any]
Params = tuple[tuple[str, str], ...]


def api_url() -> str:
    """The API's address, given by the command that started the pages."""
    return os.environ.get(API_URL_VARIABLE) or DEFAULT_URL


def _token() -> str | None:
    """The pages' own token, else the one with which the visitor signed in."""
    own = os.environ.get(TOKEN_VARIABLE)
    visitors: object = own or st.context.cookies.get(COOKIE)
    return visitors if isinstance(visitors, str) and visitors else None


@st.cache_resource(max_entries=4, show_spinner=False)
def _client(url: str, token: str | None) -> ApiClient:
    return ApiClient(url, token=token)


@st.cache_data(ttl=KEPT_S, max_entries=64, show_spinner=False)
def _ask_now(url: str, token: str | None, path: tuple[str, ...], params: Params) -> Answer:
    return _client(url, token).get(*path, **dict(params))


@st.cache_data(ttl=KEPT_OF_A_MOMENT_S, max_entries=64, show_spinner=False)
def _ask_of_a_moment(url: str, token: str | None, path: tuple[str, ...], params: Params) -> Answer:
    return _client(url, token).get(*path, **dict(params))


def ask(*path: str, params: dict[str, str] | None = None, **more: Any) -> Answer:
    """Ask one question.

    Args:
        *path: the parts below `/api/v1/`; foreign ids are safe in them.
        params: query parameters, usually `View.params()`.
        **more: further parameters; None and "" are left out.

    Raises:
        analytics.client.ApiError: no answer in time, or a refusal.
    """
    asked = {**(params or {}), **{key: str(value) for key, value in more.items() if value not in (None, "")}}
    kept = _ask_of_a_moment if "as_of" in asked else _ask_now
    return kept(api_url(), _token(), path, tuple(sorted(asked.items())))


def ask_anew(*path: str, params: dict[str, str] | None = None) -> Answer:
    """Ask one question whose last answer, however young, will not do: what time it is now. See `ask`."""
    question = (api_url(), _token(), path, tuple(sorted((params or {}).items())))
    _ask_now.clear(*question)
    return _ask_now(*question)


def soon(*path: str, params: dict[str, str] | None = None, **more: Any) -> Callable[[], Answer]:
    """Ask one question beside others, on a thread of its own.

    Returns:
        What waits for the answer; it raises as `ask` does.
    """
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(ask(*path, params=params, **more))
        except Exception as error:
            answer.set_exception(error)

    thread = threading.Thread(target=run, daemon=True, name="telltale-ask")
    add_script_run_ctx(thread)  # the cache belongs to the run that asks
    thread.start()
    return answer.result


def tell(*path: str, project: str, body: dict[str, Any]) -> Answer:
    """Send a change (acknowledge, diagnose, correct), then forget kept answers so that the change shows.

    Raises:
        analytics.client.ApiError: no answer in time, or a refusal.
    """
    answer = _client(api_url(), _token()).post(*path, body=body, project=project)
    forget()
    return answer


def forget() -> None:
    """Forget every kept answer: what is asked next is asked anew."""
    _ask_now.clear()
    _ask_of_a_moment.clear()
