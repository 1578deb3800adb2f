"""Messages that runtimes and their libraries give to an exception, where a tool hands on the message alone.

`except Exception as error: return str(error)` leaves nothing of the class; what is left has a fixed form all the same:
the format strings of CPython, V8 and Node, Go, .NET, the JVM, Ruby, PHP and of their libraries for HTTP, TLS and JSON.
An entry matches a whole text from end to end; none of them is a sentence that a person would write.
"""

from __future__ import annotations

import re
from functools import cache

from telltale.payload.codes.infer import ERRNO, code_of_class, code_of_http
from telltale.payload.codes.phrases import first_code
from telltale.payload.texts.catalogues import masking_of
from telltale.vocabulary import Code

_INTERNAL, _INVALID, _DOWN = Code.INTERNAL, Code.INVALID_ARGUMENT, Code.UNAVAILABLE
_MISSING, _DENIED = Code.NOT_FOUND, Code.PERMISSION_DENIED

_Forms = tuple[tuple[Code | None, tuple[str, ...]], ...]
_NAME = r"[\w.$\[\]'\"()-]{1,80}"
_CPYTHON: _Forms = (
    (
        _INTERNAL,
        (
            r"(?:type object |module )?'[\w.]{1,80}'(?: object)? has no attribute '\w{1,80}'.{0,120}",
            r"'[\w.]{1,80}' object (?:is not (?:subscriptable|callable|iterable|an iterator)|does not support .{1,60})",
            r"(?:list|tuple|string|deque|range object|pop) index out of range",
            r"pop from (?:an )?empty \w{3,10}",
            r"(?:integer |float |decimal )?(?:division(?: or modulo)?|modulo) by zero",
            r"name '\w{1,80}' is not defined.{0,80}",
            r"cannot access local variable '\w{1,80}' .{1,80}",
            r"(?:not enough|too many) values to unpack \(.{1,60}\)",
            r"maximum recursion depth exceeded.{0,80}",
            r"unsupported operand type\(s\) for .{1,80}",
            r"can only concatenate \w{3,10} \(not \"\w{1,40}\"\) to \w{3,10}",
            r"Object of type [\w.]{1,60} is not JSON serializable",
            r"unhashable type: '\w{1,60}'",
        ),
    ),
    (
        _INVALID,
        (
            r"[\w.<>]{1,80}\(\) (?:got an unexpected keyword argument '\w{1,80}'.{0,80}|missing \d{1,2}"
            r" required .{1,200}|takes .{1,60} positional arguments? but .{1,60})",
            r"could not convert string to float: .{1,80}",
            r"invalid literal for int\(\) with base \d{1,2}: .{1,80}",
            r"time data '.{1,80}' does not match format '.{1,60}'",
            r"Invalid isoformat string: .{1,80}",
            r"Input should be (?:a valid .{1,60}|'.{1,200}|greater than .{1,40}|less than .{1,40})",
            r"Invalid URL '.{0,120}': No scheme supplied.{0,120}",
        ),
    ),
    (
        None,
        (
            r"(?:Expecting (?:value|property name enclosed in double quotes|'.' delimiter)|Extra data|Invalid"
            r" control character(?: at)?|Unterminated string starting at): line \d{1,9} column"
            r" \d{1,9} \(char \d{1,9}\)",
            r"Command '.{1,200}' returned non-zero exit status \d{1,3}\.",
        ),
    ),
    (
        _DOWN,
        (
            r"\[SSL: \w{3,60}\] .{1,200}\(_ssl\.c:\d{1,6}\)",
            r"EOF occurred in violation of protocol \(_ssl\.c:\d{1,6}\)",
            r"Max retries exceeded with url: .{1,300}",
            r"Read timed out\. \(read timeout=.{1,20}\)",
            r"Server disconnected(?: without sending a response\.?)?",
            r"Remote end closed connection without response",
            r"peer closed connection without sending complete message body.{0,80}",
            r"\[Errno -?\d{1,4}\] .{1,120}",
        ),
    ),
)
"""CPython and its libraries for HTTP, TLS, JSON and schemas."""

