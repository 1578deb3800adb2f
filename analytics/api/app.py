"""The query API as an ASGI application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from analytics.api.context import Context, Endpoint, Incidents, Status
from analytics.api.encode import ARROW, arrow_bytes, csv_text, json_bytes
from analytics.api.endpoints import ENDPOINTS, answer
from analytics.api.openapi import document
from analytics.api.query import BadRequestError, NotFoundError
from analytics.faults import fault
from analytics.settings import JudgeSettings
from analytics.store import Store, StoreUnavailable

PREFIX = "/api/v1"
REQUEST_HEADER = "x-telltale-request"
"""A POST must carry it: a form or a script of another site cannot, so no page that somebody visits changes things."""

MAX_BODY = 64 * 1024


class _Anything(PathConvertor):
    """A part of a path that may hold any character, also a slash or the end of a line: ids are what senders send."""

    regex = r"[\s\S]*"


register_url_convertor("any", _Anything())

_log = structlog.get_logger(__name__)


def create_app(
    store: Store,
    settings: JudgeSettings | None = None,
    *,
    status: Status | None = None,
    alerts: Incidents | None = None,
) -> Starlette:
    """The API over a store.

    Args:
        store: where answers come from; methods may be called from any thread.
        settings: the judge's settings, for corrections.
        status: called for what the process knows of itself (merged into the `status` answer).
        alerts: told when somebody acknowledges or diagnoses an incident; without it the row itself is changed.
    """
    context = Context(store, settings or JudgeSettings(), status, alerts)
    routes = [
        Route(f"{PREFIX}/{each.path}", partial(_handle, context, each), methods=[each.method], name=each.name)
        for each in ENDPOINTS
    ]
    openapi = json_bytes(document())
    routes.append(Route(f"{PREFIX}/openapi.json", _fixed(openapi), methods=["GET"]))
    index = {"openapi": f"{PREFIX}/openapi.json", "endpoints": [f"{e.method} {PREFIX}/{e.path}" for e in ENDPOINTS]}
    routes += [Route(path, _fixed(json_bytes(index)), methods=["GET"]) for path in (PREFIX, f"{PREFIX}/")]
    routes.append(Route("/healthz", _fixed(b'{"status":"ok"}'), methods=["GET"]))
    return Starlette(routes=routes, exception_handlers={404: _unknown, 405: _wrong_method, Exception: _broken})


def _fixed(body: bytes) -> Callable[[Request], Response]:
    def respond(_: Request) -> Response:
        return Response(body, media_type="application/json", headers=_NO_STORE)

    return respond


_NO_STORE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


async def _handle(context: Context, endpoint: Endpoint, request: Request) -> Response:
    try:
        body = await _body(request) if endpoint.method == "POST" else {}
        return await run_in_threadpool(_respond, context, endpoint, request, body)
    except BadRequestError as wrong:
        return _error(400, str(wrong))
    except NotFoundError as missing:
        return _error(404, str(missing))
    except ClientDisconnect:
        # Nobody is left to answer, and nothing was done: no fault of the service, so no error in its log.
        _log.debug("client_left", path=request.url.path[:200])
        return _error(400, "the body ended early")
    except StoreUnavailable:
        return _error(503, "the store cannot answer now; try again in a moment", {"retry-after": "1"})


def _respond(context: Context, endpoint: Endpoint, request: Request, body: Mapping[str, Any]) -> Response:
    given = _once(request.query_params.multi_items())
    accept = request.headers.get("accept", "")
    form = given.get("format") or ("arrow" if ARROW in accept else "csv" if "text/csv" in accept else "json")
    made = answer(context, endpoint.name, given, path=request.path_params, body=body)
    if form == "arrow" and "rows" in made:
        return Response(arrow_bytes(made), media_type=ARROW, headers=_NO_STORE)
    if form == "csv" and "rows" in made:
        headers = {**_NO_STORE, "content-disposition": f'attachment; filename="{endpoint.name}.csv"'}
        return Response(csv_text(made["rows"]), media_type="text/csv", headers=headers)
    if form != "json":
        raise BadRequestError(f"format {form} is for lists; {endpoint.name} answers one object")
    return Response(json_bytes(made), media_type="application/json", headers=_NO_STORE)


def _once(items: list[tuple[str, str]]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in items:
        if name in given:
            raise BadRequestError(f"{name[:40]!r} is given twice")
        given[name] = value
    return given


async def _body(request: Request) -> Mapping[str, Any]:
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise BadRequestError("content-type must be application/json")
    if request.headers.get(REQUEST_HEADER) is None:
        raise BadRequestError(f"the header {REQUEST_HEADER}: 1 is missing")
    received = b""
    async for chunk in request.stream():
        received += chunk
        if len(received) > MAX_BODY:
            raise BadRequestError(f"the body is longer than {MAX_BODY} bytes")
    try:
        body = msgspec.json.decode(received)
    except (msgspec.DecodeError, RecursionError):
        raise BadRequestError("the body is not JSON") from None
    if not isinstance(body, dict):
        raise BadRequestError("the body is not a JSON object")
    return body


def _error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    body = json_bytes({"error": sentence})
    return Response(body, status, media_type="application/json", headers={**_NO_STORE, **(headers or {})})


def _unknown(request: Request, _: Exception) -> Response:
    return _error(404, f"there is no {request.url.path[:200]!r}; {PREFIX}/openapi.json lists what there is")


def _wrong_method(request: Request, _: Exception) -> Response:
    return _error(405, f"{request.method} is not what {request.url.path[:200]!r} takes")


def _broken(request: Request, error: Exception) -> Response:
    _log.error("request_failed", path=request.url.path[:200], **fault(error))
    return _error(500, "the request failed inside the service; its log has the details")
