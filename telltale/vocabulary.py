"""The closed words of the contract: codes, actions, outcomes, flags, and the aliases that map to a code.

Everything that names one of these, in code, tables, API, pages or documents, uses these values. The library stays
light: this module imports nothing but the standard library.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

MESSAGE_CAP = 300
"""Largest length of an error message meant for the model, in characters."""


class Code(StrEnum):
    """What went wrong, from the model's point of view. The list is closed."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "UNAVAILABLE"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    INTERNAL = "INTERNAL"


class Action(StrEnum):
    """The next step that an envelope asks of the agent."""

    FIX_ARGUMENTS = "fix_arguments"
    REPORT_NOT_FOUND = "report_not_found"
    CHOOSE_ALTERNATIVE = "choose_alternative"
    RETRY_LATER = "retry_later"
    REPORT_NO_ACCESS = "report_no_access"
    STOP_AND_TELL_USER = "stop_and_tell_user"


ACTION_OF = MappingProxyType(
    {
        Code.INVALID_ARGUMENT: Action.FIX_ARGUMENTS,
        Code.NOT_FOUND: Action.REPORT_NOT_FOUND,
        Code.CONFLICT: Action.CHOOSE_ALTERNATIVE,
        Code.RATE_LIMITED: Action.RETRY_LATER,
        Code.UNAVAILABLE: Action.RETRY_LATER,
        Code.PERMISSION_DENIED: Action.REPORT_NO_ACCESS,
        Code.INTERNAL: Action.STOP_AND_TELL_USER,
    }
)
"""The action that each code asks for while the failure budget lasts."""

NOT_RETRYABLE = frozenset({Code.NOT_FOUND, Code.PERMISSION_DENIED, Code.INTERNAL})
"""Codes that the same call cannot overcome by being repeated."""


class Outcome(StrEnum):
    """What a tool call came to, as derived from its result and its surroundings."""

    OK = "ok"
    STRUCTURED_ERROR = "structured_error"
    UNSTRUCTURED_ERROR = "unstructured_error"
    SILENT_FAILURE = "silent_failure"


class Declared(StrEnum):
    """What the span, the protocol and the envelope said of the call."""

    OK = "ok"
    ERROR = "error"
    NONE = "none"


class Payload(StrEnum):
    """Whether the call's result was there to be judged."""

    CAPTURED = "captured"
    ABSENT = "absent"
    TRUNCATED = "truncated"


class Confidence(StrEnum):
    """How sure a verdict is."""

    CERTAIN = "certain"
    PROBABLE = "probable"
    SUSPECTED = "suspected"


class Flag(StrEnum):
    """Something about a call that an engineer should know beside its outcome."""

    GENERIC_ERROR = "generic_error"
    LEAKED_INTERNALS = "leaked_internals"
    OVERSIZED_MESSAGE = "oversized_message"
    RETRY_STORM = "retry_storm"
    BUDGET_EXHAUSTED = "budget_exhausted"
    WRONG_RETRYABLE = "wrong_retryable"
    PROMPT_INJECTION_IN_ERROR = "prompt_injection_in_error"
    REFUSED = "refused"
    CONTRACT_FIELD = "contract_field"


_HTTP = {
    400: Code.INVALID_ARGUMENT,
    401: Code.PERMISSION_DENIED,
    402: Code.PERMISSION_DENIED,  # an account without credit: no retry helps, a person has to act
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    405: Code.INVALID_ARGUMENT,
    407: Code.PERMISSION_DENIED,
    408: Code.UNAVAILABLE,
    409: Code.CONFLICT,
    410: Code.NOT_FOUND,
    412: Code.CONFLICT,
    413: Code.INVALID_ARGUMENT,
    414: Code.INVALID_ARGUMENT,
    415: Code.INVALID_ARGUMENT,
    422: Code.INVALID_ARGUMENT,
    423: Code.CONFLICT,
    425: Code.UNAVAILABLE,
    429: Code.RATE_LIMITED,
    451: Code.PERMISSION_DENIED,
    500: Code.INTERNAL,
    502: Code.UNAVAILABLE,
    503: Code.UNAVAILABLE,
    504: Code.UNAVAILABLE,
    529: Code.UNAVAILABLE,
}

_GRPC = {
    1: ("CANCELLED", Code.UNAVAILABLE),
    2: ("UNKNOWN", Code.INTERNAL),
    3: ("INVALID_ARGUMENT", Code.INVALID_ARGUMENT),
    4: ("DEADLINE_EXCEEDED", Code.UNAVAILABLE),
    5: ("NOT_FOUND", Code.NOT_FOUND),
    6: ("ALREADY_EXISTS", Code.CONFLICT),
    7: ("PERMISSION_DENIED", Code.PERMISSION_DENIED),
    8: ("RESOURCE_EXHAUSTED", Code.RATE_LIMITED),
    9: ("FAILED_PRECONDITION", Code.CONFLICT),
    10: ("ABORTED", Code.CONFLICT),
    11: ("OUT_OF_RANGE", Code.INVALID_ARGUMENT),
    12: ("UNIMPLEMENTED", Code.NOT_FOUND),
    13: ("INTERNAL", Code.INTERNAL),
    14: ("UNAVAILABLE", Code.UNAVAILABLE),
    15: ("DATA_LOSS", Code.INTERNAL),
    16: ("UNAUTHENTICATED", Code.PERMISSION_DENIED),
}

