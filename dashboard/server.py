"""The pages as an ASGI application, run by `telltale dashboard`."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.base_path import base_path
from dashboard.sign_in import SignIn

NO_PAGE = "/no-such-page"
_NAME = re.compile(r"[\w.-]+", re.ASCII)
_SERVED = frozenset({"_stcore", "static", "media", "component", "app"})
"""The first parts of addresses that Streamlit serves itself."""


class OneName:
    """Sends a browser that asks for an address of several parts (`/a/b`), or of strange signs, to the page that says
    that there is none.

    The pages name their scripts relative to the address: below `/a/` the browser would look for them in vain, and show
    nothing. And a page of Streamlit's can only be named by plain signs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        asked = _strange(scope) if scope["type"] == "http" else ""
        if not asked:
            await self._app(scope, receive, send)
            return
        place = f"{base_path()}{NO_PAGE}?{urlencode({'asked': asked[:1024]})}"
        await RedirectResponse(place, 307, headers={"cache-control": "no-store"})(scope, receive, send)


def _strange(scope: Scope) -> str:
    """What a browser asks for where no page can have that name, and nothing is served there; else ""."""
    base, path = base_path(), str(scope["path"])
    own = path.removeprefix(base).strip("/") if path.startswith(base) else ""
    accepts = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    is_page = scope["method"] in ("GET", "HEAD") and b"text/html" in accepts
    can_be = not own or _NAME.fullmatch(own) or own.split("/")[0] in _SERVED
    return own if is_page and not can_be else ""


@asynccontextmanager
async def _announced(_app: st.App) -> AsyncIterator[None]:
    """Tells the address as soon as the pages answer there."""
    told = asyncio.create_task(_announce())
    yield
    told.cancel()


async def _announce() -> None:
    host, port = str(st.get_option("server.address") or "127.0.0.1"), int(st.get_option("server.port"))
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(_LOOK_S)
            continue
        writer.close()
        break
    shown = f"[{host}]" if ":" in host else host
    print(f"Telltale dashboard: http://{shown}:{port} (asks {os.environ.get('TELLTALE_API_URL', '')})", flush=True)


_LOOK_S = 0.05

app = st.App(
    Path(__file__).with_name("app.py"), lifespan=_announced, middleware=[Middleware(SignIn), Middleware(OneName)]
)
