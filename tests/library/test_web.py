"""Tools behind HTTP: honest status, Retry-After, ASGI and WSGI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

import telltale
from telltale import Code, Policy, ToolError
from telltale.web import ASGIAnswer, ASGIGuard, WSGIGuard, http_answer, wsgi_answer


@pytest.mark.parametrize("code", list(Code))
def test_status_and_retry_after_are_honest(code: Code) -> None:
    """Each code under its own status; Retry-After where the contract has one."""
    status, headers, body = http_answer(telltale.error(code, retry_after_seconds=30))

    assert status == telltale.http_status(code)
    assert ("retry-after" in headers) is (code in (Code.RATE_LIMITED, Code.UNAVAILABLE))
    assert headers["content-length"] == str(len(body))
    assert json.loads(body)["error"]["code"] == code


def test_success_is_200_and_a_foreign_code_is_500() -> None:
    """No failure under 200, whatever its code."""
    assert http_answer(telltale.ok([]))[0] == 200
    assert http_answer({"error": {"code": "BOOM", "message": "x", "retryable": False}})[0] == 500


async def works(_: Any) -> PlainTextResponse:
    """A handler that works."""
    return PlainTextResponse("fine")


async def fails(_: Any) -> Any:
    """A handler whose backend limits it."""
    raise ToolError("RATE_LIMITED", retry_after_seconds=7)


async def answers(_: Any) -> Any:
    """A handler that answers with an envelope."""
    return ASGIAnswer(telltale.error("NOT_FOUND"))


async def breaks(_: Any) -> StreamingResponse:
    """A handler that fails after its first byte."""

    async def body() -> Any:
        yield b"begun"
        raise TimeoutError

    return StreamingResponse(body())


class FatalError(Exception):
    """Fails the request."""


async def fatal(_: Any) -> Any:
    """A handler that is not set up."""
    raise FatalError


ROUTES = [Route(f"/{handler.__name__}", handler) for handler in (works, fails, answers, breaks, fatal)]
POLICY = Policy(budget=None, fatal=(FatalError,))
APP = Starlette(routes=ROUTES, middleware=[Middleware(ASGIGuard, policy=POLICY)])


def get(path: str) -> httpx.Response:
    """One request against the app, in this process."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(APP)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_an_asgi_app_answers_in_envelopes() -> None:
    """What a handler raises, what it answers, and what works."""
    assert get("/works").text == "fine"
    limited = get("/fails")
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "7")
    assert limited.json()["error"]["code"] == "RATE_LIMITED"
    assert get("/answers").status_code == 404


def test_what_is_begun_or_fatal_is_left_to_the_server() -> None:
    """A half-sent response cannot be taken back; a fatal exception is the server's."""
    with pytest.raises(TimeoutError):
        get("/breaks")
    with pytest.raises(FatalError):
        get("/fatal")


def test_other_protocols_pass_through() -> None:
    """Lifespan and websockets are not HTTP."""
    seen: list[str] = []

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    async def nothing(*_: Any) -> Any:
        return {}

    asyncio.run(ASGIGuard(app)({"type": "lifespan"}, nothing, nothing))

    assert seen == ["lifespan"]


def test_a_wsgi_app_answers_in_envelopes() -> None:
    """The same for WSGI."""
    started: list[Any] = []

    def start_response(*given: Any) -> None:
        started.append(given)

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/down":
            raise ConnectionRefusedError
        return wsgi_answer(telltale.ok(1), start)

    guarded = WSGIGuard(app)
    assert json.loads(b"".join(guarded({"PATH_INFO": "/"}, start_response))) == {"status": "ok", "output": 1}
    assert json.loads(b"".join(guarded({"PATH_INFO": "/down"}, start_response)))["error"]["code"] == "UNAVAILABLE"
    assert [given[0] for given in started] == ["200 OK", "503 Service Unavailable"]


def test_a_fatal_exception_leaves_a_wsgi_app() -> None:
    """As the app asked."""

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        raise FatalError

    with pytest.raises(FatalError):
        WSGIGuard(app, Policy(budget=None, fatal=(FatalError,)))({"PATH_INFO": "/"}, print)
