"""Addresses that name no page."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import streamlit as st

from dashboard import links

NO_PAGE = "no-such-page"
ASKED = "asked"
"""Where an address of several parts is sent, and the parameter that holds what was asked for (see `server`)."""


def address() -> str:
    """What the address asks for where that names no page, without slashes around it; "" where it names one."""
    name = _name()
    if name == NO_PAGE:
        return str(st.query_params.get(ASKED, ""))[:1024].strip("/") or name
    return "" if name in links.PLACES else name


def page() -> st.Page | None:
    """A page for an address that names none: without it Streamlit lays a notice of its own over what we say of it."""
    if not address() or "/" in _name():
        return None
    return st.Page("app_pages/home.py", title="No such page", url_path=_name(), visibility="hidden")


def _name() -> str:
    path = unquote(urlsplit(str(st.context.url or "")).path).strip("/")
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return path.removeprefix(base).strip("/")
