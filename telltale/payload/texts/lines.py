"""Lines that other programs print when they fail: an HTTP status line, a client library's error, a program's last line.

Each form is a published one and stands at the beginning of a whole text, or is its only or its last line.
"""

from __future__ import annotations

import re

from telltale.payload.codes.infer import code_of, code_of_class
from telltale.payload.codes.phrases import first_code
from telltale.payload.words import DRESS, holds_any
from telltale.vocabulary import Code, code_of_http

_STATUS_LINE = re.compile(
    r"\s*(?:HTTP(?:/\d(?:\.\d)?)?\s+)?(?:Error\s+)?([45]\d\d)\s*[:\s-]\s*([A-Z][A-Za-z' -]{3,40})"
)
_CLIENT = re.compile(
    r"\s*(?:(?:Client|Server) error '(?P<httpx>[45]\d\d) [^']{2,40}' for url"
    r"|(?P<requests>[45]\d\d) (?:Client|Server) Error: .{0,80} for url"
    r"|Request failed with status code (?P<axios>[45]\d\d)|HTTP Error (?P<urllib>[45]\d\d): "
    r"|[a-z]{2,20}: [A-Z][\w ]{2,60} \(HTTP (?P<named>[45]\d\d)\)\s*\Z"  # gh
    r"|HTTP (?:(?:error|status)[ :]{1,3})?(?P<plain>[45]\d\d)(?=[:,.)]|$| [A-Z-])"
    r"|HTTP error! (?i:status(?: code)?)[: ]{1,3}(?P<idiom>[45]\d\d)\b"
    r"|(?i:(?:(?:un|not an? )expected |bad |invalid |got |received )?(?:HTTP |response )?status(?:[_ ]?code)?)"
    r"\s?[:=]?\s?(?P<label>[45]\d\d)(?=[.,:;)]|\s*$| [A-Z(-])"
    r"|(?P<envoy>upstream connect error or disconnect/reset before headers|no healthy upstream"
    r"|upstream request timeout)"
    r"|<HttpError (?P<gapi>[45]\d\d) when requesting "  # googleapiclient
    r"|Error code: (?P<code>[45]\d\d)\b|error code: (?P<edge>1\d{3})\Z|Error (?P<cache>[45]\d\d):? [A-Z][^\n]{2,80}\Z"
    r"|(?P<query>400) Syntax error: "  # BigQuery
    r"|(?P<google>[45]\d\d) [A-Z][A-Z_]{4,40}\. "
    r"|(?P<fetch>request to https?://\S{1,250} failed, reason: )|(?P<aio>Cannot connect to host \S{1,100} ssl:)"
    r"|(?P<httpcore>All connection attempts failed\Z)"
    r"|(?P<pool>HTTPS?ConnectionPool\(host=)|(?P<reset>\('Connection aborted\.'))"
)
_RPC = re.compile(
    r"\s*(?:rpc error: code = (?P<go>\w{2,30}) desc = "
    r"|<(?:_InactiveRpcError|AioRpcError|_MultiThreadedRendezvous) of RPC"
    r"[^=]{0,80}=\s{0,4}StatusCode\.(?P<python>[A-Z_]{2,30})|(?P<java>UNAVAILABLE|DEADLINE_EXCEEDED|UNAUTHENTICATED"
    r"|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|PERMISSION_DENIED|UNIMPLEMENTED): )"
)
_COCOA = re.compile(
    r"\s*(?:The operation couldn[’']t be completed\. \(|Error Domain=)"
    r"(?P<domain>[\w.]{2,80}) (?:error |Code=)-?\d{1,6}"
)
"""What Foundation's `NSError` says of itself, where nobody gave it a text or where it is written out."""

