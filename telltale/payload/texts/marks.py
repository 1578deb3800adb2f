"""The error marks with which a text can begin, and the endings that show a program's failure.

A mark is a form that programs write (`ValueError:`, `Error executing tool x`, `fatal:`, `Traceback …:`, `ENOENT:`,
`curl: (6)`), not a word. It counts only at the very beginning of the whole text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from telltale.payload.codes.databases import database_error_of
from telltale.payload.codes.infer import ERRNO, code_of_class, code_of_sqlstate
from telltale.payload.words import DRESS, holds_any
from telltale.vocabulary import Code

_ASIDE = r"(?:\s?[\[(][^\])\n]{0,80}[\])])?"
_KINDS = (
    "fatal|internal|unexpected|tool|execution|runtime|mcp|api|http|network|validation|system|server|client|request"
    "|invocation|invoke|database|db|sql|syntax|parse|parsing|connection|timeout|auth|authentication|authorization"
    "|permission|io|os|input|argument|script|command|process|unhandled|uncaught|critical|call|function|query|catalog"
    "|binder|parser|conversion|constraint|compilation"
)
_COMPOUNDS = "handling|logging|reporting|tracking|budgeting|messaging|checking|correcting|monitoring|signaling"
_CLASS = re.compile(
    rf"{DRESS}(?P<mark>(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w.$]{{0,120}}(?:\.|::))?"
    r"(?P<klass>[A-Z]\w{0,80}?(?:Error|Exception|Fault)|[a-z]\w{0,30}(?:\.[a-z_]\w{0,30}){1,6}\.[A-Z]\w{0,80})"
    rf"{_ASIDE}:)(?=\s|$)"
)
_WORD = re.compile(
    rf"{DRESS}(?P<mark>(?:(?:{_KINDS}) ){{0,2}}(?:err(?:or)?|exception|fatal|failure|panic"
    rf"|failed(?: with [\w ]{{1,40}})?)"
    rf"(?:(?: code)?\s-?\d{{1,6}})?{_ASIDE}\*{{0,2}}\s?:)(?=\s|$|[\"'{{<])(?!\s*(?:0|none|null)\b)"
    rf"|{DRESS}(?P<doing>(?:errors? (?:while |when |occurr?ed while )?"
    rf"|exceptions? (?:while |when |during ))(?!{_COMPOUNDS})[a-z]{{2,20}}ing\b"
    rf"(?= (?:the )?(?:mcp )?(?:{_KINDS}|tool)\b|[^:\n]{{0,80}}[:'\"]"
    r"|[^:\n]{0,80}\n\s*(?:error|caused by|details|reason|message)\b[^:\n]{0,30}:))"
    rf"|{DRESS}(?P<within>error (?:in|during|on|from|with|occurr?ed in) (?:the |your )?(?:{_KINDS}|code|step|node)\b"
    r"[^:\n]{0,60}:|error (?:in|during) \w{3,30}:)",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\s*(?P<mark>Traceback \(most recent call last\):|thread '[^']{1,60}' panicked at|npm (?:ERR!|error) "
    r"|SQLSTATE\[\w{5}\]|ORA-\d{5}:|Msg \d{1,6}, Level \d|Error response from daemon:|make(?:\[\d\])?: \*\*\* "
    r"|(?:\(error\) )?(?:ERR|WRONGTYPE|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK|READONLY|LOADING|OOM|BUSY|NOSCRIPT|EXECABORT"
    r"|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS) (?=[A-Za-z\d'])"  # Redis serialization protocol
    r"|(?:<br ?/?>\s*)?<b>(?:Fatal|Parse|Recoverable fatal) error</b>:|PHP (?:Fatal|Parse) error: "  # php, html_errors
    r"|Exception in thread \"[^\"\n]{1,80}\" (?=[\w.$]+(?:Error|Exception))"  # java
    r"|Can't locate [\w/:.]{1,80} in @INC"  # perl
    r"|Code: \d{1,4}\. DB::\w{0,30}Exception:|SQL\d{4,5}N  (?=\S)|\w{3,40}: Error from server: code=[\da-f]{4} \["
    r"|(?:node:)?[\w./-]{1,200}:\d{1,6}\n[^\n]{0,200}\n[ \t]{0,80}\^{1,80}\n"  # node, with the line that threw
    r"|\*\* BUILD FAILED \*\*|[\w./\\-]{1,200}\(\d{1,6},\d{1,6}\): error [A-Z]{2,6}\d{3,5}: "  # xcodebuild, MSBuild
    r"|b?'?\[AUTHENTICATIONFAILED\] |\([45]\d\d, b'|[45]\d\d[ -][45]\.(?P<smtp>\d)\.\d{1,3} "  # IMAP, SMTP (RFC 3463)
    r"|(?:page|frame|locator|browser|browserContext|browserType|elementHandle|mouse|keyboard)\.[a-z]\w{1,30}: (?=\S)"
    r"|Timeout \d{2,7}ms exceeded\.\s|Navigation failed because \w"  # Playwright
    r"|\d{1,3} out of \d{1,3} hunks? FAILED"  # patch
    r"|\{\s?\"errors?\"\s?:\s?[\"{\[](?=[\w\"{ ])"  # an error object that was cut
    r"|E: (?=(?:Unable|Could not|Failed|Invalid|The|Package|Sub-process|Malformed|Conflicting|Problem|You) )"  # apt
    r"|\{:error, (?=[\"%:{\w])|Failure\[\"\w{1,60}\", <\|"  # a tuple of Elixir, an object of Wolfram Language
    r"|\d{1,3} validation errors?(?: for [\w.\[\], ]{1,80})?:?\n(?=```json|\S[^\n]{0,80}\n  )"  # pydantic
    r"|net::ERR_[A-Z_]{3,40}\b|NS_ERROR_[A-Z_]{3,40}\b"  # Chromium's and Firefox's names of network errors
    r"|-32\d{3}: |\[Errno -?\d{1,5}\] |(?:\*\* )?\((?:\w{1,40}\.){1,4}\w{1,60}(?:Error|Exception)\) "
    r"|\*\* \([A-Z]\w{1,60}(?:Error|Exception)\) |(?P<errno>E[A-Z_]{3,24}): "
    r"|\d{3,6} \((?P<state>[0-9A-Z]{5})\): "
    r"|[a-z][\w.-]{0,20}: (?:(?:error|fatal|fatal error|\(\d{1,3}\))(?=[: ])|Error(?=:)"
    r"|Error response from daemon:))"
)
_CHAINED = re.compile(
    rf"{DRESS}(?P<mark>(?:[a-z]{{2,20}}ing"
    r"|(?:command|request|query|call|operation) (?:failed|rejected|denied|refused))"
    rf"(?: [\w.'\"`/-]{{1,40}}){{0,5}}: (?:(?:{_KINDS}) ){{0,2}}error\b[^:\n]{{0,60}}:)",
    re.IGNORECASE,
)
"""An error with what was being done before it, as programs chain them: `parsing start time: syntax error: …`."""

_REPR = re.compile(
    r"\s*(?:[a-z_]\w{0,30}\.){0,4}(?P<klass>[A-Z]\w{0,60}(?:Error|Exception))"
    r"(?:\((?:[\"'\w].*)?\)|\{\w{1,30}=.*\})\s*|\s*Err\([\"'\w].*\)\s*",
    re.DOTALL,
)
"""An exception as Python or C++ writes it out (`HTTPError('401 …')`, `KafkaError{code=…}`); all of a text."""

_FAILED_WITH = re.compile(
    rf"{DRESS}(?:(?:there (?:was|has been)|(?:(?:we|i|it) )?(?:encountered|got|received|hit)) an? "
    rf"(?:\w+ ){{0,2}}error\b[^:\n]{{0,60}}:(?=\s)"
    r"|got (?:an )?error from [\w.'-]{1,30}(?: [\w.'-]{1,30}){0,2}:(?=\s)"
    r"|(?:[\w.'-]{1,30} ){1,4}(?:returned|responded with|raised|threw) (?:an?|the following) (?:\w+ ){0,2}"
    r"(?:error|exception)\b[^:\n]{0,60}: (?=[{\[\"']|HTTP\b|E[A-Z]{3,}\b|error\b|[\w.]*(?:Error|Exception)\b)"
    r"|(?:the )?(?:[\w.-]{1,30} ){0,2}(?:api|server|service|backend|upstream|endpoint)"
    r" (?:returned|responded with) an error: "
    r"|(?:[\w.'-]{1,30} ){1,5}failed"
    r"(?: with (?:an? )?(?:(?:[\w.-]{1,30} ){0,3}(?:error|exception)|status|code|http)\b[^:\n]{0,30}:"
    r"|(?: after [\w ]{1,30})?: (?=[{\[]|HTTP\b|[45]\d\d\b|E[A-Z]{3,}\b|[\w.]*(?:Error|Exception)\b)"
    r"| [(\[](?:[A-Za-z]+(?:[_.-][A-Za-z\d]+)+|[45]\d\d|-32\d{3})[)\]]: )"
    r"|(?:(?:an? |the following )?(?:unexpected |unknown |internal )?(?:errors?|exception) (?:has |have |was |were )?"
    r"(?:occurr?ed|raised|thrown|happened)(?: [a-z](?:[^:\n(\d.]|\.(?=\S)){1,50})?"
    r"|something went wrong(?: [a-z][^:\n(\d]{1,50})?):(?=[\s'\"<(\[{A-Z])"
    r"|an? (?:\w+ )?(?:error|exception) (?:has )?occurr?ed while [a-z]{2,20}ing [^.:\n]{1,60}\."
    r"(?: [^.:\n]{1,80}\.)? (?:error|reason|details):(?=\s))",
    re.IGNORECASE,
)
"""What failed, with what came of it: `LLM call failed with error: …`, `Analysis failed: {…}`, `An error occurred: …`"""

_CLOSED = re.compile(
    r"[a-z][^\n]{3,300} \((?:(?:[A-Z]\w{0,40}::){0,4}(?P<klass>[A-Z]\w{0,60}(?:Error|Exception))"
    r"|[Ee]rror (?P<name>[A-Z]{2,20}(?:_[A-Z]{2,20}){1,6}))\)\s*"
)
_LONGEST_CLOSED = 400
"""An exception as Ruby prints it, its class in brackets at the end of the one line; or so a name of an error."""

_CAUSED = re.compile(r"[^\n]{1,300}\n\nCaused by:\n\s{1,8}\S")
"""A chain of errors as Rust's libraries print it."""

