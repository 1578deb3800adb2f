"""The error marks with which a text can begin, and the endings that show a program's failure.

A mark is a form that programs write (`ValueError:`, `Error executing tool x`, `fatal:`, `Traceback …:`, `ENOENT:`,
`curl: (6)`), not a word. It counts only at the very beginning of the whole text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from telltale.payload.codes import ERRNO, code_of, code_of_class, code_of_sqlstate
from telltale.payload.databases import database_error_of
from telltale.payload.words import holds_any
from telltale.vocabulary import Code, code_of_http

_DRESS = r"[\s*_`\"'(\[>⚠❌✖✗🚫⛔️-]{0,6}"
_ASIDE = r"(?:\s?[\[(][^\])\n]{0,80}[\])])?"
_KINDS = (
    "fatal|internal|unexpected|tool|execution|runtime|mcp|api|http|network|validation|system|server|client|request"
    "|invocation|invoke|database|db|sql|syntax|parse|parsing|connection|timeout|auth|authentication|authorization"
    "|permission|io|os|input|argument|script|command|process|unhandled|uncaught|critical|call|function|query|catalog"
    "|binder|parser|conversion|constraint"
)
_COMPOUNDS = "handling|logging|reporting|tracking|budgeting|messaging|checking|correcting|monitoring|signaling"
_CLASS = re.compile(
    rf"{_DRESS}(?P<mark>(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w.$]{{0,120}}\.)?"
    r"(?P<klass>[A-Z]\w{0,80}?(?:Error|Exception|Fault)|[a-z]\w{0,30}(?:\.[a-z_]\w{0,30}){1,6}\.[A-Z]\w{0,80})"
    rf"{_ASIDE}:)(?=\s|$)"
)
_WORD = re.compile(
    rf"{_DRESS}(?P<mark>(?:(?:{_KINDS}) ){{0,2}}(?:error|exception|fatal|failure|panic|failed(?: with [\w ]{{1,40}})?)"
    rf"(?:\s-?\d{{1,6}})?{_ASIDE}\s?:)(?=\s|$|[\"'{{<])(?!\s*(?:0|none|null)\b)"
    rf"|{_DRESS}(?P<doing>errors? (?:while |when |occurred while )?(?!{_COMPOUNDS})[a-z]{{2,20}}ing\b"
    rf"(?= (?:the )?(?:mcp )?(?:{_KINDS}|tool)\b|[^:\n]{{0,80}}[:'\"]"
    r"|[^:\n]{0,80}\n\s*(?:error|caused by|details|reason|message)\b[^:\n]{0,30}:))"
    rf"|{_DRESS}(?P<within>error (?:in|during|on|from|with|occurred in) (?:the |your )?(?:{_KINDS}|code|step|node)\b"
    r"[^:\n]{0,60}:|error (?:in|during) \w{3,30}:)",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\s*(?P<mark>Traceback \(most recent call last\):|thread '[^']{1,60}' panicked at|npm (?:ERR!|error) "
    r"|SQLSTATE\[\w{5}\]|ORA-\d{5}:|Msg \d{1,6}, Level \d|Error response from daemon:|make(?:\[\d\])?: \*\*\* "
    r"|(?:\(error\) )?(?:ERR|WRONGTYPE|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK|READONLY|LOADING|OOM|BUSY|NOSCRIPT|EXECABORT"
    r"|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS) (?=[A-Za-z\d'])"  # Redis serialization protocol
    r"|(?:<br ?/?>\s*)?<b>(?:Fatal|Parse|Recoverable fatal) error</b>:|PHP (?:Fatal|Parse) error: "  # php, html_errors
    r"|-32\d{3}: |\[Errno -?\d{1,5}\] |\((?:\w{1,40}\.){1,4}\w{1,60}(?:Error|Exception)\) |(?P<errno>E[A-Z_]{3,24}): "
    r"|\d{3,6} \((?P<state>[0-9A-Z]{5})\): "
    r"|[a-z][\w.-]{0,20}: (?:(?:error|fatal|fatal error|\(\d{1,3}\))(?=[: ])|Error(?=:)"
    r"|Error response from daemon:))"
)
_CHAINED = re.compile(
    rf"{_DRESS}(?P<mark>(?:[a-z]{{2,20}}ing"
    r"|(?:command|request|query|call|operation) (?:failed|rejected|denied|refused))"
    rf"(?: [\w.'\"`/-]{{1,40}}){{0,5}}: (?:(?:{_KINDS}) ){{0,2}}error\b[^:\n]{{0,60}}:)",
    re.IGNORECASE,
)
"""An error with what was being done before it, as programs chain them: `parsing start time: syntax error: …`."""

_REPR = re.compile(
    r"\s*(?:[a-z_]\w{0,30}\.){0,4}(?P<klass>[A-Z]\w{0,60}(?:Error|Exception))\((?:[\"'\w].*)?\)\s*", re.DOTALL
)
"""An exception as Python writes it out: `HTTPError('401 Client Error')`; the whole text."""

_FAILED_WITH = re.compile(
    rf"{_DRESS}(?:(?:[\w.'-]{{1,30}} ){{1,5}}failed"
    r"(?: with (?:an? )?(?:error|exception|status|code|http)\b[^:\n]{0,30}:"
    r"|(?: after [\w ]{1,30})?: (?=[{\[]|HTTP\b|[45]\d\d\b|E[A-Z]{3,}\b|\w*(?:Error|Exception)\b)"
    r"| [(\[](?:[A-Za-z]+(?:[_.-][A-Za-z\d]+)+|[45]\d\d|-32\d{3})[)\]]: )"
    r"|(?:(?:an? |the following )?(?:unexpected |unknown |internal )?(?:errors?|exception) (?:has |have |was |were )?"
    r"(?:occurred|raised|thrown|happened)|something went wrong)(?: [a-z][^:\n(\d]{1,50})?:(?=\s))",
    re.IGNORECASE,
)
"""What failed, with what came of it: `LLM call failed with error: …`, `Analysis failed: {…}`, `An error occurred: …`"""

_OUTCOMES = ("ailed", "occurred", "raised", "thrown", "happened", " wrong")
_SERVICE = re.compile(
    rf"{_DRESS}(?P<mark>(?:[A-Z][\w.-]{{1,30}} ){{1,2}}(?i:api|http|network|database|db|sql|server|client|connection"
    rf"|auth|authentication|authorization|request|service|validation) (?i:error|exception|failure){_ASIDE}:"
    rf"|(?:[\w.-]{{1,30}} ){{1,3}}(?i:error) \(?[45]\d\d\)?:)(?=\s)"
)
"""A service's name before the mark: `Stripe API error (429): …`."""