_BOTO = re.compile(r"\s*An error occurred \((?P<code>\w{2,60})\) when calling the \w{2,60} operation")
_STRERROR = {
    "permission denied": Code.PERMISSION_DENIED,
    "operation not permitted": Code.PERMISSION_DENIED,
    "connection refused": Code.UNAVAILABLE,
    "connection timed out": Code.UNAVAILABLE,
    "connection reset by peer": Code.UNAVAILABLE,
    "operation timed out": Code.UNAVAILABLE,
    "no route to host": Code.UNAVAILABLE,
    "network is unreachable": Code.UNAVAILABLE,
    "name or service not known": Code.UNAVAILABLE,
    "temporary failure in name resolution": Code.UNAVAILABLE,
    "could not resolve hostname": Code.UNAVAILABLE,
    "no such file or directory": Code.NOT_FOUND,
    "command not found": Code.NOT_FOUND,
    "is a directory": Code.INVALID_ARGUMENT,
    "not a directory": Code.INVALID_ARGUMENT,
    "file exists": Code.CONFLICT,
    "no space left on device": Code.INTERNAL,
}
"""POSIX `strerror` texts and what shells add; they end the one line that a failing program prints."""

_PROGRAM_LINE = re.compile(
    r"[\w./@+-]{1,60}: (?:[^\n]{1,200}: )?(?P<reason>[A-Za-z ]{6,40}[A-Za-z])(?: \([\w, -]{1,60}\))?\.?"
)
_LINE_CAP = 400
_TAIL = 1000
_FIXED_LINE = re.compile(
    r"(?P<welcome>To get started with GitHub CLI, please run: .{1,60})"
    r"|(?P<refused>The connection to the server \S{1,100} was refused - did you specify the right host or port\?)"
    r"|(?P<denied>Host key verification failed\.|You are not logged into any GitHub hosts\. .{1,120}"
    r"|Unable to locate credentials\. You can configure credentials by running .{1,60}"  # aws
    r"|Please run 'az login' to setup account\.)"
    r"|(?P<silent>;; connection timed out; no servers could be reached|Timeout: No Response from \S{1,100})"
    r"|(?P<unknown>\*\* server can't find \S{1,100}: (?:NXDOMAIN|SERVFAIL|REFUSED))"
    r"|(?P<unresolved>wget: unable to resolve host address .{1,100})"
    r"|(?P<missing>(?:/\w{1,10}){0,3}/?(?:ba|da|k|z)?sh: (?:line )?\d{1,4}: .{1,100}: not found)"
)
_FIXED_CODES = {
    "welcome": Code.PERMISSION_DENIED,
    "refused": Code.UNAVAILABLE,
    "denied": Code.PERMISSION_DENIED,
    "silent": Code.UNAVAILABLE,
    "unknown": Code.NOT_FOUND,
    "unresolved": Code.UNAVAILABLE,
    "missing": Code.NOT_FOUND,
}
"""Lines that one program prints in these very words when it cannot begin."""


_GO = re.compile(r"[^\n]{0,120}\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) https?://\S{1,250}: (?P<go>[45]\d\d) ")
_TELLING = (" returned ", " responded ", " answered ", " replied ", " with ")
_TOLD = re.compile(
    r"\s*(?:[\w.'-]{1,30} ){1,5}"
    r"(?:returned|(?:responded|answered|replied|completed|finished|ended|failed) with) (?:an? )?"
    r"(?:(?:HTTP |status |error |code ){1,3}(?P<told>[45]\d\d)\b|(?P<bare>[45]\d\d)(?=[.,:;)]|\s*$| from\b))"
)


_NUMBERED = re.compile(
    rf"{DRESS}(?:[\w.'-]{{1,30}} ){{1,6}}?(?:failed|denied|refused|rejected|forbidden|unauthori[sz]ed)"
    r"(?: (?:for|with|to|by|on|at|from|in|while|when)(?: [\w.'-]{1,30}){1,5}?)?"
    r" (?:with )?(?:\((?:HTTP |status |code ){0,2}|HTTP (?:status )?)(?P<numbered>[45]\d\d)\)?(?=[.,:]|\s*$)",
    re.IGNORECASE,
)
"""A deed that failed, with the status in brackets at its end: `Authentication failed for the board (403). …`"""

