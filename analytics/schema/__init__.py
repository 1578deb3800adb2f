"""The tables of the store as SQL files, and the version of their shape with the reason for each step.

`tables/_order` is the order of creation; a file and its name there must match both ways. A change of shape is one more
step in `HISTORY`: the files under `tables/` always make the newest shape, and `migrations/<version>.sql` brings a file
of the version before up to that step. Added columns must be nullable or have a default: older rows keep their meaning.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

HISTORY: tuple[tuple[int, str], ...] = (
    (1, "The first shape: day tables of spans and logs, judged calls, rollups"),
    (2, "A correction may name the code, and can be taken back; a call keeps its turn"),
)
"""(version, why it was raised), oldest first."""

SCHEMA_VERSION = HISTORY[-1][0]
"""The shape that this release reads and writes; a file of a newer one is refused."""


class SchemaError(Exception):
    """The schema files contradict their manifest."""


@cache
def tables() -> dict[str, str]:
    """The CREATE TABLE statement of every table, by name, in order of creation.

    Raises:
        SchemaError: a file is missing from the manifest or the other way round.
    """
    folder = files(__name__) / "tables"
    order = [line for line in (folder / "_order").read_text("utf-8").split("\n") if line and not line.startswith("#")]
    present = {entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql")}
    if present != set(order) or len(order) != len(present):
        raise SchemaError(f"tables/_order and tables/*.sql differ: {sorted(present.symmetric_difference(order))}")
    return {name: (folder / f"{name}.sql").read_text("utf-8") for name in order}


@cache
def migration(version: int) -> str:
    """The statements that lead from the shape before `version` to it; empty where a step changes no table."""
    file = files(__name__) / "migrations" / f"{version}.sql"
    return file.read_text("utf-8") if file.is_file() else ""
