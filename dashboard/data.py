"""Questions to the API, cached for a moment: pages ask here and nowhere else.

An answer is kept for a few seconds, so that the frame and the page of one run, and several viewers, share a round
trip. A failure is never kept, and never turned into an empty answer.
"""

from __future__ import annotations

import os
from typing import Any

import streamlit as st

from analytics.client import DEFAULT_URL, ApiClient

API_URL_VARIABLE = "TELLTALE_API_URL"
TOKEN_VARIABLE = "TELLTALE_API_TOKEN"  # noqa: S105 - a variable's name
ALL = 10_000
"""The most rows that the API gives: for lists that are summed up, not shown."""

KEPT_S = 4
"""How long an answer is shared; below the five seconds in which a judged failure must be visible."""

Answer = dict[str, Any]


def api_url() -> str:
    """The API's address, given by the command that started the pages."""
    return os.environ.get(API_URL_VARIABLE) or DEFAULT_URL


def _token() -> str | None:
    return os.environ.get(TOKEN_VARIABLE) or None


@st.cache_resource(max_entries=4, show_spinner=False)
def _client(url: str, token: str | None) -> ApiClient:
    return ApiClient(url, token=token)


@st.cache_data(ttl=KEPT_S, max_entries=256, show_spinner=False)
def _ask(url: str, path: tuple[str, ...], params: tuple[tuple[str, str], ...]) -> Answer:
    return _client(url, _token()).get(*path, **dict(params))


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
    return _ask(api_url(), path, tuple(sorted(asked.items())))


def tell(*path: str, project: str, body: dict[str, Any]) -> Answer:
    """Send a change (acknowledge, diagnose, correct), then forget kept answers so that the change shows.

    Raises:
        analytics.client.ApiError: no answer in time, or a refusal.
    """
    answer = _client(api_url(), _token()).post(*path, body=body, project=project)
    _ask.clear()
    return answer