_LAST_ERROR = re.compile(r"(?:error|fatal|ERROR|FATAL): \S.{0,300}")
_ASIDES = ("hint: ", "note: ", "warning: ")


def last_error_of(text: str) -> str | None:
    """The line `error: …` or `fatal: …` with which a program's output of a few lines ends, its hints left out."""
    lines = [line for line in text[-_TAIL:].rstrip().split("\n") if line.strip() and not line.startswith(_ASIDES)]
    return lines[-1][:120] if len(lines) > 1 and _LAST_ERROR.fullmatch(lines[-1]) else None


def refusing_reply_of(text: str) -> tuple[str, Code | None] | None:
    """The reply of 400 or above with which a dialogue with a server ends (RFC 959 §4.2, RFC 5321 §4.2).

    As clients print it, the server's lines behind an arrow: `<--- 451 No space left on device`.
    """
    last = text[-_TAIL:].rstrip().rsplit("\n", 1)[-1]
    hit = _REPLY.fullmatch(last) if "<" in last[:2] and text.count("\n<") + (text[:1] == "<") > 1 else None
    if hit is None:
        return None
    said = first_code([hit.group("text")])
    return last[:120], said or (Code.UNAVAILABLE if hit.group("class") == "4" else None)


_REPLY = re.compile(r"<-{0,4} {0,3}(?P<class>[45])\d\d[ -](?P<text>[^\n]{1,300})")


def status_line_of(text: str, phrases: dict[str, int]) -> tuple[str, Code | None] | None:
    """The HTTP status line or the client library's error that a text begins with, with the code it means."""
    head = text[:_LINE_CAP]
    hit = _STATUS_LINE.match(head)
    if hit is not None and len(text) <= _LINE_CAP:
        status, rest = int(hit.group(1)), hit.group(2).lower()
        for phrase, number in phrases.items():
            if rest.startswith(phrase) and number // 100 == status // 100 and not rest[len(phrase) :].strip(" -"):
                return hit.group(0).strip(), code_of_http(status)
    client = _CLIENT.match(head) or (_GO.match(head) if "://" in head else None)
    if client is None and holds_any(head[:120], _TELLING):
        client = _TOLD.match(head)
    if client is None and ("(" in head or "HTTP" in head):
        client = _NUMBERED.match(head)
    if client is None:
        return _library_error(head) or _addressed(head)
    number_text = client.group(client.lastgroup or 0)
    code = code_of_http(int(number_text)) if number_text.isdigit() else Code.UNAVAILABLE
    return client.group(0).strip()[:120], code


def _addressed(head: str) -> tuple[str, Code | None] | None:
    """An address and the status line that it answered with, and nothing else: `https://…/search 202 Ratelimit`."""
    hit = _ADDRESSED.match(head) if head[:4] == "http" else None
    if hit is None:
        return None
    status, said = int(hit.group("status")), first_code([hit.group("reason")])
    return (head.strip()[:120], said or code_of_http(status)) if status >= _FAILING or said is not None else None


_FAILING = 400
_ADDRESSED = re.compile(r"https?://\S{1,250}:? (?P<status>\d{3}) (?P<reason>[A-Za-z][A-Za-z ]{2,40})\.?\s*\Z")


def empty_for_a_status(text: str) -> tuple[str, Code | None] | None:
    """An empty answer that names the failing status behind it: `No results. (The backend returned HTTP 429)`."""
    hit = _EMPTY_FOR.match(text) if len(text) <= _EMPTY_CAP and text[:3].lower() in _EMPTY_HEADS else None
    return (hit.group(0).strip(), code_of_http(int(hit.group("status")))) if hit is not None else None


_EMPTY_CAP = 240
_EMPTY_HEADS = ("no ", "0 r", "0 m", "not")
_EMPTY_FOR = re.compile(
    r"(?:no|0|nothing) (?:\w+ ){0,2}?(?:results?|matche?s?|data|records?|items?|documents?|entries|found)\b"
    r"[^\n]{0,120}?(?:\bHTTP(?: status)?|\bstatus(?: code)?|\berror(?: code)?|\bcode|\breturned|\banswered|\bwith)"
    r"[ :=]{1,3}(?P<status>4(?:0[0135689]|1\d|2[1-9])|5\d\d)\b[^\n]{0,80}\s*\Z",
    re.IGNORECASE,
)


