"""Which tool fails with which code. Every cell opens the calls behind it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import data, links, states, tables, words
from dashboard.live import live
from dashboard.untrusted import plain
from dashboard.view import View
from telltale.vocabulary import Code

view: View = st.session_state["view"]


def matrix(rows: list[dict[str, object]]) -> None:
    known = [str(code) for code in Code]
    codes = [code for code in known if any(row["code"] == code for row in rows)]
    codes += sorted({str(row["code"]) for row in rows} - set(known))
    totals: dict[str, int] = {}
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        tool, code, calls = str(row["tool"]), str(row["code"]), int(str(row["calls"]))
        totals[tool] = totals.get(tool, 0) + calls
        cells.setdefault((tool, code), {})[str(row["outcome"])] = calls
    tools = sorted(totals, key=lambda tool: -totals[tool])
    heads = {code: plain(code, 40) for code in codes}
    frame = pd.DataFrame({"tool": [plain(tool) for tool in tools], "all": [totals[tool] for tool in tools]})
    targets: dict[object, tables.Target] = {}
    shade: dict[tuple[int, str], str] = {}
    most = max(sum(cell.values()) for cell in cells.values())
    for code in codes:
        frame[heads[code]] = [cell_text(cells.get((tool, code))) for tool in tools]
    for n, tool in enumerate(tools):
        targets[n] = ("calls", view.query(tool=tool, outcome=words.FAILED))
        for code in codes:
            cell = cells.get((tool, code))
            if cell:
                targets[n, heads[code]] = (
                    "calls",
                    view.query(tool=tool, code=links.code_filter(code), outcome=words.FAILED),
                )
                shade[n, heads[code]] = cell_tone(cell, most)
    tables.opening(
        frame,
        "matrix",
        targets,
        alt="Failed calls by tool and code",
        shade=shade,
        height=tables.height_of(len(tools)),
    )


def cell_text(cell: dict[str, int] | None) -> str:
    """The count, and how many of it were silent."""
    if not cell:
        return ""
    silent = cell.get("silent_failure", 0)
    return f"{sum(cell.values())}" + (f"  ◆ {silent}" if silent else "")


def cell_tone(cell: dict[str, int], most: int) -> str:
    """Stronger where there is more; the hue of the worst outcome that is a quarter of it or more."""
    total = sum(cell.values())
    strength = 0.12 + 0.5 * total / most
    rgb = "240, 161, 60"
    if cell.get("unstructured_error", 0) * 4 >= total:
        rgb = "255, 107, 99"
    if cell.get("silent_failure", 0) * 4 >= total:
        rgb = "160, 110, 255"
    return f"rgba({rgb}, {strength:.2f})"


def draw() -> None:
    with states.loading():
        rows = data.ask("tools-codes", params=view.params())["rows"]
        tools = data.ask("tools", params=view.params(), limit=200)["rows"]
    if not rows and not tools:
        states.nothing(view, "calls")
        return
    if rows:
        st.caption(
            "Failed calls by tool and code. ◆ counts the silent ones among them. Click a cell to open its calls. "
            ":orange[▲ structured]  :red[✕ unstructured]  :violet[◆ silent]"
        )
        matrix(rows)
    else:
        st.success("No call failed in this view.", icon=":material/check_circle:")
    st.subheader("Every tool", anchor=False)
    tables.tools(tools, view, "tools")


live(draw)
