"""Infers one of the closed codes from evidence: status numbers, class names, SQLSTATE, errno, reason phrases.

Only calls that are known to have failed are asked here: nothing in this module decides *whether* a call failed. The
tables follow published lists: HTTP (RFC 9110 §15), gRPC (google/rpc/code.proto), JSON-RPC 2.0 §5.1, SQLSTATE
(ISO/IEC 9075-2, PostgreSQL appendix A), POSIX `errno.h`, and the class names of common libraries.
"""

from __future__ import annotations

import re
from functools import lru_cache

from telltale.vocabulary import Code, code_of, code_of_grpc, code_of_http, code_of_json_rpc

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
_CLASS_PARTS: tuple[tuple[str, Code], ...] = (
    (r"rate_?limit|throttl|quota|too_many_requests|slow_down|resource_exhausted", _LIMITED),
    (r"timeout|timed_out|deadline|stalled", _DOWN),
    (
        r"already_exists|duplicate|conflict|integrity|unique|version_mismatch|stale|precondition|optimistic_lock|exists_error"
        r"|concurren|serialization_failure|deadlock|file_exists",
        _CONFLICT,
    ),
    (
        r"permission|forbidden|unauthori[sz]ed|unauthenticated|authenticat|authori[sz]ation|access_denied|credential|not_allowed"
        r"|invalid_token|token_expired|expired_token|denied|policy_violation|auth_error|login_required",
        _DENIED,
    ),
    (
        r"not_found|no_such|does_not_exist|unknown_(?:tool|method|resource)|missing_resource|no_result_found|resolve_error",
        _MISSING,
    ),
    (
        r"connect|unavailable|network|socket|broken_pipe|dns|name_resolution|gai|transport|remote_protocol|circuit|overloaded"
        r"|bad_gateway|operational|unreachable|protocol_error|ssl|service_down|fetch_error|api_connection",
        _DOWN,
    ),
    (
        r"validation|invalid|bad_request|illegal_argument|argument|zod|parse_error|json_decode|decode_error|syntax|schema|malformed"
        r"|too_large|too_long|exceeded|out_of_range|unprocessable|unsupported|missing_param|missing_field|params|usage"
        r"|retry_error|format_exception",
        _INVALID,
    ),
)
_CLASSES = tuple((re.compile(pattern), code) for pattern, code in _CLASS_PARTS)
_EXACT = {
    "FileNotFoundError": _MISSING,
    "LookupError": _MISSING,
    "NameResolutionError": _DOWN,
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
    "ToolRetryError": _INVALID,
    "InvalidDefinitionException": _INTERNAL,
    "InvalidOperationException": _INTERNAL,
    "InvalidStateError": _INTERNAL,
}
_BLAMELESS = frozenset(
    [
        "Error",
        "Exception",
        "RuntimeError",
        "ValueError",
        "TypeError",
        "OSError",
        "IOError",
        "ToolError",
        "ToolException",
        "McpError",
        "MCPError",
        "ToolInvocationError",
        "ToolExecutionError",
        "ToolExecutionException",
        "AssertionError",
        "BaseException",
        "HTTPError",
        "HTTPStatusError",
        "ApiError",
        "APIError",
        "ClientError",
        "RequestError",
        "ServiceError",
        "UserError",
        "AgentError",
        "ModelBehaviorError",
        "RpcError",
        "AxiosError",
        "CallToolError",
        "tool_error",
        "TOOL_ERROR",
        "MCP_TOOL_ERROR",
        "_OTHER",
    ]
)

