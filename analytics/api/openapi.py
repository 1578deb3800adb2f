"""The OpenAPI document, made from the list of endpoints."""

from __future__ import annotations

import re
from typing import Any

from analytics.api.context import Endpoint
from analytics.api.endpoints import ENDPOINTS
from analytics.api.query import PARAMETERS

_PLACE = re.compile(r"\{(\w+)(:any)?\}")


def document() -> dict[str, Any]:
    """OpenAPI 3.1 for everything under `/api/v1/`."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Telltale query API", "version": "1"},
        "paths": _paths(),
    }


def _paths() -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for each in ENDPOINTS:
        paths.setdefault(_path(each), {})[each.method.lower()] = _operation(each)
    return paths


def _path(endpoint: Endpoint) -> str:
    return "/api/v1/" + _PLACE.sub(r"{\1}", endpoint.path)


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [
            *(_parameter(name, "path", "As a list answers it") for name, _ in _PLACE.findall(endpoint.path)),
            *(_parameter(name, "query", text) for name, text in PARAMETERS.items() if name in endpoint.filters),
        ],
        "responses": {
            "200": {"description": endpoint.summary, "content": {"application/json": {"schema": {"type": "object"}}}},
            "400": {
                "description": "A sentence under `error` that names the parameter; all that this path uses are above"
            },
            "404": {"description": "What the path names is not there"},
            "503": {"description": "The store cannot answer now"},
        },
    }
    if endpoint.method == "POST":
        properties = {name: {"type": "string"} for name in (*endpoint.body, *endpoint.optional)}
        schema = {"type": "object", "required": list(endpoint.body), "properties": properties}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        described["parameters"].append({**_parameter("x-telltale-request", "header", "Any value"), "required": True})
    return described


def _parameter(name: str, place: str, text: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "description": text,
        "required": place == "path",
        "schema": {"type": "string"},
    }
