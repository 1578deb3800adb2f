"""Long lists: how many there are, what narrows them, and the way to the older ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard import links, words
from dashboard.untrusted import plain
from dashboard.view import View

LIMIT = 200


def narrowing(keys: tuple[str, ...]) -> dict[str, str]:
    """Filters of one page that a link from a count brings along."""
    return {key: str(st.query_params[key])[:80] for key in keys if st.query_params.get(key)}


def cursor() -> str | None:
    """Where in the list this page begins; None at its head."""
    return st.query_params.get("cursor")


def summary(answer: Mapping[str, Any], noun: str, extra: Mapping[str, str]) -> None:
    """How many rows match, how many are shown, and which link-borne filters are at work."""
    shown = len(answer["rows"])
    total = answer.get("total", shown)
    with st.container(horizontal=True, vertical_alignment="center", key="summary"):
        st.badge(words.plural(total, noun), color="gray")
        if shown < int(total or 0):
            st.caption(f"{words.count(shown)} on this page", width="content")
        for key, value in extra.items():
            st.text(f"{key} = {plain(value, 60)}")


def more(answer: Mapping[str, Any], page: str, view: View, extra: Mapping[str, str]) -> None:
    """Links to the head of the list and to the rows that follow."""
    with st.container(horizontal=True):
        if cursor():
            links.link(page, "Newest", view.query(**extra, as_of=""), icon=":material/first_page:")
        if answer.get("next_cursor"):
            links.link(
                page, "Older", view.query(**extra, cursor=answer["next_cursor"]), icon=":material/chevron_right:"
            )