def _library_error(head: str) -> tuple[str, Code | None] | None:
    """The errors of gRPC and of the AWS libraries, which name their code."""
    rpc = _RPC.match(head)
    if rpc is not None:
        return rpc.group(0).strip()[:120], code_of(rpc.group(rpc.lastgroup or 0))
    cocoa = _COCOA.match(head)
    if cocoa is not None:
        return cocoa.group(0)[:120], Code.UNAVAILABLE if cocoa.group("domain") == "NSURLErrorDomain" else None
    boto = _BOTO.match(head)
    return (boto.group(0).strip()[:120], code_of_class(boto.group("code"))) if boto is not None else None


_UNRECOGNIZED = re.compile(
    r"\s*(?:'[^'\n]{1,120}' is not recognized as an internal or external command"
    r"|[\w.-]{1,60} ?: The term '[^'\n]{1,120}' is not recognized as (?:the|a) name of a cmdlet)"
)
_RECORD = re.compile(
    r"\s*\S[^\n]{0,400}(?:\n[^\n]{0,400}){0,8}?\n\s{0,8}\+ CategoryInfo\s{1,12}: (?P<category>[A-Z]\w{3,40})"
)
_CATEGORIES = {
    "ObjectNotFound": Code.NOT_FOUND,
    "PermissionDenied": Code.PERMISSION_DENIED,
    "SecurityError": Code.PERMISSION_DENIED,
    "AuthenticationError": Code.PERMISSION_DENIED,
    "ConnectionError": Code.UNAVAILABLE,
    "OperationTimeout": Code.UNAVAILABLE,
    "ResourceUnavailable": Code.UNAVAILABLE,
    "ResourceBusy": Code.UNAVAILABLE,
    "ResourceExists": Code.CONFLICT,
    "QuotaExceeded": Code.RATE_LIMITED,
    "LimitsExceeded": Code.RATE_LIMITED,
    "InvalidArgument": Code.INVALID_ARGUMENT,
    "InvalidData": Code.INVALID_ARGUMENT,
    "InvalidType": Code.INVALID_ARGUMENT,
    "SyntaxError": Code.INVALID_ARGUMENT,
    "ParserError": Code.INVALID_ARGUMENT,
}
"""PowerShell's `ErrorCategory`, as its error records print it."""


def shell_record_of(text: str) -> tuple[str, Code | None] | None:
    """The refusal of a shell of Windows that a text begins with: an unknown program, or PowerShell's error record."""
    head = text[:_RECORD_CAP]
    if "' is not recognized as " in head:
        unknown = _UNRECOGNIZED.match(head)
        if unknown is not None:
            return unknown.group(0).strip()[:120], Code.NOT_FOUND
    record = _RECORD.match(head) if "+ CategoryInfo" in head else None
    return (head.strip().split("\n", 1)[0][:120], _CATEGORIES.get(record.group("category"))) if record else None


_RECORD_CAP = 2000


_FIXED_HEADS = ("The ", "To g", "Host", "You ", "Unab", "Plea", ";; c")


def program_line_of(text: str) -> tuple[str, Code] | None:
    """`cat: /x: No such file or directory`: the one line of a program, ending in a text of `strerror`."""
    line = text.strip()
    if len(line) > _LINE_CAP or "\n" in line or (": " not in line and line[:4] not in _FIXED_HEADS):
        return None
    fixed = _FIXED_LINE.fullmatch(line)
    if fixed is not None:
        return line[:120], _FIXED_CODES[fixed.lastgroup or "denied"]
    hit = _PROGRAM_LINE.fullmatch(line)
    code = _STRERROR.get(hit.group("reason").lower()) if hit is not None else None
    return (line[:120], code) if code is not None else None
