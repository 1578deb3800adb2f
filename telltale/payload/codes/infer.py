"""Infers one of the closed codes from evidence: status numbers, class names, SQLSTATE, errno.

Only calls that are known to have failed are asked here: nothing in this module decides *whether* a call failed. The
tables follow published lists: HTTP (RFC 9110 §15), gRPC (google/rpc/code.proto), JSON-RPC 2.0 §5.1, SQLSTATE
(ISO/IEC 9075-2, PostgreSQL appendix A), POSIX `errno.h`, and the class names of common libraries.
"""

from __future__ import annotations

import re
from functools import lru_cache
from http import HTTPStatus

from telltale import vocabulary
from telltale.payload.words import words
from telltale.vocabulary import Code, code_of_grpc, code_of_http, code_of_json_rpc

_INVALID, _MISSING, _CONFLICT = Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.CONFLICT
_LIMITED, _DOWN, _DENIED, _INTERNAL = Code.RATE_LIMITED, Code.UNAVAILABLE, Code.PERMISSION_DENIED, Code.INTERNAL

ERRNO = {
    "ECONNREFUSED": _DOWN,
    "ECONNRESET": _DOWN,
    "ECONNABORTED": _DOWN,
    "ETIMEDOUT": _DOWN,
    "ESOCKETTIMEDOUT": _DOWN,
    "EHOSTUNREACH": _DOWN,
    "ENETUNREACH": _DOWN,
    "EHOSTDOWN": _DOWN,
    "EPIPE": _DOWN,
    "ENOTFOUND": _DOWN,
    "EAI_AGAIN": _DOWN,
    "EAI_NONAME": _DOWN,
    "EBUSY": _DOWN,
    "ENOENT": _MISSING,
    "ESRCH": _MISSING,
    "EACCES": _DENIED,
    "EPERM": _DENIED,
    "EROFS": _DENIED,
    "EEXIST": _CONFLICT,
    "ENOTEMPTY": _CONFLICT,
    "EINVAL": _INVALID,
    "EISDIR": _INVALID,
    "ENOTDIR": _INVALID,
    "ENAMETOOLONG": _INVALID,
    "ENOSPC": _INTERNAL,
    "ENOMEM": _INTERNAL,
    "EMFILE": _INTERNAL,
    "UND_ERR_CONNECT_TIMEOUT": _DOWN,
    "UND_ERR_HEADERS_TIMEOUT": _DOWN,
    "UND_ERR_SOCKET": _DOWN,
    "ERR_NETWORK": _DOWN,
}
"""Names from `errno.h`, getaddrinfo and undici. ENOTFOUND is a host that cannot be resolved, not a missing record."""

_SQLSTATE = {
    "25006": _DENIED,  # read_only_sql_transaction
    "42501": _DENIED,
    "23502": _INVALID,
    "23514": _INVALID,
    "57014": _DOWN,
    "55P03": _DOWN,
    "42P01": _MISSING,
    "3D000": _MISSING,
}
_SQLSTATE_CLASS = {
    "08": _DOWN,
    "22": _INVALID,
    "23": _CONFLICT,
    "25": _CONFLICT,
    "28": _DENIED,
    "40": _CONFLICT,
    "42": _INVALID,
    "53": _DOWN,
    "54": _INVALID,
    "55": _CONFLICT,
    "57": _DOWN,
    "58": _INTERNAL,
    "XX": _INTERNAL,
}