_OUTCOMES = ("ailed", "occurred", "occured", "raised", "thrown", "happened", " wrong", " error")
_LEADS = ("rror", "xception", "ailure", "RROR", "XCEPTION", "AILURE")
_SERVICE = re.compile(
    rf"{DRESS}(?P<mark>(?:[A-Z][\w.-]{{1,30}} ){{1,2}}(?i:api|http|network|database|db|sql|server|client|connection"
    rf"|auth|authentication|authorization|request|service|validation) (?i:error|exception|failure){_ASIDE}:"
    rf"|(?:[\w.-]{{1,30}} ){{1,3}}(?i:error) \(?[45]\d\d\)?:"
    rf"|(?:[\w.-]{{1,30}} ){{1,2}}(?i:error):(?= [A-Z]\w{{0,60}}(?:Error|Exception)\b)"
    rf"|[A-Z][\w.-]{{1,30}} (?i:exception):(?=[^\n]{{0,120}}(?:\bHTTP\b|[a-z](?:Error|Exception)\b|\b[45]\d\d\b))"
    rf"|Error (?:[A-Z][a-z]{{1,20}}){{2,6}}:|Exception \([45]\d\d\) Reason:"
    r"|(?:[\w.-]{1,30} ){0,2}(?i:error) [(\[][45]\d\d[)\]]\*\*\s*\n)(?=\s|\w)"
)
"""A service's name before the mark: `Stripe API error (429): …`."""

