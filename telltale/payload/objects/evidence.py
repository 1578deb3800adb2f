"""What an error value gives as evidence: its code, and a short form of it for the row."""

from __future__ import annotations

from typing import Any

from telltale.payload.codes.infer import code_of, code_of_class, code_of_number
from telltale.payload.objects.fields import Fields, Role, fields_of, role_of
from telltale.payload.reading import Asked
from telltale.vocabulary import Code

_CODE_KEYS = (
    *("status", "statusCode", "status_code", "code", "type", "kind", "error_code", "name", "reason", "message"),
    *("errorName", "codeName", "category", "Code", "Type", "StatusCode", "Message"),
)
_CODE_ROLES = (Role.HTTP, Role.CODE, Role.ERROR, Role.STATUS)


def code_inside(error: Any, fields: Fields | None = None) -> Code | None:
    """The code that an error value gives: its own code, status or type, else those of the keys beside it."""
    weak: Code | None = None
    sources: list[Any] = []
    if isinstance(error, dict):
        sources += [*_nested(error), *(error.get(key) for key in _CODE_KEYS)]
    elif isinstance(error, str | int):
        sources.append(error)
    if fields is not None:
        for role in _CODE_ROLES:
            sources += [inner for _, inner in fields.get(role)]
    for source in sources:
        if isinstance(source, bool) or source is None:
            continue
        if isinstance(source, int):
            weak = weak or code_of_number(source)
        elif isinstance(source, str) and len(source) <= 80 and " " not in source:
            code = code_of(source) or code_of_class(source)
            if code is not None and code is not Code.INTERNAL:
                return code
            weak = weak or code
    return weak


def _nested(error: dict[str, Any]) -> list[Any]:
    """The codes that an error keeps one level down, nearer to what happened than its own.

    GraphQL's `extensions` (specification, section 7.1.2), tRPC's `data`, and the first of a list of Google's errors.
    """
    if error.keys() == {"json"} and isinstance(error["json"], dict):  # tRPC with a transformer
        error = error["json"]
    found: list[Any] = []
    for name in ("extensions", "data"):
        inner = error.get(name)
        if isinstance(inner, dict):
            found += [inner.get("code"), inner.get("httpStatus")]
    for name in ("errors", "details"):
        inner = error.get(name)
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            found.append(inner[0].get("reason"))
    return found


_TOLD_KEYS = frozenset(
    {"text", "content", "errors", "failures", "failed", "message", "reason", "detail", "details", "warning", "warnings"}
)
_MOST_TEXTS = 12
_MOST_NODES = 60


def told_texts(value: Any) -> list[str]:
    """What an object tells of its failure, nearest first: the texts under its error and message keys, six deep.

    Looks at no more than 60 objects and lists, of a list at its first three items, and gives at most 12 texts.
    """
    texts: list[str] = []
    level: list[tuple[Any, bool]] = [(value, False)]
    visited = 0
    for _ in range(6):
        below: list[tuple[Any, bool]] = []
        for node, within in level:
            visited += 1
            if visited > _MOST_NODES or len(texts) >= _MOST_TEXTS:
                return texts
            if isinstance(node, list):
                below += [(item, within) for item in node[:3] if isinstance(item, dict | list)]
                texts += [item for item in node[:3] if isinstance(item, str) and node is not value]
            elif isinstance(node, dict):
                _texts_of(node, within, texts, below)
        level = below
    return texts


def _texts_of(node: dict[str, Any], within: bool, texts: list[str], below: list[tuple[Any, bool]]) -> None:
    """The texts of one object; `within` an error's own object every text tells of it (`{"errors": {"name": "…"}}`)."""
    for key, inner in list(node.items())[:40]:
        role = role_of(key)
        erring = role in (Role.ERROR, Role.ERRORS)
        tells = within or erring or key in _TOLD_KEYS or role in (Role.MESSAGE, Role.STREAM)
        if isinstance(inner, str):
            if tells and inner.strip():
                texts.append(inner)
        elif isinstance(inner, dict) or (isinstance(inner, list) and (tells or _holds_objects(inner))):
            below.append((inner, within or erring))


def _holds_objects(items: list[Any]) -> bool:
    return bool(items) and isinstance(items[0], dict)


def short(value: Any) -> Any:
    """A value as evidence: text cut to 200 characters, objects by their first keys, so that rows stay small."""
    if isinstance(value, str):
        return value[:200]
    if isinstance(value, dict):
        first = list(value.items())[:8]
        return {str(k)[:40]: v if isinstance(v, bool | int | float) else str_of(v) for k, v in first}
    if isinstance(value, list):
        return [short(v) if not isinstance(v, list) else "…" for v in value[:2]]
    return value


def str_of(value: Any) -> str:
    """A value's beginning as text, without writing out a large one."""
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    return str(value)[:100]


def asks_with_a_code(asked: Asked) -> bool:
    """Whether the caller had sent a code of its own, so that the answer's may be another form of it."""
    return isinstance(asked.arguments, dict) and "code" in asked.arguments


def code_of_parts(value: dict[str, Any]) -> Code | None:
    """The code that the first item tells of the lists in a result, such as those of what failed in a batch."""
    for items in value.values():
        first = items[0] if isinstance(items, list) and items else None
        code = code_inside(first, fields_of(first)) if isinstance(first, dict) else None
        if code is not None:
            return code
    return None
