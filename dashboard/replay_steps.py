"""The outline of a session: its steps in order, the way to the previous and next failure, and the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import links, tables, words
from dashboard.untrusted import plain
from dashboard.view import View

Step = dict[str, Any]
_CHOSEN = "rgba(91, 140, 255, 0.30)"


def failing(step: Step) -> bool:
    """Whether a step is a call that failed."""
    call = step.get("call") or {}
    return bool(call) and call.get("outcome") != "ok"


def chosen(steps: Sequence[Step], first_failing: object) -> int:
    """The index of the step to show: the URL's step or span, else the first failing one, else the first."""
    number, span = st.query_params.get("step"), st.query_params.get("span")
    for n, step in enumerate(steps):
        if number is not None and str(step.get("n")) == number:
            return n
    for n, step in enumerate(steps):
        if span and span in {step.get("span_id"), (step.get("call") or {}).get("span_id")}:
            return n
    for n, step in enumerate(steps):
        if first_failing is not None and step.get("n") == first_failing:
            return n
    return next((n for n, step in enumerate(steps) if failing(step)), 0)


def controls(steps: Sequence[Step], at: int, view: View) -> None:
    """Where we are, and the ways to the neighbouring steps and failures. Each is a link, so it can be shared."""
    failures = [n for n, step in enumerate(steps) if failing(step)]
    before = [n for n in failures if n < at]
    after = [n for n in failures if n > at]
    with st.container(horizontal=True, vertical_alignment="center", key="replay.controls"):
        _go("Previous failure", steps, before[-1] if before else None, view, ":material/skip_previous:")
        _go("Next failure", steps, after[0] if after else None, view, ":material/skip_next:")
        _go("Step back", steps, at - 1 if at else None, view, ":material/chevron_left:")
        _go("Step on", steps, at + 1 if at + 1 < len(steps) else None, view, ":material/chevron_right:")
        place = (
            f"failure {failures.index(at) + 1} of {len(failures)}" if at in failures else f"{len(failures)} failures"
        )
        st.caption(f"step {at + 1} of {len(steps)} · {place}", width="content")


def _go(label: str, steps: Sequence[Step], to: int | None, view: View, icon: str) -> None:
    query = links.replay_query(view, view.session, step=steps[to]["n"]) if to is not None else {}
    st.page_link(links.PLACES["replay"].file, label=label, icon=icon, help="", query_params=query, disabled=to is None)


def outline(steps: Sequence[Step], at: int, view: View) -> None:
    """All steps; a click shows one."""
    rows = [_cells(step) for step in steps]
    frame = pd.DataFrame(rows, columns=["#", "", "kind", "step", "took"])
    shade: dict[tuple[int, str], str] = {}
    for n, step in enumerate(steps):
        call = step.get("call") or {}
        if call:
            shade[n, ""] = tables.tone(call.get("outcome"))
    shade |= {(at, column): _CHOSEN for column in ("#", "kind", "step", "took")}
    targets = {n: ("replay", links.replay_query(view, view.session, step=step["n"])) for n, step in enumerate(steps)}
    tables.opening(
        frame,
        "replay.outline",
        targets,
        alt="Steps of the session",
        shade=shade,
        config={
            "#": st.column_config.NumberColumn(width=36),
            "": st.column_config.TextColumn(width=30),
            "kind": st.column_config.TextColumn(width=64),
            "took": st.column_config.TextColumn(width=64),
        },
        height=tables.height_of(len(steps), 24),
    )


def _cells(step: Step) -> list[Any]:
    call = step.get("call") or {}
    glyph = words.look(call.get("outcome")).glyph if call else ""
    kind = words.step_kind(step.get("kind"))
    return [step.get("n"), glyph, kind, plain(step.get("title"), 80), words.milliseconds(step.get("duration_ms"))]