_FOREIGN = re.compile(
    rf"{DRESS}(?P<mark>(?:(?:Error (?:al|en|de|del|durante)\b"
    r"|Fehler|Erreur|Errore|Erro|Fout|Ошибка|Błąd|Hata|Lỗi"
    rf"|Falha (?:ao|na|no)|Fallo (?:al|en)|Échec (?:de|du|lors)|Сбой)\b|エラー|错误|錯誤|오류)[^:：\n]{{0,60}}[:：]"
    r"|[^\W\da-zA-Z][^:：\n]{0,14}(?:出错|出錯|失败|失敗|错误|錯誤|エラー|오류|실패)[^:：\n]{0,4}[:：])"
)
"""The same mark in other languages: their word for "error", or in CJK scripts "… failed", before a colon."""

_PLAIN = re.compile(rf"{DRESS}(?:error|fatal|exception|failure|panic):", re.IGNORECASE)
"""The plainest mark, which no other form can precede."""

_FIRST = re.compile(rf"{DRESS}(?P<word>[A-Za-z_][\w.$]{{0,200}}(?:::\w{{1,80}}){{0,4}})")
_HEAD = 1000
_LONGEST_REPR = 2000
_WORDS = frozenset(f"{_KINDS}|error|err|exception|fatal|failure|panic|failed|errors".split("|"))