_JSON_RPC = {
    -32700: Code.INVALID_ARGUMENT,
    -32600: Code.INVALID_ARGUMENT,
    -32601: Code.NOT_FOUND,
    -32602: Code.INVALID_ARGUMENT,
    -32603: Code.INTERNAL,
    -32002: Code.NOT_FOUND,
    -32001: Code.UNAVAILABLE,
}

_ALIASES = {
    **dict(_GRPC.values()),
    "RATE_LIMIT": Code.RATE_LIMITED,
    "RATE_LIMIT_EXCEEDED": Code.RATE_LIMITED,
    "RATELIMITED": Code.RATE_LIMITED,
    "TOO_MANY_REQUESTS": Code.RATE_LIMITED,
    "QUOTA_EXCEEDED": Code.RATE_LIMITED,
    "THROTTLED": Code.RATE_LIMITED,
    "THROTTLING": Code.RATE_LIMITED,
    "TIMEOUT": Code.UNAVAILABLE,
    "TIMED_OUT": Code.UNAVAILABLE,
    "DB_TIMEOUT": Code.UNAVAILABLE,
    "GATEWAY_TIMEOUT": Code.UNAVAILABLE,
    "REQUEST_TIMEOUT": Code.UNAVAILABLE,
    "SERVICE_UNAVAILABLE": Code.UNAVAILABLE,
    "BAD_GATEWAY": Code.UNAVAILABLE,
    "OVERLOADED": Code.UNAVAILABLE,
    "NETWORK_ERROR": Code.UNAVAILABLE,
    "CONNECTION_ERROR": Code.UNAVAILABLE,
    "FORBIDDEN": Code.PERMISSION_DENIED,
    "UNAUTHORIZED": Code.PERMISSION_DENIED,
    "UNAUTHENTICATED": Code.PERMISSION_DENIED,
    "ACCESS_DENIED": Code.PERMISSION_DENIED,
    "AUTH_REQUIRED": Code.PERMISSION_DENIED,
    "AUTHENTICATION_ERROR": Code.PERMISSION_DENIED,
    "AUTHENTICATION_REQUIRED": Code.PERMISSION_DENIED,
    "PERMISSION_ERROR": Code.PERMISSION_DENIED,
    "BAD_REQUEST": Code.INVALID_ARGUMENT,
    "INVALID_REQUEST": Code.INVALID_ARGUMENT,
    "INVALID_PARAMS": Code.INVALID_ARGUMENT,
    "INVALID_INPUT": Code.INVALID_ARGUMENT,
    "INVALID_ARGUMENTS": Code.INVALID_ARGUMENT,
    "VALIDATION_ERROR": Code.INVALID_ARGUMENT,
    "UNPROCESSABLE_ENTITY": Code.INVALID_ARGUMENT,
    "NOT_EXIST": Code.NOT_FOUND,
    "DOES_NOT_EXIST": Code.NOT_FOUND,
    "RESOURCE_NOT_FOUND": Code.NOT_FOUND,
    "GONE": Code.NOT_FOUND,
    "ALREADY_EXISTS": Code.CONFLICT,
    "DUPLICATE": Code.CONFLICT,
    "PRECONDITION_FAILED": Code.CONFLICT,
    "INTERNAL_ERROR": Code.INTERNAL,
    "INTERNAL_SERVER_ERROR": Code.INTERNAL,
    "SERVER_ERROR": Code.INTERNAL,
    "UNKNOWN_ERROR": Code.INTERNAL,
}


def code_of_http(status: int) -> Code | None:
    """The code for an HTTP status (RFC 9110 §15.5, §15.6); None below 400.

    Unlisted 4xx are INVALID_ARGUMENT, unlisted 5xx INTERNAL, by their class (RFC 9110 §15).
    """
    if status in _HTTP:
        return _HTTP[status]
    if 400 <= status < 500:
        return Code.INVALID_ARGUMENT
    return Code.INTERNAL if 500 <= status < 600 else None


def code_of_grpc(status: int) -> Code | None:
    """The code for a numeric gRPC status (google/rpc/code.proto); None for OK and unknown numbers."""
    entry = _GRPC.get(status)
    return entry[1] if entry else None


def code_of_json_rpc(number: int) -> Code | None:
    """The code for a JSON-RPC 2.0 error number, MCP's own included; None for numbers outside those lists."""
    if number in _JSON_RPC:
        return _JSON_RPC[number]
    return Code.INTERNAL if -32099 <= number <= -32000 else None


def code_of(declared: object) -> Code | None:
    """The closed code that a declared one means: itself, an alias, an HTTP, gRPC or JSON-RPC number.

    Args:
        declared: what an envelope, a payload or a span gave as its code: text in any case and separator, or a number.

    Returns:
        One of the closed codes, or None where the text is in no list.
    """
    if isinstance(declared, int | float) and not isinstance(declared, bool) and declared == declared // 1:
        return code_of_http(int(declared)) or code_of_json_rpc(int(declared))
    if not isinstance(declared, str) or not declared or len(declared) > 80:
        return None
    text = declared.strip()
    if text.removeprefix("-").isdecimal():
        return code_of(int(text))
    folded = "".join(f"_{c}" if c.isupper() and p.islower() else c for p, c in zip(" " + text, text, strict=False))
    name = folded.upper().replace("-", "_").replace(" ", "_").replace(".", "_")
    for candidate in (name, text.upper(), name.removesuffix("_ERROR"), name.removeprefix("ERR_")):
        if candidate in Code.__members__:
            return Code[candidate]
        if candidate in _ALIASES:
            return _ALIASES[candidate]
    return None
