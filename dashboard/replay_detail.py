"""One step of a replay: verdict and evidence, and three panes side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard import correction, data, links, untrusted, words
from dashboard.evidence import evidence
from dashboard.untrusted import plain
from dashboard.view import View, permalink
from telltale.vocabulary import Confidence

Step = dict[str, Any]
_FOLLOWING = 3
_PANE = 200
"""The least width of a pane in pixels: in a narrower one the words of a payload break."""


def step(steps: Sequence[Step], at: int, view: View) -> None:
    """Draw the chosen step."""
    chosen = steps[at]
    call = chosen.get("call") or {}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"Step {words.count(chosen.get('n'))}", anchor=False, width="content")
        if call:
            look = words.look_of(call)
            st.badge(f"{look.glyph} {look.label}", color=look.color, help=look.meaning)  # type: ignore[arg-type]
        else:
            st.badge(words.step_kind(chosen.get("kind")), color="gray")
        st.text(plain(chosen.get("title")))
        if call.get("code"):
            st.text(plain(call.get("code"), 40))
        st.space("stretch")
        st.caption(
            f"{words.utc(chosen.get('started_at'))} UTC · took {words.milliseconds(chosen.get('duration_ms'))}",
            width="content",
        )
    if call:
        _call(steps, at, call, view)
    else:
        untrusted.payload(chosen.get("text"), "No text was captured for this step.")
    _ids(chosen, view)


def _call(steps: Sequence[Step], at: int, call: Mapping[str, Any], view: View) -> None:
    chosen = steps[at]
    st.markdown(_verdict(call))
    panes = st.grid(3, min_column_width=_PANE, gap="small", border=True)
    with panes.cell():
        st.caption("① What upstream answered")
        _upstream(chosen.get("upstream") or [])
        st.caption("What the agent asked for (arguments)")
        untrusted.payload(chosen.get("arguments"), "The arguments were not captured.")
    with panes.cell():
        st.caption("② What the tool returned (raw)")
        untrusted.payload(chosen.get("result"), _absent(call))
    with panes.cell():
        st.caption("③ What the model was told, and did next")
        untrusted.payload(chosen.get("told"), "Nothing beside the result itself.")
        _next(steps, at)
    left, right = st.columns([3, 2], gap="small")
    with left:
        st.caption("Why: rules and evidence")
        evidence(call)
    with right:
        st.caption("What else is known")
        _marks(call, steps, at)
    healthy(call, view)
    correction.form(call, view)


def _absent(call: Mapping[str, Any]) -> str:
    lost = call.get("lost") or []
    return "The result was not captured." + (" Senders says which switch captures it." if lost else "")


def _upstream(rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        st.caption("No span of an upstream call was seen below this one.")
        return
    for row in rows:
        who = f"{plain(row.get('name'), 80)} {plain(row.get('host'), 80)}"
        status, span = (plain(row.get(key), 20) or "not set" for key in ("status", "span_status"))
        st.text(f"{who}: status {status} (span {span})")


def _next(steps: Sequence[Step], at: int) -> None:
    st.caption("Then")
    following = [row for row in steps[at + 1 :] if row.get("kind") != "upstream"][:_FOLLOWING]
    if not following:
        st.caption("Nothing more: this is where the session ends.")
    for row in following:
        call = row.get("call") or {}
        kind = words.step_kind(row.get("kind"))
        look = words.look_of(call)
        mark = f" {look.glyph}" if call else ""
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            st.badge(f"{words.count(row.get('n'))} {kind}{mark}", color=look.color)  # type: ignore[arg-type]
            st.text(plain(row.get("title"), 60))
        if row.get("text"):
            untrusted.block(untrusted.excerpt(row["text"], 400), "")


def _verdict(call: Mapping[str, Any]) -> str:
    """Declared against derived, in our own words: only closed vocabularies are named."""
    declared = {"ok": "success", "error": "an error", "none": "nothing"}.get(str(call.get("declared")), "nothing known")
    sure = "".join(f" ({word})" for word in Confidence if word == call.get("confidence"))
    look = words.look_of(call)
    sure = "" if look is words.NOT_MEASURED else sure
    return f"It declared **{declared}**; derived: :{look.color}[**{look.label}**], it {look.meaning}{sure}."


_MARKS = (
    ("retryable", "retryable"),
    ("action", "action asked of the agent"),
    ("recovered", "recovered later"),
    ("declared_code", "code as declared"),
    ("code_source", "code comes from"),
    ("flags", "flags"),
    ("contract_fields", "fields outside the contract"),
    ("inferred", "inferred (left no span of its own)"),
    ("run_aborted", "the run ended here"),
)


def _marks(call: Mapping[str, Any], steps: Sequence[Step], at: int) -> None:
    rows: list[tuple[str, object]] = []
    for key, label in _MARKS:
        value = call.get(key)
        if value in (None, [], "", False) and key != "retryable":
            continue
        if value is None:
            continue
        rows.append((label, ", ".join(map(str, value)) if isinstance(value, list) else _word(value)))
    rows.append(("failures of this tool in a row", in_a_row(steps, at)))
    untrusted.pairs(rows)


def _word(value: object) -> object:
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


def in_a_row(steps: Sequence[Step], at: int) -> str:
    """The budget's gauge: how many calls of this tool failed one after the other, up to this step."""
    tool = (steps[at].get("call") or {}).get("tool")
    run = 0
    for row in reversed(steps[: at + 1]):
        call = row.get("call") or {}
        if call.get("tool") != tool:
            continue
        if call.get("outcome") == "ok":
            break
        run += 1
    spent = "budget_exhausted" in ((steps[at].get("call") or {}).get("flags") or [])
    return f"{'■' * min(run, 10)} {run}" + (" · budget exhausted" if spent else "")


def healthy(call: Mapping[str, Any], view: View) -> None:
    """A link to a call of the same tool that worked, to compare with."""
    if call.get("outcome") == "ok":
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        # Looked for when it is wanted: most replays are read without it.
        if st.button("A healthy call of this tool", key="replay.healthy", type="tertiary", icon=":material/compare:"):
            _visit_healthy(call, view)
        query = view.query(
            session="", as_of="", tool=call.get("tool"), code=links.code_filter(call.get("code")), outcome=words.FAILED
        )
        links.link("calls", "Calls that failed like this", query, icon=":material/list:")


def _visit_healthy(call: Mapping[str, Any], view: View) -> None:
    project = {"project": view.project}
    rows = data.ask("calls", params=project, since="all", tool=call.get("tool"), outcome="ok", limit=1)["rows"]
    if rows:
        links.visit("replay", links.call_query(view, rows[0]))
    st.caption("No call of this tool that worked is stored.")


def _ids(chosen: Step, view: View) -> None:
    left, right = st.columns(2, gap="small")
    with left:
        st.caption("Permalink to this step")
        # A call is named by its span, which stays when late spans renumber the steps.
        span = (chosen.get("call") or {}).get("span_id")
        query = View(project=view.project).query(session=view.session, span=span, step=None if span else chosen["n"])
        untrusted.block(permalink("replay", query), "")
    with right:
        st.caption("Trace and span")
        untrusted.block(f"{chosen.get('trace_id') or '–'}  {chosen.get('span_id') or '–'}", "")