_NODE: _Forms = (
    (
        _INTERNAL,
        (
            r"Cannot (?:read|set) propert(?:y|ies) (?:of|'.{1,60}' of) (?:undefined|null)(?: \("
            r"(?:reading|setting) '.{1,60}'\))?",
            _NAME + r" is not (?:a function|iterable|a constructor)(?: .{0,60})?",
            _NAME + r" is not defined",
            r"Maximum call stack size exceeded",
            r"(?:.{0,60})JavaScript heap out of memory",
            r"Execution context was destroyed.{0,120}",
            r"Protocol error \(.{1,60}\): .{1,120}",
            r"An unknown server-side error occurred while processing the command\..{0,200}",
        ),
    ),
    (
        None,
        (
            r"Unexpected (?:token .{1,60}|end of JSON input|non-whitespace character .{1,40})(?: in JSON at"
            r" position \d{1,9}|, .{1,80} is not valid JSON|.{0,60}at position \d{1,9}.{0,40})?",
        ),
    ),
    (
        _DOWN,
        (
            r"socket hang up",
            r"Load failed",  # WebKit
            r"Network Error",  # axios
            r"NetworkError when attempting to fetch resource\.",  # Gecko
            r"Breaker is open",  # opossum
            r"Client network socket disconnected before secure TLS connection was established",
            r"self[- ]signed certificate(?: in certificate chain)?",
            r"unable to (?:verify the first|get local issuer) certificate",
            r"Hostname/IP does not match certificate's altnames: .{1,200}",
            r"The operation was aborted(?: due to timeout)?\.?",
            r"This operation was aborted",
            r"The user aborted a request\.",
            r"(?:[\w.]{1,40}: )?(?:Navigation )?[Tt]imeout (?:of )?\d{2,7} ?ms exceeded\.?.{0,200}",
            r"(?:Target page, context or browser|Target|Browser|Page|Session) (?:has been|was|is) closed\.?",
        ),
    ),
)
"""V8, Node, and the browsers' drivers."""

_GO: _Forms = (
    (
        _DOWN,
        (
            r"(?:context deadline exceeded|unexpected EOF|i/o timeout)(?: \(.{1,80}\))?",
            r"(?:dial|read|write) (?:tcp|udp)4?6? .{1,160}: .{1,120}",
            r"lookup \S{1,120}(?: on \S{1,60})?: .{1,80}",
            r"(?:Get|Post|Put|Delete|Head|Patch) \"\S{1,250}\": .{1,200}",
            r"(?:x509|tls): .{5,160}",
        ),
    ),
    (
        _DENIED,
        (
            r"pq: (?:password authentication failed|permission denied) .{1,120}",
            r"(?:open|stat|lstat|chdir|mkdir|remove|rename|fork/exec) \S{1,200}: permission denied",
        ),
    ),
    (
        None,
        (
            r"(?:pq|net/http|json|strconv\.\w{3,12}|yaml|sql): .{5,160}",
            r"invalid character '.{1,6}' (?:looking for beginning of value|after .{1,60})",
            r"[A-Z][^:\n]{3,120} \(os error \d{1,5}\)",
        ),
    ),
    (
        _INTERNAL,
        (
            r"runtime error: .{5,160}",
            r"http: server gave HTTP response to HTTPS client",
        ),
    ),
    (
        _MISSING,
        (
            r"exec: \".{1,80}\": executable file not found in \$PATH",
            r"(?:open|stat|lstat|chdir|mkdir|remove|rename|fork/exec) \S{1,200}: no such file or directory",
        ),
    ),
)
"""Go and Rust."""

_POSIX: _Forms = (
    (
        _DOWN,
        (
            r"Broken pipe|Connection (?:refused|reset by peer|aborted|timed out)|No route to host",
            r"Network is unreachable",
            r"Resource temporarily unavailable|Device or resource busy|Host is down|Too many open files",
            r"Name or service not known|Temporary failure in name resolution",
            r"nodename nor servname provided, or not known",
        ),
    ),
    (_INTERNAL, (r"No space left on device|Cannot allocate memory|Input/output error|Read-only file system",)),
    (_MISSING, (r"No such (?:file or directory|device or address|process)",)),
    (_DENIED, (r"Operation not permitted|Permission denied",)),
)
"""`strerror` and `gai_strerror`."""

_MANAGED: _Forms = (
    (
        _INTERNAL,
        (
            r"Object reference not set to an instance of an object\.?",
            r"Nullable object must have a value\.",
            r"Sequence contains (?:no|more than one) (?:matching )?elements?",
            r"Index was outside the bounds of the array\.",
            r"The given key '.{1,80}' was not present in the dictionary\.",
            r"Unable to cast object of type .{1,160}",
            r"Exception of type '[\w.+`]{1,120}' was thrown\.",
            r"An item with the same key has already been added\..{0,80}",
            r"Cannot invoke \"[\w.()<>]{1,160}\" because .{1,120} is null",
            r"No value present",
            r"Index -?\d{1,9} out of bounds for length \d{1,9}",
            r"undefined (?:local variable or )?method [`'].{1,60}' for .{1,80}",
            r"Call to a member function \w{1,60}\(\) on \w{2,20}",
            r"Trying to access array offset on .{1,60}",
            r"Segmentation fault(?: \(core dumped\))?",
            r"(?:[a-z]\w{0,30}\.){1,8}[A-Z]\w{1,60}(?:Error|Exception)(?:\(\))?",
        ),
    ),
    (
        _INVALID,
        (
            r"Value cannot be null\. \(Parameter '.{1,60}'\)",
            r"(?:The i|I)nput string (?:'.{0,60}' )?was not in a correct format\.",
            r"For input string: \".{0,80}\"",
            r"wrong number of arguments \(given \d{1,2}, expected .{1,10}\)",
        ),
    ),
    (
        _DOWN,
        (
            r"The request was canceled due to the configured HttpClient\.Timeout of .{1,40} elapsing\.",
            r"A task was canceled\.",
            r"The SSL connection could not be established, see inner exception\.",
            r"No such host is known\..{0,80}",
            r"PKIX path building failed: .{1,200}",
            r"Connection refused \(Connection refused\)",
            r"(?:Read|connect) timed out",
            r"(?:[a-z]\w{0,30}\.){0,8}(?:Read|Connect|Write|Pool)Timeout(?:\(\))?",
            r"Circuit ?[Bb]reaker (?:['\"][^'\"]{1,80}['\"] )?is (?:open|OPEN)(?: and does not permit further calls)?",
        ),
    ),
    (
        None,
        (r"One or more errors occurred\. \(.{3,200}\)",),
    ),
)
""".NET, the JVM, Ruby, PHP."""

