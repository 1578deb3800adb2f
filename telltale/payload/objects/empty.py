"""Whether a result holds nothing: `[]`, `null`, `""`, `{"results": [], "count": 0}`, a heading without a body."""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.words import words

_EMPTY_TEXTS = frozenset(
    {"", "null", "none", "nil", "undefined", "[]", "{}", "()", "''", '""', "n/a", "(no output)", "(empty)", "<empty>"}
)
_FRAME_KEYS = words(
    """
    query q search term text page page_size pagesize per_page limit offset total total_count totalcount count
    size next previous prev cursor next_cursor nextcursor has_more hasmore status ok success message took
    duration duration_ms elapsed elapsed_ms request_id requestid timestamp state number_of_results numberofresults
    num_results result_count results_count total_results totalresults provider engine source index collection
    namespace language locale region sort order search_type object kind relation next_page previous_page max_score
    start_at startat max_results maxresults
    """
)
_BESIDE_KEYS = words("query q search search_query searchquery filter filters params parameters request _shards shards")
"""Under these stands what was asked, or how it was looked for; whatever they hold, it is no part of the answer."""

_BESIDE_OR_FRAME = _BESIDE_KEYS | _FRAME_KEYS
_RUN_IDS = re.compile(r"(?:thread|session|request|run|trace|conversation|correlation)_?id$", re.IGNORECASE)
"""Keys that name the run that answered, and nothing of the answer: `subAgentThreadId`."""

_MAX_DEPTH = 4


def is_frame(key: str) -> bool:
    """Whether a key only frames an answer: a query, a page, a count."""
    return key.lower() in _FRAME_KEYS


def is_empty(value: Any, depth: int = 0) -> bool:
    """Whether a result holds no answer; numbers and true/false are answers, an object of empty lists is none."""
    if value is None:
        return True
    if isinstance(value, str):
        return _is_empty_text(value)
    if isinstance(value, list):
        return not value or (depth < _MAX_DEPTH and _are_empty(value, depth))
    if isinstance(value, dict):
        return not value or (depth < _MAX_DEPTH and len(value) <= 40 and _is_empty_object(value, depth))
    return False


def without_echo(value: Any, arguments: Any) -> Any:
    """An object without the values that the caller had sent: `{"path": "a.md", "content": ""}` answers nothing."""
    if (
        type(value) is not dict
        or type(arguments) is not dict
        or (len(value) < 2 and type(next(iter(value.values()), None)) is not list)
    ):
        return value
    said = _said(arguments)
    rest = {key: _less(inner, said) for key, inner in value.items() if inner not in said}
    counted = any(type(inner) in (int, float) and inner for inner in rest.values())
    return value if counted or not rest else rest


def _said(arguments: dict[str, Any]) -> list[str]:
    """The texts that a call gave, those in a list included."""
    said: list[str] = []
    for inner in list(arguments.values())[:_MOST_ITEMS]:
        said += [
            text for text in (inner[:_MOST_ITEMS] if isinstance(inner, list) else (inner,)) if isinstance(text, str)
        ]
    return [text for text in said if text]


def _less(inner: Any, said: list[str]) -> Any:
    """A list of objects without what the caller had sent: `[{"url": "…", "content": ""}]` of a page that was sent."""
    if type(inner) is not list or not 0 < len(inner) <= _MOST_ITEMS or not said:
        return inner
    return [
        {key: held for key, held in item.items() if held not in said} if type(item) is dict else item for item in inner
    ]


def _are_empty(items: list[Any], depth: int) -> bool:
    """One empty item; or, of several, nothing but empty objects: an empty answer to each of several questions."""
    if len(items) == 1:
        return is_empty(items[0], depth + 1)
    if len(items) > _MOST_ITEMS:
        return False
    for item in items:  # noqa: SIM110
        if type(item) is not dict or (item and not _is_empty_object(item, depth + 1)):
            return False
    return True


_MOST_ITEMS = 50


def _is_empty_text(text: str) -> bool:
    if len(text) <= 12:
        return text.strip().lower() in _EMPTY_TEXTS
    if text[0] == "#" and len(text) < 2000:
        return _is_only_headed(text)
    if len(text) >= 4096:
        return False
    if len(text) <= _MOST_LABELLED and ":" in text and _is_only_labels(text):
        return True
    if text[0] == "<" and text.rstrip()[-1:] == ">":
        return _HOLLOW_ELEMENT.fullmatch(text.rstrip()) is not None
    return not text.strip()


def _is_only_headed(text: str) -> bool:
    """Headings with nothing below; or, below them, the facts of a file in a list and a block of code with no line."""
    bare = _EMPTY_FENCE.sub("", text)
    listed = ("#", "-", "*") if len(bare) < len(text) else ("#",)
    return all(not line or line.startswith(listed) for line in map(str.strip, bare.split("\n")))


_EMPTY_FENCE = re.compile(r"^```\w{0,20}[ \t]*\n\s{0,200}```[ \t]*$", re.MULTILINE)


def _is_only_labels(text: str) -> bool:
    """Labels with nothing behind them: `Execution result:`, a line that says `undefined`, `Console output:`."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if any(_ZERO.fullmatch(line) for line in lines):  # `Rows: 0`, below a heading
        return all(_ZERO.fullmatch(line) is not None or line[0] in "#*" or line[-1] == ":" for line in lines)
    return all(line[-1] == ":" or line.lower() in _EMPTY_TEXTS for line in lines) and lines[0][-1] == ":"


_ZERO = re.compile(r"[A-Za-z][\w ]{0,40}: 0(?:\.0+)?(?: [a-z]{1,12})?")


_MOST_LABELLED = 200
_HOLLOW_ELEMENT = re.compile(r"<([A-Za-z_][\w-]{0,40})>\s*</\1>")
"""A frame that was to hold the answer, and holds none: `<task_result></task_result>`."""


def _is_empty_object(value: dict[str, Any], depth: int) -> bool:
    """An object is empty if it holds an empty list, object, text or null, and beside that nothing but its frame."""
    hollow = False
    for key, inner in value.items():
        if inner is None or isinstance(inner, list | dict):
            if is_empty(inner, depth + 1):
                hollow = True
            elif key.lower() not in _BESIDE_OR_FRAME or not _is_beside(key, inner):
                return False
        elif isinstance(inner, str):
            if not inner:
                hollow = True
            elif key.lower() not in _FRAME_KEYS and _RUN_IDS.search(key) is None:
                return False
        elif inner and key.lower() not in _FRAME_KEYS and not (inner is True and _tells_of_a_lack(key)):
            return False
    return hollow


def _tells_of_a_lack(key: str) -> bool:
    """Whether a flag says of the look-up that it is over, or that the answer is not a whole one: `index_stale`."""
    return not _LACKS.isdisjoint(_KEY_WORD.findall(key.lower()))


_LACKS = words(
    "completed finished fetched searched scanned crawled"
    " degraded partial incomplete stale fallback truncated timedout skipped"
)
_KEY_WORD = re.compile(r"[a-z]+")


def _is_beside(key: str, inner: Any) -> bool:
    """Whether a value repeats what was asked, or counts nothing: `"total": {"value": 0, "relation": "eq"}`."""
    if key.lower() in _BESIDE_KEYS:
        return True
    counted = isinstance(inner, dict) and is_frame(key)
    return counted and not any(type(number) in (int, float) and number for number in inner.values())