@dataclass(slots=True, frozen=True)
class TextMark:
    """A mark at the beginning of a text; `bare` where nothing follows it, `code` where its class or number tells."""

    text: str
    bare: bool
    code: Code | None


_last: list[tuple[str, TextMark | None]] = [("", None)]
"""The last text that was asked about: of a failed call several rules ask for the mark of one and the same text."""


def mark_of(text: str) -> TextMark | None:
    """The error mark that a text begins with; None for every other text."""
    known, mark = _last[0]
    if known is text:
        return mark
    mark = _mark_of(text)
    _last[0] = (text, mark)
    return mark


def bears_mark(argument: str) -> bool:
    """Whether what a caller sent begins with a mark; cheap for arguments without any sign that marks are made of."""
    return holds_any(argument, _SIGNS) and _mark_of(argument) is not None


_SIGNS = (":", "：", "(", "[", "!")


def _mark_of(text: str) -> TextMark | None:
    head = text[:_HEAD]
    plain = _PLAIN.match(head)
    if plain is not None:
        hit = _WORD.match(head)
        if hit is not None and hit.group("mark") is not None:
            return TextMark(hit.group("mark"), hit.end() >= len(text.rstrip()), None)
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


def _led(text: str, head: str) -> TextMark | None:
    """A mark in another language or form, or with a service or a deed named before it."""
    foreign = _FOREIGN.match(head)
    if foreign is not None:
        return TextMark(foreign.group("mark"), foreign.end() >= len(text.rstrip()), None)
    if len(text) <= _LONGEST_REPR and text.rstrip()[-1:] in (")", "}"):
        written = _REPR.fullmatch(text)
        if written is not None:
            klass = written.group("klass")
            return TextMark(klass or "Err(", False, code_of_class(klass) if klass else None)
    if text.rstrip()[-1:] == ")" or "\n\nCaused by:\n" in head:
        closed = _CLOSED.fullmatch(text) if len(text) <= _LONGEST_CLOSED else None
        if closed is not None:
            named = closed.group("klass") or closed.group("name")
            return TextMark(named, False, code_of_class(named))
        caused = _CAUSED.match(head)
        if caused is not None:
            return TextMark(caused.group(0)[:120], False, None)
    chained = (_CHAINED.match(head) or _SERVICE.match(head)) if holds_any(head[:400], _LEADS) else None
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
    subject = hit.group("smtp")
    if subject is not None:
        return TextMark(hit.group("mark").strip(), False, _SMTP.get(subject))
    errno = hit.group("errno")
    if errno is not None and errno not in ERRNO:
        return None
    return TextMark(hit.group("mark").strip(), False, ERRNO.get(errno) if errno else None)


_SMTP = {"1": Code.NOT_FOUND, "3": Code.UNAVAILABLE, "4": Code.UNAVAILABLE, "7": Code.PERMISSION_DENIED}
"""What the second number of an enhanced status code is about (RFC 3463, section 3): addressing, network, policy."""

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