_FOREIGN = re.compile(
    rf"{_DRESS}(?P<mark>(?:(?:Fehler|Erreur|Errore|Erro|Fout|Ошибка|Błąd|Hata|Lỗi)\b|エラー|错误|錯誤|오류)[^:：\n]{{0,30}}[:：]"
    r"|[^\W\da-zA-Z][^:：\n]{0,14}(?:出错|出錯|失败|失敗|错误|錯誤|エラー|오류|실패)[^:：\n]{0,4}[:：])"
)
"""The same mark in other languages: their word for "error", or in CJK scripts "… failed", before a colon."""

_FIRST = re.compile(rf"{_DRESS}(?P<word>[A-Za-z_][\w.$]{{0,200}})")
_HEAD = 1000
_LONGEST_REPR = 2000
_WORDS = frozenset(f"{_KINDS}|error|exception|fatal|failure|panic|failed|errors".split("|"))


@dataclass(slots=True, frozen=True)
class TextMark:
    """A mark at the beginning of a text; `bare` where nothing follows it, `code` where its class or number tells."""

    text: str
    bare: bool
    code: Code | None


_last: list[tuple[str, TextMark | None]] = [("", None)]
"""The last text with a mark: of a failed call several rules ask for the mark of one and the same text."""


def mark_of(text: str) -> TextMark | None:
    """The error mark that a text begins with; None for every other text."""
    known, mark = _last[0]
    if known is text:
        return mark
    mark = _mark_of(text)
    if mark is not None:
        _last[0] = (text, mark)
    return mark


def _mark_of(text: str) -> TextMark | None:
    head = text[:_HEAD]
    led = _led(text, head)
    if led is not None:
        return led
    first = _FIRST.match(head)
    if first is None:
        return _of_program(head)
    word = first.group("word")
    if word.endswith(("Error", "Exception", "Fault")) or "." in word or word in ("Uncaught", "Unhandled"):
        hit = _CLASS.match(head)
        if hit is not None:
            return TextMark(hit.group("mark"), False, code_of_class(hit.group("klass")))
    if word.lower() in _WORDS:
        hit = _WORD.match(head)
        if hit is not None:
            mark = hit.group("mark") or hit.group("doing") or hit.group("within")
            return TextMark(mark, hit.end() >= len(text.rstrip()), None)
    return _of_program(head)


