"""The messages with which database engines refuse a statement, as they begin; each engine's own fixed form.

SQLite (`sqlite3.c`, parse.y), PostgreSQL (`parse_relation.c` and its kin), MySQL (errmsg-utf8.txt), SQL Server
(sys.messages 208, 207). Whole phrases with the place for a name, no words.
"""

from __future__ import annotations

import re

from telltale.payload.words import holds_any
from telltale.vocabulary import Code

_ANCHORS = ("no such ", "syntax error", "constraint failed", "does not exist", "Unknown ", "doesn't exist")
_MORE_ANCHORS = ("SQL syntax", "Invalid ", "database is locked", "violates ", "no column named", "foreign key")
_FORMS = re.compile(
    r"\s*(?:\(\d{3,5}, [\"'])?"  # the number and the message, as drivers in Python raise them
    r"(?:(?P<missing>no such (?:column|table|function|module|index|savepoint): \S{1,80}(?=\s*$| - |\n)"
    r"|(?:relation|column|function|schema|role|database|type) \"?[\w.]{1,100}\"?(?: of relation \"\w{1,80}\")?"
    r" does not exist"
    r"|Unknown (?:column|table|database) '[^'\n]{1,100}'|Table '[^'\n]{1,100}' doesn't exist"
    r"|Invalid (?:object|column) name '[^'\n]{1,100}')"
    r"|(?P<syntax>near \"[^\"\n]{0,80}\": syntax error|syntax error at or near \"|You have an error in your SQL syntax)"
    r"|(?P<conflict>(?:UNIQUE|PRIMARY KEY) constraint failed|duplicate key value violates unique constraint"
    r"|update or delete on table \"\w{1,80}\" violates foreign key|Cannot delete or update a parent row: )"
    r"|(?P<refused>(?:NOT NULL|CHECK|FOREIGN KEY) constraint failed|new row for relation \"\w{1,80}\" violates "
    r"|insert or update on table \"\w{1,80}\" violates foreign key|Cannot add or update a child row: )"
    r"|(?P<unfit>table \S{1,100} has no column named \S{1,80})|(?P<locked>database is locked))"
)
_CODES = {
    "missing": Code.NOT_FOUND,
    "syntax": Code.INVALID_ARGUMENT,
    "conflict": Code.CONFLICT,
    "refused": Code.INVALID_ARGUMENT,
    "unfit": Code.INVALID_ARGUMENT,
    "locked": Code.UNAVAILABLE,
}


def database_error_of(text: str) -> tuple[str, Code] | None:
    """The engine's message that a text begins with, and the code that it means; None for every other text."""
    head = text[:240]
    if not holds_any(head, _ANCHORS) and not holds_any(head, _MORE_ANCHORS):
        return None
    hit = _FORMS.match(head)
    return (hit.group(0).strip()[:120], _CODES[hit.lastgroup or "missing"]) if hit is not None else None
