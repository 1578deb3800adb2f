"""One outside call: what its span says of whether it failed, of its status, and of the code that this means.

HTTP, RPC, database, process and other client spans, in the old and the new names of the semantic conventions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from analytics.judge.stated import stated_failure
from analytics.spans import CLIENT, ERROR, PRODUCER, Span
from telltale.payload.codes.database_numbers import code_of_database
from telltale.payload.codes.infer import ERRNO, code_of_class, code_of_grpc, code_of_http, code_of_sqlstate
from telltale.payload.codes.phrases import code_of_phrase, first_code
from telltale.payload.texts.exits import is_answer
from telltale.vocabulary import Code

_OUTGOING_KEYS = (
    *("http.request.method", "http.method", "db.system.name", "db.system", "rpc.system", "rpc.system.name", "url.full"),
    *("http.url", "messaging.system"),
)


@dataclass(slots=True)
class Attempt:
    """One outside call: whether it failed (by its own word or its sources'), and what it says of the code."""

    span: Span
    system: str
    operation: str
    failed: bool
    status: int | None = None
    code: Code | None = None
    certain: bool = False
    value: Any = None
    found_nothing: bool = False
    inner: list[Attempt] = field(default_factory=list)

    @property
    def cause(self) -> Attempt:
        """The attempt at the bottom that explains the failure: the last failed one among its own sources."""
        found = self
        for _ in range(20):
            failed = [attempt for attempt in found.inner if attempt.failed]
            if not failed or found.code is not None:
                break
            found = failed[-1]
        return found


def attempt_of(span: Span) -> Attempt | None:
    """The outside call that a span is; None for spans that stay inside the process."""
    attributes = span.attributes
    if "process.exit.code" in attributes or (span.status_code == ERROR and _names_a_program(span)):
        return _process(span)
    if span.kind not in (CLIENT, PRODUCER) and not any(key in attributes for key in _OUTGOING_KEYS):
        return None
    if "db.system.name" in attributes or "db.system" in attributes:
        return _database(span)
    status = attributes.get("http.response.status_code", attributes.get("http.status_code"))
    method = attributes.get("http.request.method", attributes.get("http.method"))
    if status is not None or method is not None:
        return _http(span, number_of(status), str(method or "").upper())
    if "rpc.system" in attributes or "rpc.system.name" in attributes or "rpc.grpc.status_code" in attributes:
        return _rpc(span)
    attempt = Attempt(span, "other", span.name.split(" ", 1)[0], _is_failed(span))
    if attempt.failed:
        _explain(attempt)
        if attempt.code is None and span.kind == PRODUCER:
            attempt.code = Code.UNAVAILABLE  # a message that could not be delivered
    _take_statement(attempt)
    return attempt


def broken_step(span: Span) -> Attempt:
    """A step on the other side of an outside call that failed, taken as a source of that call."""
    attempt = Attempt(span, "other", span.name.split(" ", 1)[0], True)
    _explain(attempt)
    return attempt


def _names_a_program(span: Span) -> bool:
    """Whether a failed span is a program that was run: by its command, or by its name where it was killed."""
    attributes = span.attributes
    return any(key in attributes for key in _RUNS) or ("process.executable.name" in attributes and was_killed(span))


def _http(span: Span, status: int | None, method: str) -> Attempt:
    attempt = Attempt(span, "http", method, False, status)
    if status is not None and status >= 400:
        attempt.failed, attempt.code, attempt.certain = True, code_of_http(status), True
        attempt.value = f"http {status}"
    elif _is_failed(span) and status != _NOT_MODIFIED and (status is None or status < 400):
        attempt.failed = True
        _explain(attempt)
    else:
        if span.events:
            _read_body_events(attempt)
        _take_statement(attempt)
    return attempt


def _take_statement(attempt: Attempt) -> None:
    """Takes in what the span of a call that seems to have gone well states of its end."""
    stated = stated_failure(attempt.span) if not attempt.failed else None
    if stated is not None:
        attempt.failed = True
        attempt.value, attempt.code = stated


_NOT_MODIFIED = 304
"""What was kept is still good (RFC 9110, section 15.4.5); some clients make an error of it."""


def _read_body_events(attempt: Attempt) -> None:
    """A request that went well by its status, of whose body an event says that it holds an error (GraphQL's do so)."""
    event = next((event for event in attempt.span.events if _BODY_ERROR.search(event.name)), None)
    if event is not None:
        attempt.failed, attempt.value = True, event.name[:120]
        attempt.code = first_code(text for text in event.attributes.values() if isinstance(text, str))


_BODY_ERROR = re.compile(r"\b(?:graphql|payload|body|response)\w*[._]\w*errors?\b", re.IGNORECASE)


def _database(span: Span) -> Attempt:
    attributes = span.attributes
    operation = attributes.get("db.operation.name", attributes.get("db.operation")) or span.name.split(" ", 1)[0]
    attempt = Attempt(span, "db", str(operation).upper(), _is_failed(span))
    attempt.found_nothing = number_of(attributes.get("db.response.returned_rows")) == 0
    if attempt.failed:
        state = str(attributes.get("db.response.status_code") or attributes.get("error.type") or "")
        attempt.code = code_of_sqlstate(state)
        own = code_of_database(str(attributes.get("db.system.name") or attributes.get("db.system") or ""), state)
        if attempt.code is not None:
            attempt.value, attempt.certain = f"sqlstate {state}", True
        elif own is not None:
            attempt.code, attempt.value, attempt.certain = own, f"database {state[:40]}", own is not Code.INTERNAL
        else:
            _explain(attempt)
            _take_http(attempt)
    return attempt


def _take_http(attempt: Attempt) -> None:
    """The status of a database that is asked over HTTP (Elasticsearch, CouchDB), where nothing else tells a code."""
    attributes = attempt.span.attributes
    status = number_of(attributes.get("http.response.status_code", attributes.get("http.status_code"))) or 0
    if attempt.code in (None, Code.INTERNAL) and status >= _FAILING:
        attempt.code, attempt.value, attempt.certain = code_of_http(status), f"http {status}", True


_FAILING = 400


def _rpc(span: Span) -> Attempt:
    attributes = span.attributes
    number = number_of(attributes.get("rpc.grpc.status_code"))
    attempt = Attempt(span, "rpc", str(attributes.get("rpc.method") or ""), _is_failed(span) or bool(number))
    if number:
        attempt.code, attempt.certain, attempt.value = code_of_grpc(number), True, f"grpc {number}"
    elif attempt.failed:
        status = str(attributes.get("rpc.response.status_code") or "")
        attempt.code = code_of_class(status) if status else None
        if attempt.code is not None:
            attempt.value, attempt.certain = f"rpc {status}", attempt.code is not Code.INTERNAL
        else:
            _explain(attempt)
    _take_statement(attempt)
    return attempt


def _process(span: Span) -> Attempt:
    """A program that was run (semantic conventions for CLI programs): its exit code, unless that is an answer."""
    attributes = span.attributes
    code = number_of(attributes.get("process.exit.code")) or 0
    command = next((attributes[key] for key in _RUNS if attributes.get(key)), "")
    attempt = Attempt(span, PROCESS, str(attributes.get("process.executable.name") or ""), False, None)
    answers = code != 0 and is_answer(command, code)
    cut_short = was_killed(span) and not answers
    unstarted = "process.exit.code" not in attributes and _is_failed(span)
    if cut_short or unstarted or (code != 0 and not answers):
        attempt.failed, attempt.value = True, f"exit code {code}" if code else failure_of(span)[0] or "cut short"
        absent = unstarted and failure_of(span)[0] == "ENOENT"  # there is no such program
        said = None if absent else first_code((*_printed(span), span.status_message))
        attempt.code = said or (Code.UNAVAILABLE if absent or cut_short or was_killed(span) else None)
    return attempt


def was_killed(span: Span) -> bool:
    """Whether a program did not end by itself: killed by a signal (128 and its number), or after its time (124)."""
    code = number_of(span.attributes.get("process.exit.code")) or 0
    kind = str(span.attributes.get("error.type") or "")
    return code in _KILLED or kind.startswith("SIG") or code_of_class(kind) is Code.UNAVAILABLE


_KILLED = (124, 134, 137, 139, 143)
"""What `timeout` and shells make of ABRT, KILL, SEGV and TERM."""

_RUNS = ("process.command_args", "process.command_line", "process.command")
PROCESS = "process"
"""The system of an attempt that was a program run on the same machine."""


def _printed(span: Span) -> list[str]:
    """What span events say that a program printed, as the instrumentations of shells record it."""
    return [text for event in span.events for text in event.attributes.values() if isinstance(text, str)][:_MOST_LINES]


_MOST_LINES = 20


def _is_failed(span: Span) -> bool:
    return span.status_code == ERROR or bool(span.attributes.get("error.type")) or exception_of(span) is not None


def exception_of(span: Span) -> dict[str, Any] | None:
    """The attributes of a span's first exception event, else of the first event that was logged as an error."""
    logged: dict[str, Any] | None = None
    for event in span.events:
        if event.name == "exception":
            return event.attributes
        logged = logged or _logged_error(event.attributes)
    return logged


def _logged_error(attributes: dict[str, Any]) -> dict[str, Any] | None:
    """An event with a severity of ERROR or above (OpenTelemetry's logs data model), as an exception's message."""
    severity = next((str(attributes[key]).upper() for key in _SEVERITIES if attributes.get(key)), "")
    if severity not in _GRAVE:
        return None
    told = next((attributes[key] for key in _BODIES if isinstance(attributes.get(key), str)), "")
    return {"exception.type": "", "exception.message": told}


_SEVERITIES = ("severity", "severity_text", "log.severity", "level", "log.level")
_GRAVE = frozenset(("ERROR", "FATAL", "CRITICAL", "EMERGENCY", "ALERT"))
_BODIES = ("message", "body", "log.message", "log.body", "event")


def _explain(attempt: Attempt) -> None:
    """Takes the code from the error's class or number, else from what its message says in standard phrases."""
    kind, message = failure_of(attempt.span)
    attempt.value = kind or message[:120] or "status ERROR"
    named = kind if not _is_own_number(kind) else ""
    code = ERRNO.get(named) or code_of_class(named) if named else None
    if code is not None and code is not Code.INTERNAL:
        attempt.code, attempt.certain = code, True
        return
    phrase = code_of_phrase(message) if message else None
    attempt.code = phrase[0] if phrase is not None else code


def _is_own_number(kind: str) -> bool:
    """Whether an error's type is a number that only looks like a status of HTTP: one that is not registered."""
    return len(kind) == _DIGITS and kind.isdigit() and int(kind) not in _REGISTERED


_DIGITS = 3
_REGISTERED = frozenset(status.value for status in HTTPStatus)


def failure_of(span: Span) -> tuple[str, str]:
    """The class and the message of a span's failure: of its exception event, else error.type and status message."""
    event = exception_of(span)
    kind = str(span.attributes.get("error.type") or "")
    message = span.status_message
    if event is not None:
        kind = str(event.get("exception.type") or "") or kind
        message = str(event.get("exception.message") or "") or message
    return kind, message


def host_of(attempt: Attempt) -> str:
    """The host that an outside call went to; empty where its span does not name it."""
    attributes = attempt.span.attributes
    return str(attributes.get("server.address") or attributes.get("net.peer.name") or attributes.get("http.host") or "")


def number_of(value: Any) -> int | None:
    """An integer, also one written as text; None for everything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 8:
        return int(value)
    return value if isinstance(value, int) else None
