"""The table of tools and codes adds up, and stays small with very many tools."""

from __future__ import annotations

from dashboard.matrix import SHOWN, Matrix, cell_text, cell_tone


def row(tool: str, code: str, outcome: str, calls: int) -> dict[str, object]:
    """A row of `tools-codes`."""
    return {"tool": tool, "code": code, "outcome": outcome, "calls": calls}


def test_sums() -> None:
    """A cell holds the calls of all outcomes of its tool and code, and the tool's total is the sum of its cells."""
    matrix = Matrix.of(
        [
            row("a", "INTERNAL", "structured_error", 3),
            row("a", "INTERNAL", "silent_failure", 2),
            row("a", "none", "unstructured_error", 1),
            row("b", "CONFLICT", "structured_error", 9),
        ]
    )

    assert matrix.tools() == ["b", "a"]
    assert matrix.codes() == ["CONFLICT", "INTERNAL", "none"]
    assert matrix.totals == {"a": 6, "b": 9}
    assert cell_text(matrix.cells["a", "INTERNAL"]) == "▲ 3  ◆ 2"


def test_no_cell_is_no_zero() -> None:
    """Where nothing failed there is no number."""
    assert cell_text(None) == ""


def test_the_worst_outcome_gives_the_hue() -> None:
    """A cell with a quarter of silent failures has their hue, one with fewer has not."""
    silent = cell_tone({"silent_failure": 1}, 100).split(", 0.")[0]

    assert cell_tone({"structured_error": 3, "silent_failure": 1}, 100).startswith(silent)
    assert not cell_tone({"structured_error": 9, "silent_failure": 1}, 100).startswith(silent)


def test_very_many_tools() -> None:
    """Of very many tools those with the most failures are shown."""
    matrix = Matrix.of(row(f"tool-{n}", "INTERNAL", "structured_error", n + 1) for n in range(5 * SHOWN))

    assert len(matrix.tools()) == SHOWN
    assert matrix.tools()[0] == f"tool-{5 * SHOWN - 1}"