_PHRASES: tuple[tuple[Code, str], ...] = (
    (
        _LIMITED,
        r"rate.?limit|too many requests|quota (?:exceeded|reached)|exceed\w* (?:your |the )?(?:current )?quota|throttl|slow down"
        r"|requests per (?:second|minute|hour|day)",
    ),
    (
        _DENIED,
        r"permission denied|access (?:is )?denied|not (?:allowed|permitted|authori[sz]ed)|unauthori[sz]ed|unauthenticated"
        r"|forbidden|authenticat(?:ion|e) (?:failed|required|error)|not authenticated|(?:invalid|expired|missing|bad) (?:api.?key|token|credential)"
        r"|(?:api.?key|token|credentials?|session|sign-?in|log-?in) (?:(?:is|was|has|are|have) )?(?:not valid|no longer valid|invalid|expired|missing|required)"
        r"|please (?:log|sign) ?in|insufficient (?:scope|permission|privilege)|do(?:es)? not have (?:access|permission)|read-?only"
        r"|outside (?:of )?the (?:workspace|sandbox|allowed)",
    ),
    (
        _DOWN,
        r"time[ds]?[ -]?out|timeout|connection (?:refused|reset|aborted|closed|error)|refused the connection|could not (?:connect|resolve)"
        r"|cannot connect|unable to connect|fetch failed|network error|not (?:currently |yet )?available"
        r"|unavailable|unreachable|bad gateway|overloaded|(?:is|are) (?:currently )?down\b|for maintenance|did(?: not|n't) (?:answer|respond)"
        r"|none of the [\w ]{1,40} (?:answered|responded)|no (?:answer|response) from|econn\w+|enotfound|host not found|circuit.?(?:breaker|open)"
        r"|switched off|try again (?:later|shortly|in a)",
    ),
    (
        _CONFLICT,
        r"already (?:exists?|taken|been|in use)|duplicate|conflict|concurrent (?:update|modification)|unique constraint|has changed"
        r"|deadlock",
    ),
    (
        _INVALID,
        r"validation error|(?:is |are )?(?:required|invalid|malformed|unsupported|not supported)\b|requires? (?:a|an|the)\b|missing (?:required|parameter|argument|field|\W\w+\W)"
        r"|must (?:be|have|not|match|contain|start|end)|cannot be (?:empty|blank|null|negative)|(?:unknown|unexpected|unrecogni[sz]ed|unsupported) (?:\w+ ){0,3}(?:field|argument|parameter|option|property|key|code|value|format|type)\b"
        r"|is not a valid|not a valid|is not allowed in|exceeds? (?:the )?(?:maximum|limit|allowed)|too (?:long|large|many|short)|out of range|bad request"
        r"|cannot parse|could not parse|wrong (?:type|format)|expected \w+",
    ),
    (
        _MISSING,
        r"not found|no such|does(?: not|n't) exist|do(?: not|n't) exist|(?:is|are) missing|has no\b|no (?:\w+ ){1,3}(?:found|named|with)|unknown (?:\w+ )?(?:id|name|tool|user)"
        r"|could not (?:find|be found)",
    ),
)
_PHRASE = tuple((code, re.compile(pattern)) for code, pattern in _PHRASES)
_STATUS_IN_TEXT = re.compile(
    r"(?:\b(?:http|https|status(?:[ _]code)?|status code:|error|code|returned|response|responded with|failed)\b[ :=\"'(]{0,3}(?:error )?\(?|^)"
    r"([45]\d\d)\b(?!\.\d)",
    re.IGNORECASE,
)
_JSON_RPC_IN_TEXT = re.compile(r"-32\d{3}\b")
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-. ]")
_SCAN = 1000


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
    words = _WORD_BREAK.sub("_", short).lower()
    for pattern, code in _CLASSES:
        if pattern.search(words):
            return code
    return None


def is_defect(name: str) -> bool:
    """Whether a class names a fault of the program itself, so that its message says nothing of the caller."""
    return _EXACT.get(re.split(r"[.:/$]", name[:200])[-1]) is _INTERNAL


def code_of_phrase(text: str) -> tuple[Code, str] | None:
    """The code that a failing text's standard phrases mean, with the phrase; only the first 1,000 characters count.

    This is the weakest evidence. A status number in the text (`HTTP 409`, `status code: 500`) goes before phrases.
    """
    return _phrase(text[:_SCAN])


@lru_cache(maxsize=2048)
def _phrase(head: str) -> tuple[Code, str] | None:
    number = _STATUS_IN_TEXT.search(head)
    if number:
        code = code_of_http(int(number.group(1)))
        if code is not None:
            return code, number.group(0).strip()
    low = head.lower()
    best: tuple[int, Code, str] | None = None
    for code, pattern in _PHRASE:
        hit = pattern.search(low)
        if hit and (best is None or hit.start() < best[0]):
            best = (hit.start(), code, hit.group(0))
            if code in (_LIMITED, _DENIED):
                break
    if best is not None:
        return best[1], best[2]
    numbers = _JSON_RPC_IN_TEXT.findall(head)
    if numbers:
        rpc = code_of_json_rpc(int(numbers[-1]))
        if rpc is not None:
            return rpc, numbers[-1]
    return None


def code_of_sqlstate(state: str) -> Code | None:
    """The code for a five-character SQLSTATE; None where the text is none or its class is unknown."""
    if len(state) != 5 or not state.isalnum() or (not state.isupper() and not state.isdigit()):
        return None
    return _SQLSTATE.get(state) or _SQLSTATE_CLASS.get(state[:2])


def code_of_number(number: int) -> Code | None:
    """The code for an HTTP status (400-599) or a JSON-RPC number (-32768 to -32000)."""
    return code_of_http(number) if number > 0 else code_of_json_rpc(number)


__all__ = [
    "ERRNO",
    "code_of",
    "code_of_class",
    "code_of_grpc",
    "code_of_http",
    "code_of_number",
    "code_of_phrase",
    "code_of_sqlstate",
    "is_defect",
]