_NAMED_CLASS = re.compile(r"(?<![\w./])(?:[a-z_]\w{0,30}\.){0,4}([A-Z]\w{0,60}(?:Error|Exception))(?=\W|$)")
_MOST_CLASSES = 5


def code_of_named_class(text: str) -> Code | None:
    """The code of the first exception class that a failing text names near its beginning, where one tells it."""
    head = text[:_NAMED_IN]
    if head.find("Error", 1) < 0 and head.find("Exception", 1) < 0:
        return None
    for hit in list(_NAMED_CLASS.finditer(head))[:_MOST_CLASSES]:
        code = code_of_class(hit.group(1))
        if code is not None and code is not Code.INTERNAL:
            return code
    return None


_NAMED_IN = 300
_HEADING = re.compile(r"\s*(?:#{1,4} (?:Error|Result|Output)[ \t]*\n|(?:✅|✔\ufe0f?|✓|☑)[^\n]{1,80}\n[ \t]*\n)\s*")


def headed_mark_of(text: str) -> TextMark | None:
    """The error mark below a harness's heading (`### Error`, `### Result`, `✅ Done`) with which a text begins."""
    heading = _HEADING.match(text[:100])
    mark = mark_of(text[heading.end() :]) if heading is not None else None
    return mark if mark is not None and not mark.bare else None


def _led(text: str, head: str) -> TextMark | None:
    """A mark in another language or form, or with a service or a deed named before it."""
    foreign = _FOREIGN.match(head)
    if foreign is not None:
        return TextMark(foreign.group("mark"), foreign.end() >= len(text.rstrip()), None)
    if len(text) <= _LONGEST_REPR and text.rstrip()[-1:] == ")":
        written = _REPR.fullmatch(text)
        if written is not None:
            return TextMark(written.group("klass"), False, code_of_class(written.group("klass")))
    chained = _CHAINED.match(head) or _SERVICE.match(head)
    if chained is None and holds_any(head[:200], _OUTCOMES):
        chained = _FAILED_WITH.match(head)
    return TextMark(chained.group(0).strip(), False, None) if chained is not None else None


def _of_program(text: str) -> TextMark | None:
    hit = _PROGRAM.match(text)
    if hit is None:
        said = database_error_of(text)
        return TextMark(said[0], False, said[1]) if said is not None else None
    state = hit.group("state")
    if state is not None:
        code = code_of_sqlstate(state)
        return TextMark(hit.group("mark").strip(), False, code) if code is not None else None
    errno = hit.group("errno")
    if errno is not None and errno not in ERRNO:
        return None
    return TextMark(hit.group("mark").strip(), False, ERRNO.get(errno) if errno else None)


_STREAM_LABELS = re.compile(r"\A\s*(?:(?:stdout|stderr|output)[ \t]*:[ \t]*\n\s*)+", re.IGNORECASE)
_LAST_LINE = re.compile(r"(?:[a-z_]\w{0,30}\.){0,4}(?P<klass>[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit))(?::.*)?")


def uncaught_of(text: str) -> tuple[str, Code | None] | None:
    """The exception with which a program's output ends, after its traceback; None where the program went on."""
    tail = text[-_HEAD:]
    if "Traceback (most recent call last)" not in text:
        bare = _STREAM_LABELS.sub("", text[:_HEAD])
        mark = mark_of(bare) if len(bare) < len(text[:_HEAD]) else None
        return (mark.text, mark.code) if mark is not None and not mark.bare else None
    last = tail.replace("\\n", "\n").rstrip(" \n\t'\")]").rsplit("\n", 1)[-1].strip()
    hit = _LAST_LINE.fullmatch(last)
    return (last[:120], code_of_class(hit.group("klass"))) if hit is not None else None


_CROSS = re.compile(r"\s*(?:❌|✖|✗|✘|🚫|⛔)\ufe0f?\s*\w")
_CHECKS = ("✅", "✔", "✓", "☑")
_CODED = re.compile(
    rf"{_DRESS}(?P<bracket>\[)?(?P<code>[A-Z][A-Z0-9]{{1,20}}(?:_[A-Z0-9]{{2,20}}){{1,4}})(?(bracket)\]:?|:)\s+(?=[A-Za-z\d'\"])"
)


