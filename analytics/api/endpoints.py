"""Every endpoint of the API, in one list: the routes, the command line and the OpenAPI document are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analytics.api import calls, corrections, groups, incidents, overview, replay, report, sessions, status, tools
from analytics.api.context import Answer, Context, Endpoint
from analytics.api.query import parse_query
from analytics.questions.times import rfc3339

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("overview", "overview", "Is anything wrong now", overview.overview),
    Endpoint("calls", "calls", "Judged tool calls, newest first", calls.calls),
    Endpoint("call", "calls/{span_id:path}", "One call with its payloads and the reasons of its verdict", calls.call),
    Endpoint("tools", "tools", "Tools with their counts, compliance and durations", tools.tools),
    Endpoint("tools-codes", "tools-codes", "Failures by tool, code and outcome", tools.tools_codes),
    Endpoint("silent", "silent", "Failures that claimed success: declared against derived", calls.silent),
    Endpoint("sessions", "sessions", "Sessions, newest first", sessions.sessions),
    Endpoint("replay", "sessions/{id:path}/replay", "A session step by step", replay.replay),
    Endpoint("groups", "groups", "Failures by fingerprint, and whose fault each group is", groups.groups),
    Endpoint("report", "report", "The metrics of a period", report.report),
    Endpoint("rules", "rules", "Every rule, how often it spoke, and its measured precision", corrections.rules),
    Endpoint("corrections", "corrections", "What engineers said of verdicts", corrections.corrections),
    Endpoint(
        "correct",
        "corrections",
        "Mark a verdict wrong; it is corrected wherever the same pattern shows",
        corrections.add_correction,
        "POST",
        ("span_id", "who", "why"),
        ("outcome", "code"),
    ),
    Endpoint(
        "undo-correction",
        "corrections/{id:path}/undo",
        "Take a correction back: by its id, or by a span of a call that it corrected",
        corrections.undo,
        "POST",
        ("who", "why"),
    ),
    Endpoint("incidents", "incidents", "Incidents, newest first", incidents.incidents),
    Endpoint(
        "acknowledge", "incidents/{id}/acknowledge", "Somebody has seen it", incidents.acknowledge, "POST", ("who",)
    ),
    Endpoint("diagnose", "incidents/{id}/diagnose", "Its cause is known", incidents.diagnose, "POST", ("who", "cause")),
    Endpoint("senders", "senders", "Who sends what, and what their spans lack", status.senders),
    Endpoint("status", "status", "What is stored, refused, and how far the judge is behind", status.status),
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
        BadRequestError: a parameter is unknown or has a value that it cannot have.
        NotFoundError: what the request names is not there.
        StoreUnavailable: the store cannot answer now.
    """
    query = parse_query(given, path=path, body=body, default_since=default_since)
    return {"as_of": rfc3339(query.now_ns), **BY_NAME[name].answer(context, query)}
