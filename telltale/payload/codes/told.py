"""The code of an error that a failing text names further on: a class, or a name in the form of codes.

Asked only of calls that are known to have failed, where the beginning of the text told no code.
"""

from __future__ import annotations

import re

from telltale.payload.codes.databases import database_error_of
from telltale.payload.codes.infer import code_of_class
from telltale.vocabulary import Code

_NAMED_CLASS = re.compile(r"(?<![\w./])(?:[a-z_]\w{0,30}\.){0,4}([A-Z]\w{0,60}(?:Error|Exception))(?=\W|$)")
_MOST_CLASSES = 5


def code_of_named_class(text: str) -> Code | None:
    """The code of the first exception class that a failing text names near its beginning, where one tells it."""
    head = text[:_NAMED_IN]
    if head.find("Error", 1) < 0 and head.find("Exception", 1) < 0:
        return None
    for hit in list(_NAMED_CLASS.finditer(head))[:_MOST_CLASSES]:
        said = database_error_of(text[hit.end() + 1 :]) if text[hit.end() : hit.end() + 2] in (") ", ": ") else None
        code = said[1] if said is not None else code_of_class(hit.group(1))
        if code is not None and code is not Code.INTERNAL:
            return code
    return None


_NAMED_IN = 300
_TOLD_NAME = re.compile(
    r"(?:[:=] ?|[\[(\"'`])([a-z][a-z\d]*(?:_[a-z\d]+)+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)(?=[\])\"'`.,:;]| - |\s*$)"
)
_LAST_NAME = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+")


def code_of_told_name(text: str) -> Code | None:
    """The code of the first error name that a text tells after a colon or in brackets: `…: channel_not_found`."""
    head = text[:_NAMED_IN]
    names = [hit.group(1) for hit in _TOLD_NAME.finditer(head)] if "_" in head else []
    last = head.rpartition(": ")[2].strip()
    if len(last) <= _LONGEST_NAME and _LAST_NAME.fullmatch(last) is not None:
        names.append(last)
    for name in names:
        code = code_of_class(name)
        if code is not None and code is not Code.INTERNAL:
            return code
    return None


_LONGEST_NAME = 60
