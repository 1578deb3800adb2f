"""Which tool fails with which code. Every cell opens the calls behind it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import data, links, states, tool_tables, words
from dashboard.live import live
from dashboard.matrix import SHOWN, Matrix
from dashboard.matrix import draw as draw_matrix
from dashboard.view import View

ROWS = 500  # the most by tool and release; a bare text here would be drawn on the page
by_release = st.query_params.get("by") == "release"


def draw(view: View) -> None:
    """Failures by tool and code, then the tools, in all or by release."""
    counted = data.soon("tools-codes", params=view.params(), limit=data.ALL)
    split = {"by": "release", "limit": ROWS} if by_release else {"limit": SHOWN}
    every = data.soon("tools", params=view.params(), **split)
    with states.loading():
        matrix = Matrix.of(counted()["rows"])
        tools = every()
    if not matrix.cells and not tools["rows"]:
        states.nothing(view, "calls")
        return
    if matrix.cells:
        st.caption(
            "Failed calls by tool and code, the worst tools first. Click a cell to open its calls. "
            ":orange[▲ structured]  :red[✕ unstructured]  :violet[◆ silent]"
        )
        draw_matrix(matrix, view)
    else:
        st.success("No call failed in this view.", icon=":material/check_circle:")
    if len(matrix.totals) > SHOWN:
        st.caption(f"The {words.count(SHOWN)} tools with the most failures of {words.count(len(matrix.totals))}.")
    every_tool(tools, view)


def every_tool(tools: dict[str, Any], view: View) -> None:
    """The tools in all or by release, with the way from one to the other."""
    rows, total = tools["rows"], tools.get("total", len(tools["rows"]))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if by_release:
            st.subheader("Every tool by release", anchor=False, width="content")
            st.space("stretch")
            links.link("tools-codes", "All releases together", view.query(), icon=":material/functions:")
        else:
            st.subheader("Every tool", anchor=False, width="content")
            st.space("stretch")
            links.link("tools-codes", "By release", view.query(by="release"), icon=":material/new_releases:")
    if by_release:
        st.caption(
            "Compliance: failed calls that came back as a structured error, of those that can be measured, with its "
            "95 % interval. Of each tool, the newest release first."
        )
        tool_tables.releases(rows, view, "tools.releases")
    else:
        tool_tables.tools(rows, view, "tools")
    if total > len(rows):
        st.caption(f"The worst {words.count(len(rows))} of {words.plural(total, 'row' if by_release else 'tool')}.")


live(st.session_state["view"], "tools-codes", draw)