# Parts of class names, strongest first. A class is split into words, so that `Timeout` is found in `ReadTimeoutError`.
_CLASS_PARTS: tuple[tuple[Code, str], ...] = (
    (
        _LIMITED,
        "rate_?limit throttl quota too_many_requests slow_down"
        " (?:resource|key|credits?|tokens?|budget|plan|limit)_exhausted budget_(?:exceeded|spent)",
    ),
    (_DOWN, "timeout timed_out deadline stalled"),
    (
        _CONFLICT,
        "already_exists duplicate conflict integrity unique version_mismatch stale precondition optimistic_lock",
    ),
    (_CONFLICT, "conditional_check (?:window|period|account|order|case|ticket|issue|booking|auction|market)_closed"),
    (_CONFLICT, "exists_error concurren serialization_failure deadlock file_exists"),
    (
        _DENIED,
        "permission forbidden unauthori[sz]ed unauthenticated authenticat authori[sz]ation access_denied credential",
    ),
    (
        _DENIED,
        "read_?only not_writable invalid_(?:grant|client|auth) missing_scope not_in_channel no_permission",
    ),
    (
        _DENIED,
        "not_allowed invalid_token token_expired expired_token denied policy_violation auth_error login_required"
        " reauth auth_required session_expired invalid_session not_accessible o_?auth"
        " (?:api_?key(?:_id)?|token|jwt|session|signature)_(?:is_)?(?:invalid|expired|revoked|missing)"
        " (?:invalid|expired|revoked|missing)_(?:api_?key|access_?key|(?:access_)?token|jwt|session|signature)"
        " expired_authentication signature_failure",
    ),
    (
        _MISSING,
        "not_found no_such no_match does_not_exist missing_resource resource_missing no_result_found"
        " unknown_(?:tool|method|resource|agent|recipient|user|channel|function|table)",
    ),
    (_DOWN, "connect unavailable network socket broken_pipe dns name_resolution gai transport remote_protocol circuit"),
    (_DOWN, "overloaded bad_gateway unknown_host operational unreachable protocol_error ssl service_down fetch_error"),
    (_DOWN, "not_ready (?:^|_)busy(?:_|$)"),
    (
        _INVALID,
        "validation invalid bad_request argument zod parse_error json_decode decode_error syntax schema malformed",
    ),
    (_INVALID, "too_large too_long exceeded out_of_range unprocessable unsupported missing_param missing_field params"),
    (_INVALID, "ambiguous usage format_exception bad_user_input parse_failed"),
    (_MISSING, "^no_(?:route|match|segment|such|data|entry|record|results?)\\b"),
)
_CLASSES = tuple((code, re.compile("|".join(parts.split()))) for code, parts in _CLASS_PARTS)
_EXACT = {
    "FileNotFoundError": _MISSING,
    "LookupError": _MISSING,
    "NameResolutionError": _DOWN,
    "UsageLimitExceeded": _LIMITED,
    "KeyError": _INTERNAL,
    "IndexError": _INTERNAL,
    "AttributeError": _INTERNAL,
    "ZeroDivisionError": _INTERNAL,
    "NullPointerException": _INTERNAL,
    "RecursionError": _INTERNAL,
    "MemoryError": _INTERNAL,
    "OutOfMemoryError": _INTERNAL,
    "NotImplementedError": _INTERNAL,
    "SyntaxError": _INTERNAL,
    "InvalidDefinitionException": _INTERNAL,
    "InvalidOperationException": _INTERNAL,
    "InvalidStateError": _INTERNAL,
    "IllegalStateException": _INTERNAL,
    "FunctionClauseError": _INTERNAL,
    "CaseClauseError": _INTERNAL,
    "MatchError": _INTERNAL,
    "UndefinedFunctionError": _INTERNAL,
}
_BLAMELESS = words(
    """
    ToolRetryError ModelRetry
    Error Exception RuntimeError ValueError TypeError OSError IOError ToolError ToolException McpError MCPError
    ToolInvocationError ToolExecutionError ToolExecutionException AssertionError BaseException HTTPError
    HTTPStatusError ApiError APIError ClientError RequestError ServiceError UserError AgentError
    ModelBehaviorError RpcError AxiosError CallToolError tool_error TOOL_ERROR MCP_TOOL_ERROR _OTHER
    """
)

_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-. ]")


@lru_cache(maxsize=4096)
def code_of_name(name: str) -> Code | None:
    """`vocabulary.code_of` for a text, remembered: the same few names come again with every failure."""
    return vocabulary.code_of(name)


def code_of(declared: object) -> Code | None:
    """The closed code that a declared one means; as `vocabulary.code_of`, only faster for names."""
    if isinstance(declared, str):
        return code_of_name(declared) if len(declared) <= 80 else None
    return vocabulary.code_of(declared)


@lru_cache(maxsize=2048)
def code_of_class(name: str) -> Code | None:
    """The code that an exception's class name (or an `error.type`) means; None for names that blame nothing.

    Numbers are read as HTTP or JSON-RPC status, upper-case names from errno as such, the rest by the words of the name.
    """
    text = name.strip()[:200]
    short = re.split(r"[.:/$]", text)[-1] or text
    if not short or short in _BLAMELESS:
        return None
    direct = _EXACT.get(short) or ERRNO.get(short) or code_of(short)
    if direct is not None:
        return direct
    parts = _WORD_BREAK.sub("_", short).lower()
    for code, pattern in _CLASSES:
        if pattern.search(parts):
            return code
    return None


@lru_cache(maxsize=2048)
def is_defect(name: str) -> bool:
    """Whether a class names a fault of the program itself, so that its message says nothing of the caller."""
    return _EXACT.get(re.split(r"[.:/$]", name[:200])[-1]) is _INTERNAL


def code_of_sqlstate(state: str) -> Code | None:
    """The code for a five-character SQLSTATE; None where the text is none or its class is unknown."""
    if len(state) != 5 or not state.isalnum() or (not state.isupper() and not state.isdigit()):
        return None
    return _SQLSTATE.get(state) or _SQLSTATE_CLASS.get(state[:2])


def code_of_number(number: int) -> Code | None:
    """The code for an HTTP status (400-599) or a JSON-RPC number (-32768 to -32000)."""
    if 40_000 <= number < 60_000 and number // 100 in _REGISTERED:  # a status with two digits of the service's own
        number //= 100
    return code_of_http(number) if number > 0 else code_of_json_rpc(number)


_REGISTERED = frozenset(status.value for status in HTTPStatus)
REASON_PHRASES = {status.phrase.lower(): status.value for status in HTTPStatus if status.value >= 400}
"""The registered phrases of failing HTTP statuses (RFC 9110, section 15), in lower case, with the status of each."""

REASON_PHRASES |= {"service temporarily unavailable": 503, "gateway time-out": 504, "request time-out": 408}
"""As nginx spells them."""


__all__ = [
    "ERRNO",
    "code_of",
    "code_of_class",
    "code_of_grpc",
    "code_of_http",
    "code_of_number",
    "code_of_sqlstate",
    "is_defect",
]
