"""The right name that a wrong one comes nearest to, among the settings of its own section."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None where none is."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return near[0] if near else None


def nearest_beside(settings: type[BaseModel], place: Sequence[str | int]) -> tuple[str, ...] | None:
    """The place of the setting that was meant.

    Args:
        settings: all of them.
        place: where the wrong name stands, from the outermost section to the name itself.
    """
    section: Any = settings
    for part in place[:-1]:
        section = _inside(section, str(part))
    if not _is_section(section):
        return None
    near = nearest(str(place[-1]), section.model_fields)
    return None if near is None else (*map(str, place[:-1]), near)


def _inside(kind: Any, part: str) -> Any:
    """What stands under a name: a field of a section, or a value of a table such as `[tools.NAME]`."""
    if _is_section(kind):
        field = kind.model_fields.get(part)
        return None if field is None else field.annotation
    return next((each for each in get_args(kind) if _is_section(each)), None)


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
