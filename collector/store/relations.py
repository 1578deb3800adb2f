"""Day tables: their names, and the relation that `{span}` or `{log}` in a question stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from analytics.store import Scope

NS_PER_DAY = 86_400_000_000_000

PLACE = re.compile(r"\{(span|log)\}")
"""Where a question names the union of day tables."""

_PARAMETER = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(slots=True, frozen=True)
class DayTable:
    """One table of spans or logs: of a project, received on one UTC day (days since 1970).

    It holds arrival numbers from `first_seq` to `last_seq` (others of that range may lie elsewhere), and rows with
    times from `first_time` to `last_time`.
    """

    name: str
    kind: str
    project: str
    day: int
    first_seq: int
    last_seq: int = 0
    first_time: int = 2**63 - 1
    last_time: int = 0


def project_key(project: str) -> str:
    """A table-name part for any project name: itself where it is plain, else folded and told apart by a hash."""
    folded = re.sub(r"[^a-z0-9]+", "_", project.lower())[:24].strip("_")
    if folded and folded == project:
        return folded
    return f"{folded or 'p'}_{blake2b(project.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def table_name(kind: str, project: str, day: int) -> str:
    """`span_<project>_<yyyymmdd>`."""
    date = _civil(day)
    return f"{kind}_{project_key(project)}_{date}"


def _civil(day: int) -> str:
    from datetime import date, timedelta

    return (date(1970, 1, 1) + timedelta(days=max(0, min(day, 2_900_000)))).strftime("%Y%m%d")


def relation(kind: str, tables: Iterable[DayTable], scope: Scope | None) -> str:
    """SQL for all rows of `kind` that the scope can touch; without a scope, of every project and day."""
    names = [table.name for table in tables if table.kind == kind and _touches(table, scope)]
    if not names:
        names = [kind]
    return "(" + " UNION ALL ".join(f'FROM "{name}"' for name in names) + ")"


def _touches(table: DayTable, scope: Scope | None) -> bool:
    if scope is None:
        return True
    if table.project != scope.project:
        return False
    first, after = table.day * NS_PER_DAY, (table.day + 1) * NS_PER_DAY
    if scope.received_from_ns is not None and after <= scope.received_from_ns:
        return False
    return scope.received_to_ns is None or first <= scope.received_to_ns


def substitute(sql: str, tables: Iterable[DayTable], scope: Scope | None) -> str:
    """`sql` with `{span}` and `{log}` replaced; nothing else in braces is touched."""
    if "{" not in sql:
        return sql
    known = list(tables)
    return PLACE.sub(lambda place: relation(place.group(1), known, scope), sql)


def named(sql: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Those of the parameters that the statement names: DuckDB refuses any other."""
    if not params:
        return {}
    wanted = set(_PARAMETER.findall(sql))
    return {name: value for name, value in params.items() if name in wanted}
