"""Failed calls by tool and code: the counts of the API laid out as a table whose cells open their calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dashboard import links, tables, words
from dashboard.untrusted import plain
from dashboard.view import View
from telltale.vocabulary import Code, Outcome

SHOWN = 200
"""The most tools in the table, those with the most failures; the filters find the others."""

_RGB = {
    Outcome.STRUCTURED_ERROR: "240, 161, 60",
    Outcome.UNSTRUCTURED_ERROR: "255, 107, 99",
    Outcome.SILENT_FAILURE: "160, 110, 255",
}


@dataclass(slots=True)
class Matrix:
    """Failed calls of each tool and code by outcome, and of each tool in all."""

    cells: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Matrix:
        """From the rows of `tools-codes`."""
        made = cls()
        for row in rows:
            tool, code, calls = str(row["tool"]), str(row["code"]), int(row["calls"])
            made.totals[tool] += calls
            made.cells.setdefault((tool, code), Counter())[str(row["outcome"])] += calls
        return made

    def tools(self) -> list[str]:
        """The tools shown, those with the most failures first."""
        return [tool for tool, _ in self.totals.most_common(SHOWN)]

    def codes(self) -> list[str]:
        """The codes that occur: the closed ones in their order, then any other."""
        seen = {code for _, code in self.cells}
        known = [str(code) for code in Code]
        return [code for code in known if code in seen] + sorted(seen.difference(known))


def draw(matrix: Matrix, view: View) -> None:
    """Show the table."""
    tools, codes = matrix.tools(), matrix.codes()
    heads = {code: plain(code, 40) for code in codes}
    columns: dict[str, list[Any]] = {
        "tool": [plain(tool) for tool in tools],
        "all": [matrix.totals[tool] for tool in tools],
    }
    for code in codes:
        columns[heads[code]] = [cell_text(matrix.cells.get((tool, code))) for tool in tools]
    most = max(sum(cell.values()) for cell in matrix.cells.values())
    targets: dict[Any, tables.Target] = {}
    shade: dict[tuple[int, str], str] = {}
    for n, tool in enumerate(tools):
        of_tool = view.query(tool=tool, outcome=links.failing(view))
        targets[n] = ("calls", of_tool)
        for code in codes:
            cell = matrix.cells.get((tool, code))
            if cell:
                targets[n, heads[code]] = ("calls", {**of_tool, "code": links.code_filter(code)})
                shade[n, heads[code]] = cell_tone(cell, most)
    alt = "Failed calls by tool and code"
    tables.opening(pd.DataFrame(columns), "matrix", targets, alt=alt, shade=shade)


def cell_text(cell: Mapping[str, int] | None) -> str:
    """The counts of each outcome behind its sign, so that colour alone never tells."""
    return "  ".join(f"{words.look(outcome).glyph} {calls}" for outcome in _RGB if (calls := (cell or {}).get(outcome)))


def cell_tone(cell: Mapping[str, int], most: int) -> str:
    """Stronger where there is more; in the hue of the worst outcome that makes up a quarter of it."""
    total = sum(cell.values())
    worst = [outcome for outcome in _RGB if cell.get(outcome, 0) * 4 >= total] or [Outcome.UNSTRUCTURED_ERROR]
    strength = 0.12 + 0.5 * total / most
    return f"rgba({_RGB[worst[-1]]}, {strength:.2f})"
