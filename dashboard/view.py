"""What a page looks at: project, time range and filters. The URL is the only place where they live.

Every run reads the view from the URL, a widget writes to the URL, and a link carries the whole view. So a link that is
shared opens the same page, and going back in the browser goes back in the view.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

RANGES = {
    "15m": "last 15 minutes",
    "1h": "last hour",
    "6h": "last 6 hours",
    "24h": "last 24 hours",
    "7d": "last 7 days",
    "30d": "last 30 days",
    "all": "all that is stored",
}
"""The time ranges offered; a link may carry any other that the API takes."""

_CAP = 1024
"""The longest value that the API takes."""


@dataclass(frozen=True, slots=True)
class View:
    """Filters, named as the API's parameters; "" where not set. Values are foreign text: see `untrusted`.

    `as_of` is the moment that the answers are for (RFC 3339): see `moment`.
    """

    project: str = "default"
    since: str = "24h"
    until: str = ""
    tool: str = ""
    agent: str = ""
    code: str = ""
    outcome: str = ""
    service: str = ""
    release: str = ""
    session: str = ""
    user: str = ""
    as_of: str = ""

    @classmethod
    def from_url(cls) -> View:
        """The view that the page's URL names; defaults where it names none."""
        given = {f.name: str(st.query_params.get(f.name, ""))[:_CAP].strip() for f in fields(cls)}
        return cls(**{key: value for key, value in given.items() if value})

    def params(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """Parameters for the API: what is set, or of that only these filters (and the moment)."""
        wanted = None if only is None else {"as_of", *only}
        return {key: value for key, value in asdict(self).items() if value and (wanted is None or key in wanted)}

    def at(self, as_of: str) -> View:
        """The same view of another moment."""
        return replace(self, as_of=as_of)

    def query(self, **changes: Any) -> dict[str, str]:
        """The URL parameters for a link to this view with changes; None or "" takes a filter away."""
        known = {key: str(value or "") for key, value in changes.items() if key in _DEFAULTS}
        extra = {key: str(value) for key, value in changes.items() if key not in _DEFAULTS and value not in (None, "")}
        wanted = asdict(replace(self, **known))
        return {key: value for key, value in wanted.items() if value and value != _DEFAULTS[key]} | extra

    def narrowed_by(self) -> dict[str, str]:
        """The filters that are set, without project and time."""
        return {key: value for key, value in self.params().items() if key not in _FRAME}


_DEFAULTS = asdict(View())
_FRAME = frozenset({"project", "since", "until", "as_of"})


def default_of(key: str) -> str:
    """The value that a parameter has when the URL does not name it."""
    return str(_DEFAULTS.get(key, ""))


def permalink(page: str, query: dict[str, str]) -> str:
    """An absolute address for a ticket: this server, a page's path, the given parameters."""
    here = str(st.context.url or "")
    root = here.split("?", 1)[0].rstrip("/")
    root = root.rsplit("/", 1)[0] if root.count("/") > 2 else root
    return f"{root}/{page}?{urlencode(query)}" if query else f"{root}/{page}"