_SERVERS: _Forms = (
    (
        _DOWN,
        (
            r"SSL connection has been closed unexpectedly",
            r"server closed the connection unexpectedly(?:\s.{1,200})?",
            r"terminating connection due to .{1,80}",
            r"canceling statement due to (?:statement timeout|lock timeout|conflict with recovery)",
            r"(?:FATAL: )?sorry, too many clients already",
            r"remaining connection slots are reserved .{1,100}",
            r"Lost connection to MySQL server .{1,80}",
            r"MySQL server has gone away",
            r"Can't connect to (?:local )?MySQL server .{1,120}",
        ),
    ),
    (
        Code.CONFLICT,
        (r"(?:Lock wait timeout exceeded|Deadlock found when trying to get lock); try restarting transaction",),
    ),
    (None, (r"code: \d{1,4}, message: .{1,300}",)),
)
"""What libpq, MySQL's client and ClickHouse's for Go say of a server."""

_STATUS = re.compile(
    r"Response status code does not indicate success: (?P<net>[45]\d\d) \(.{1,60}\)\."
    r"|The remote server returned an error: \((?P<web>[45]\d\d)\) .{1,60}"
)
_ERRNO = re.compile(
    r"(?:read|write|connect|getaddrinfo|spawn|query\w{1,5}|listen|bind|send|recv)"
    r" (?P<name>E[A-Z_]{3,20})(?: \S{1,160})?"
    r"|(?:spawn|connect) \S{1,160} (?P<last>E[A-Z_]{3,20})"
)
_BARE = re.compile(r"[A-Z][a-z]\w{1,60}(?:Error|Exception|Timeout)(?:\(\))?")
"""A class of its own; only one that tells what happened (`ReadTimeout`) is taken for a message, `KeyError` is not."""

_LONGEST = 400


@cache
def _forms() -> tuple[re.Pattern[str], tuple[Code | None, ...]]:
    entries = (*_CPYTHON, *_NODE, *_GO, *_POSIX, *_MANAGED, *_SERVERS)
    pattern = "|".join(f"(?P<f{number}>{'|'.join(forms)})" for number, (_, forms) in enumerate(entries))
    return re.compile(pattern, re.DOTALL), tuple(code for code, _ in entries)


def runtime_message(text: str) -> tuple[str, Code | None] | None:
    """The message of an exception that a whole text is, with the code that it means; None for every other text."""
    if len(text) > _LONGEST:
        return None
    said = text.strip()
    status = _STATUS.fullmatch(said)
    if status is not None:
        return said[:120], code_of_http(int(status.group(status.lastgroup or "net")))
    errno = _ERRNO.fullmatch(said)
    if errno is not None:
        name = errno.group(errno.lastgroup or "name")
        return (said[:120], ERRNO[name]) if name in ERRNO else None
    if _BARE.fullmatch(said) is not None:
        code = code_of_class(said.removesuffix("()"))
        return (said, code) if code not in (None, Code.INTERNAL) else None
    pattern, codes = _forms()
    hit = pattern.fullmatch(said)
    return (said[:120], codes[int((hit.lastgroup or "f0")[1:])]) if hit is not None else None


_LABEL = re.compile(r"[A-Za-z][\w.-]{0,39}: ")
_MOST_PARTS = 10


def several_messages(text: str) -> tuple[str, Code | None] | None:
    """`markRead: fetch failed; archive: fetch failed`: several such messages, each behind the name of what it is of."""
    parts = text.strip().split("; ") if len(text) <= _LONGEST and "; " in text else []
    if not 1 < len(parts) <= _MOST_PARTS:
        return None
    found: tuple[str, Code | None] | None = None
    for part in reversed(parts):
        label = _LABEL.match(part)
        told = part[label.end() :] if label is not None else ""
        found = runtime_message(told) or ((told, first_code([told])) if masking_of(told) is not None else None)
        if found is None:
            return None
    return (text.strip()[:120], found[1]) if found is not None else None
