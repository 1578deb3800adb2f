"""Which tool fails with which code. Every cell opens the calls behind it."""

from __future__ import annotations

import streamlit as st

from dashboard import data, states, tables, words
from dashboard.live import live
from dashboard.matrix import SHOWN, Matrix
from dashboard.matrix import draw as draw_matrix
from dashboard.view import View


def draw(view: View) -> None:
    counted = data.soon("tools-codes", params=view.params(), limit=data.ALL)
    every = data.soon("tools", params=view.params(), limit=SHOWN)
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
    st.subheader("Every tool", anchor=False)
    tables.tools(tools["rows"], view, "tools")
    total = tools.get("total", len(tools["rows"]))
    if total > len(tools["rows"]):
        st.caption(f"The worst {words.count(len(tools['rows']))} of {words.plural(total, 'tool')}.")


live(st.session_state["view"], "tools-codes", draw)
