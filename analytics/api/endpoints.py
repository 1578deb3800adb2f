"""Every endpoint of the API, in one list: the routes, the command line and the OpenAPI document are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analytics.api import calls, corrections, groups, incidents, overview, replay, report, sessions, status, tools
from analytics.api.context import Answer, Context, Endpoint
from analytics.api.query import parse_query
from analytics.questions.times import rfc3339

_ALWAYS = ("project", "as_of", "format")
_RANGE = (*_ALWAYS, "since", "until")
_WHOSE = ("tool", "agent", "service", "release", "session", "user")
_CALLS = (*_RANGE, *_WHOSE, "outcome", "code", "flag", "payload", "fingerprint", "inferred", "recovered")
_PAGED = ("limit", "cursor")
_SILENT = tuple(name for name in _CALLS if name != "outcome")

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("overview", "overview", "Is anything wrong now", overview.overview, _CALLS),
    Endpoint("calls", "calls", "Judged tool calls, newest first", calls.calls, (*_CALLS, *_PAGED)),
    Endpoint(
        "call", "calls/{span_id:any}", "One call with its payloads and the reasons of its verdict", calls.call, _ALWAYS
    ),
    Endpoint(
        "tools", "tools", "Tools with their counts, compliance and durations", tools.tools, (*_CALLS, "by", *_PAGED)
    ),
    Endpoint("tools-codes", "tools-codes", "Failures by tool, code and outcome", tools.tools_codes, (*_CALLS, *_PAGED)),
    Endpoint(
        "silent",
        "silent",
        "Failures that claimed success: declared against derived",
        calls.silent,
        (*_SILENT, *_PAGED),
    ),
    Endpoint(
        "sessions",
        "sessions",
        "Sessions, newest first",
        sessions.sessions,
        (*_CALLS, "flagged", "unrecovered", *_PAGED),
    ),
    Endpoint("replay", "sessions/{id:any}/replay", "A session step by step", replay.replay, (*_ALWAYS, "around")),
    Endpoint(
        "groups",
        "groups",
        "Failures by fingerprint, and whose fault each group is",
        groups.groups,
        (*_CALLS, *_PAGED),
    ),
    Endpoint("report", "report", "The metrics of a period", report.report, _CALLS),
    Endpoint(
        "rules",
        "rules",
        "Every rule, how often it spoke, and its measured precision",
        corrections.rules,
        (*_RANGE, "tool", *_PAGED),
    ),
    Endpoint(
        "corrections",
        "corrections",
        "What engineers said of verdicts",
        corrections.corrections,
        (*_ALWAYS, "tool", *_PAGED),
    ),
    Endpoint(
        "correct",
        "corrections",
        "Mark a verdict wrong; it is corrected wherever the same pattern shows",
        corrections.add_correction,
        ("project",),
        "POST",
        ("span_id", "who", "why"),
        ("outcome", "code"),
    ),
    Endpoint(
        "undo-correction",
        "corrections/{id:any}/undo",
        "Take a correction back: by its id, or by a span of a call that it corrected",
        corrections.undo,
        ("project",),
        "POST",
        ("who", "why"),
    ),
    Endpoint(
        "incidents",
        "incidents",
        "Incidents, newest first",
        incidents.incidents,
        (*_RANGE, "tool", "code", "state", *_PAGED),
    ),
    Endpoint(
        "acknowledge",
        "incidents/{id}/acknowledge",
        "Somebody has seen it",
        incidents.acknowledge,
        ("project",),
        "POST",
        ("who",),
    ),
    Endpoint(
        "diagnose",
        "incidents/{id}/diagnose",
        "Its cause is known",
        incidents.diagnose,
        ("project",),
        "POST",
        ("who", "cause"),
    ),
    Endpoint("senders", "senders", "Who sends what, and what their spans lack", status.senders, (*_ALWAYS, *_PAGED)),
    Endpoint("status", "status", "What is stored, refused, and how far the judge is behind", status.status, _ALWAYS),
)
"""In the order in which the documents list them."""

BY_NAME: Mapping[str, Endpoint] = {endpoint.name: endpoint for endpoint in ENDPOINTS}


def answer(
    context: Context,
    name: str,
    given: Mapping[str, str],
    *,
    path: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    default_since: str = "24h",
) -> Answer:
    """Answer one endpoint without HTTP, as the command line does on a file.

    Raises:
        BadRequestError: a parameter is none that this endpoint uses, or has a value that it cannot have.
        NotFoundError: what the request names is not there.
        StoreUnavailable: the store cannot answer now.
    """
    endpoint = BY_NAME[name]
    query = parse_query(given, endpoint.filters, path=path, body=body, default_since=default_since)
    return {"as_of": rfc3339(query.now_ns), **endpoint.answer(context, query)}
