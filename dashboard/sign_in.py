"""Who may see the pages: whoever may ask the API. Where it wants a token, a visitor signs in with one of theirs.

The token is kept in a cookie that no script can read, and goes with every question that the visitor's pages ask: what
they may do is what the API lets that token do. Pages that have a token of their own (TELLTALE_API_TOKEN) ask nobody.
"""

from __future__ import annotations

import html
import os
import re
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from string import Template
from urllib.parse import parse_qs, quote, urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from analytics.client import DEFAULT_URL
from dashboard.base_path import base_path, below_base

COOKIE = "telltale_token"
API_URL_VARIABLE = "TELLTALE_API_URL"
TOKEN_VARIABLE = "TELLTALE_API_TOKEN"  # noqa: S105 - a variable's name
SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"

_KNOWN_S = 5.0
"""How long the API's word on a token is taken; a revoked one is out after that."""

_MOST_KNOWN = 1_000
_LONGEST_TOKEN = 512
_TOKEN = re.compile(rf"[\w.~+/=-]{{1,{_LONGEST_TOKEN}}}", re.ASCII)
_OPEN = ("/_stcore/health", "/static/", "/media/")
"""What shows nothing of what is stored."""

_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self';"
    " frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


class SignIn:
    """Lets a visitor through to the pages whom the API would answer; asks any other for a token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._known: OrderedDict[str, tuple[bool, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] not in ("http", "websocket") or os.environ.get(TOKEN_VARIABLE):
            await self._app(scope, receive, send)
            return
        path = below_base(str(scope["path"]))
        if scope["type"] == "http" and path == SIGN_IN:
            await (await self._form(Request(scope, receive)))(scope, receive, send)
        elif scope["type"] == "http" and path == SIGN_OUT:
            left = RedirectResponse(base_path() + SIGN_IN, 303, headers=_HEADERS)
            left.delete_cookie(COOKIE)
            await left(scope, receive, send)
        elif path.startswith(_OPEN) or await self._may_ask(token_of(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "sign in first"})
        else:
            place = path + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
            await RedirectResponse(_form_for(place), 303, headers=_HEADERS)(scope, receive, send)

    async def _form(self, request: Request) -> Response:
        place = _place(request.query_params.get("next", "/"))
        if request.method != "POST":
            return _page(place)
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
            return _page(place, "That form was not this page's.", 403)
        token = await _posted(request)
        if not token or not await self._may_ask(token):
            return _page(place, "The service knows no such token, or it has been revoked.", 401)
        entered = RedirectResponse(base_path() + place, 303, headers=_HEADERS)
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        entered.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)
        return entered

    async def _may_ask(self, token: str) -> bool:
        """Whether the API answers who has this token (or none). Where it does not answer at all there is nothing to
        see, and the pages say so.
        """
        now = time.monotonic()
        allowed, until = self._known.get(token, (False, 0.0))
        if until > now:
            return allowed
        url = f"{(os.environ.get(API_URL_VARIABLE) or DEFAULT_URL).rstrip('/')}/api/v1/status"
        try:
            async with httpx.AsyncClient(timeout=5.0, trust_env=False) as client:
                answer = await client.get(url, headers={"authorization": f"Bearer {token}"} if token else {})
        except httpx.HTTPError:
            return True
        allowed = answer.status_code not in (401, 403, 429)
        self._known[token] = (allowed, now + _KNOWN_S)
        self._known.move_to_end(token)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return allowed


async def _posted(request: Request) -> str:
    """The token of a form that was sent; "" where it holds none that could be one."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 4 * _LONGEST_TOKEN:
            return ""
    token = parse_qs(body.decode("latin-1")).get("token", [""])[0].strip()
    return token if _TOKEN.fullmatch(token) else ""


def token_of(scope: Scope) -> str:
    """The token in a request's cookie; "" where there is none."""
    for name, value in scope["headers"]:
        if name == b"cookie":
            try:
                held = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if held is not None and _TOKEN.fullmatch(held.value):
                return held.value
    return ""


def _place(wanted: str) -> str:
    """Where to go after signing in: a path of these pages, whatever the address asks for."""
    return wanted if wanted.startswith("/") and not wanted.startswith(("//", "/\\", SIGN_IN, SIGN_OUT)) else "/"


def _page(place: str, said: str = "", status: int = 200) -> Response:
    told = f'<p class="wrong" role="alert">{html.escape(said)}</p>' if said else ""
    action = html.escape(_form_for(place), quote=True)
    return HTMLResponse(_FORM.substitute(action=action, told=told), status, headers=_HEADERS)


def _form_for(place: str) -> str:
    """The address of the form that leads to a place of the pages."""
    return f"{base_path()}{SIGN_IN}?next={quote(place, safe='')}"


_FORM = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in · Telltale</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 15vh auto 0; padding: 0 1.5rem }
h1 { font-size: 1.5rem } label { display: block; margin: 1.5rem 0 .35rem }
input, button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem; border-radius: .5rem }
input { border: 1px solid GrayText }
button { margin-top: 1rem; border: 0; background: #3b6ef0; color: #fff; cursor: pointer }
.wrong { color: #c0392b } code { white-space: nowrap } small { color: GrayText }
</style></head><body>
<h1>Telltale</h1>
<p>This service wants to know who asks.</p>
$told
<form method="post" action="$action">
<label for="token">API token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Sign in</button>
</form>
<p><small>An operator makes one with <code>telltale token create --role viewer</code>.
What you may do here is what your token may do.</small></p>
</body></html>
""")
