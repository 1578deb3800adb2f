"""The questions of the alert rules: SQL files beside this module, with their shared fragments put in."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

FRAGMENTS = ("timely", "mended", "signals", "hits")
"""Files that stand for `{name}` inside others."""


@cache
def sql(name: str) -> str:
    """The text of one question, ready for `Store.read`."""
    text = _file(name)
    for fragment in FRAGMENTS:
        text = text.replace(f"{{{fragment}}}", f"\n{_file(fragment)}")
    return text


@cache
def names() -> list[str]:
    """Every question, fragments left out."""
    found = (entry.name.removesuffix(".sql") for entry in (files(__package__) / "sql").iterdir())
    return sorted(name for name in found if name not in FRAGMENTS)


def _file(name: str) -> str:
    return (files(__package__) / "sql" / f"{name}.sql").read_text("utf-8")