def cross_mark_of(text: str) -> str | None:
    """The one line that a text is, where it begins with a cross and holds no tick; None for every other text."""
    line = text.strip()
    if len(line) > _LINE_CAP or "\n" in line or any(tick in line for tick in _CHECKS):
        return None
    return line if _CROSS.match(line) else None


def coded_mark_of(text: str) -> tuple[str, Code] | None:
    """A known code in capitals at the beginning (`[PERMISSION_DENIED] …`, `NOT_FOUND: …`), with the code it means."""
    hit = _CODED.match(text[:200])
    if hit is None or (hit.group("bracket") is None and "\n" in text.strip()):
        return None
    code = code_of(hit.group("code"))
    return (hit.group(0).strip(), code) if code is not None else None


_STATUS_LINE = re.compile(
    r"\s*(?:HTTP(?:/\d(?:\.\d)?)?\s+)?(?:Error\s+)?([45]\d\d)\s*[:\s-]\s*([A-Z][A-Za-z' -]{3,40})"
)
_CLIENT = re.compile(
    r"\s*(?:(?:Client|Server) error '(?P<httpx>[45]\d\d) [^']{2,40}' for url"
    r"|(?P<requests>[45]\d\d) (?:Client|Server) Error: .{0,80} for url"
    r"|Request failed with status code (?P<axios>[45]\d\d)|HTTP Error (?P<urllib>[45]\d\d): "
    r"|HTTP (?:(?:error|status)[ :]{1,3})?(?P<plain>[45]\d\d)(?=[:,.)]|$| [A-Z-])"
    r"|status_?code\s?[:=]\s?(?P<label>[45]\d\d)\b"
    r"|(?P<envoy>upstream connect error or disconnect/reset before headers|no healthy upstream"
    r"|upstream request timeout)"
    r"|<HttpError (?P<gapi>[45]\d\d) when requesting "  # googleapiclient
    r"|Error code: (?P<code>[45]\d\d)\b|(?P<google>[45]\d\d) [A-Z][A-Z_]{4,40}\. "
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


_GO = re.compile(r"[^\n]{0,120}\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) https?://\S{1,250}: (?P<go>[45]\d\d) ")
_TELLING = (" returned ", " responded ", " answered ", " replied ")
_TOLD = re.compile(
    r"\s*(?:[\w.'-]{1,30} ){1,5}(?:returned|responded with|answered with|replied with) (?:an? )?"
    r"(?:HTTP |status |error |code ){1,3}(?P<told>[45]\d\d)\b"
)


_LAST_ERROR = re.compile(r"(?:error|fatal|ERROR|FATAL): \S.{0,300}")
_ASIDES = ("hint: ", "note: ", "warning: ")


def last_error_of(text: str) -> str | None:
    """The line `error: …` or `fatal: …` with which a program's output of a few lines ends, its hints left out."""
    lines = [line for line in text[-_HEAD:].rstrip().split("\n") if line.strip() and not line.startswith(_ASIDES)]
    return lines[-1][:120] if len(lines) > 1 and _LAST_ERROR.fullmatch(lines[-1]) else None


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
    if client is None:
        return _library_error(head)
    number_text = client.group(client.lastgroup or 0)
    code = code_of_http(int(number_text)) if number_text.isdigit() else Code.UNAVAILABLE
    return client.group(0).strip()[:120], code


def _library_error(head: str) -> tuple[str, Code | None] | None:
    """The errors of gRPC and of the AWS libraries, which name their code."""
    rpc = _RPC.match(head)
    if rpc is not None:
        return rpc.group(0).strip()[:120], code_of(rpc.group(rpc.lastgroup or 0))
    boto = _BOTO.match(head)
    return (boto.group(0).strip()[:120], code_of_class(boto.group("code"))) if boto is not None else None


def program_line_of(text: str) -> tuple[str, Code] | None:
    """`cat: /x: No such file or directory`: the one line of a program, ending in a text of `strerror`."""
    line = text.strip()
    if len(line) > _LINE_CAP or "\n" in line or ": " not in line:
        return None
    hit = _PROGRAM_LINE.fullmatch(line)
    code = _STRERROR.get(hit.group("reason").lower()) if hit is not None else None
    return (line[:120], code) if code is not None else None
