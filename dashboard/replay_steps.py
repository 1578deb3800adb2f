"""The outline of a session: its steps in order, the way to the previous and next failure, and the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import links, tables, words
from dashboard.untrusted import plain
from dashboard.view import View

Step = dict[str, Any]
_CHOSEN = "rgba(91, 140, 255, 0.30)"
_WINDOW = 26
_BEFORE = 8


def failing(step: Step) -> bool:
    """Whether a step is a call that failed."""
    call = step.get("call") or {}
    return bool(call) and call.get("outcome") != "ok"


def chosen(steps: Sequence[Step], first_failing: object, tool: str = "") -> int:
    """The index of the step to show: the URL's step or span, else the first failing one (of `tool`), else the first.

    A span names the call that it belongs to before any other step of the same span.
    """
    number, span = st.query_params.get("step"), st.query_params.get("span")
    wanted = (
        lambda step: number is not None and str(step.get("n")) == number,
        lambda step: bool(span) and span in _spans_of(step.get("call") or {}),
        lambda step: bool(span) and span == step.get("span_id"),
        lambda step: bool(tool) and failing(step) and step["call"].get("tool") == tool,
        lambda step: first_failing is not None and step.get("n") == first_failing,
        failing,
    )
    for matches in wanted:
        for n, step in enumerate(steps):
            if matches(step):
                return n
    return 0


def wanted() -> str | None:
    """The step number or span id that the address names; None where it names neither."""
    return st.query_params.get("step") or st.query_params.get("span") or None


def holds(steps: Sequence[Step], place: str) -> bool:
    """Whether a step number or span id is among steps."""
    return any(place in (str(step.get("n")), step.get("span_id"), *_spans_of(step.get("call") or {})) for step in steps)


def _spans_of(call: Mapping[str, Any]) -> set[object]:
    return {call.get("span_id"), *(call.get("span_ids") or ())}


def controls(steps: Sequence[Step], at: int, answer: Mapping[str, Any], view: View) -> None:
    """Where we are, and the ways to the neighbouring steps and failures. Each is a link, so it can be shared."""
    failures = [n for n, step in enumerate(steps) if failing(step)]
    before = [n for n in failures if n < at]
    after = [n for n in failures if n > at]
    here, total = steps[at]["n"], answer["total"]
    with st.container(horizontal=True, vertical_alignment="center", key="replay.controls"):
        _go("Previous failure", steps[before[-1]]["n"] if before else None, view, ":material/skip_previous:")
        _go("Next failure", steps[after[0]]["n"] if after else None, view, ":material/skip_next:")
        _go("Step back", here - 1 if here else None, view, ":material/chevron_left:")
        _go("Step on", here + 1 if here + 1 < total else None, view, ":material/chevron_right:")
        place = f"failure {failures.index(at) + 1} of" if at in failures else "no failure here, of"
        st.caption(f"{place} {words.count(len(failures))} in {words.plural(len(steps), 'step')}", width="content")
    left_out = _left_out(steps, answer)
    if left_out:
        st.caption(left_out)


def _left_out(steps: Sequence[Step], answer: Mapping[str, Any]) -> str:
    """What of a very long session is not among the steps; "" where nothing is left out."""
    told = []
    if len(steps) < answer["total"]:
        part = f"{words.count(steps[0]['n'])} to {words.count(steps[-1]['n'])}"
        told.append(f"Steps {part} of {words.count(answer['total'])} are loaded: another step opens its own part.")
    if answer["traces_left_out"]:
        told.append(f"Left out: the session's oldest {words.plural(answer['traces_left_out'], 'trace')}.")
    elif answer["calls_left_out"]:
        told.append(f"Left out: the session's oldest {words.plural(answer['calls_left_out'], 'call')}.")
    return " ".join(told)


def _go(label: str, to: int | None, view: View, icon: str) -> None:
    query = links.replay_query(view, view.session, step=to) if to is not None else {}
    st.page_link(links.PLACES["replay"].file, label=label, icon=icon, help="", query_params=query, disabled=to is None)


def outline(steps: Sequence[Step], at: int, view: View) -> None:
    """The steps around the chosen one; a click shows one. A long session is shown a window at a time."""
    first = max(0, min(at - _BEFORE, len(steps) - _WINDOW))
    shown = steps[first : first + _WINDOW]
    frame = pd.DataFrame([_cells(step) for step in shown], columns=["#", "", "step"])
    shade = {(n, ""): tables.tone_of(step["call"]) for n, step in enumerate(shown) if step.get("call")}
    shade |= {(at - first, column): _CHOSEN for column in ("#", "step")}
    targets = {n: ("replay", links.replay_query(view, view.session, step=step["n"])) for n, step in enumerate(shown)}
    tables.opening(
        frame,
        "replay.outline",
        targets,
        alt="Steps of the session",
        shade=shade,
        config={
            "#": st.column_config.NumberColumn(width=36),
            "": st.column_config.TextColumn(width=26),
        },
        most=_WINDOW,
    )
    if len(shown) < len(steps):
        st.caption(f"{words.count(len(shown))} of {words.count(len(steps))} steps, around the chosen one")


def _cells(step: Step) -> list[Any]:
    call = step.get("call") or {}
    glyph = words.look_of(call).glyph if call else ""
    kind, title = words.step_kind(step.get("kind")), plain(step.get("title"), 80)
    # A tool's name says enough beside its sign, and so does a title that names the kind.
    return [step.get("n"), glyph, title if kind == "tool" or kind in title else f"{kind} {title}"]
