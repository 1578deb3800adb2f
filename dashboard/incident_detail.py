"""One incident: its numbers, its examples, the times of its life, and the forms that move it on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from analytics.client import ApiError
from dashboard import data, incident_cards, incident_words, links, moment, states, tables, untrusted, words
from dashboard.untrusted import plain
from dashboard.view import View

Incident = Mapping[str, Any]
_LIFE = (
    ("first_failure", "first failing call"),
    ("detected", "detected"),
    ("notified", "alerted"),
    ("acknowledged", "acknowledged"),
    ("diagnosed", "diagnosed"),
    ("resolved", "resolved"),
)


def detail(row: Incident, view: View) -> None:
    """Everything about one incident."""
    incident_cards.card(row, view, lines=12)
    # What is to be done comes first: in a narrow window the halves stand one below the other.
    halves = st.grid(2, min_column_width=330, gap="medium")
    with halves.cell():
        st.caption("Example sessions")
        for n, session in enumerate(row.get("example_sessions") or []):
            with st.container(horizontal=True, vertical_alignment="center"):
                links.link("replay", f"Replay {n + 1}", links.replay_query(view, session), icon=":material/replay:")
                st.text(plain(session))
        _forms(row, view)
    with halves.cell():
        st.caption("The times of its life")
        _life(row)
        _numbers(row.get("numbers") or {})


def _numbers(numbers: Mapping[str, Any]) -> None:
    """What was known when it fired, and folded away what the rule computed with."""
    st.caption("The numbers when it fired")
    untrusted.pairs(incident_words.figures(numbers, incident_words.FIRED) or [("numbers", "none kept")])
    rest = [*incident_words.figures(numbers, incident_words.ARITHMETIC), *incident_words.others(numbers)]
    if rest:
        with st.expander("How unusual that was: the arithmetic", icon=":material/calculate:"):
            untrusted.pairs(rest)


def _life(row: Incident) -> None:
    first = words.parse_time(row.get("first_failure"))
    frame = pd.DataFrame(
        {
            "moment": [label for _, label in _LIFE],
            "after": [_after(first, words.parse_time(row.get(key))) for key, _ in _LIFE],
            "time (UTC)": [words.utc(row.get(key)) for key, _ in _LIFE],
            "by": [plain(row.get(f"{key}_by"), 80) for key, _ in _LIFE],
        }
    )
    tables.reading(frame, "incident.life", "Times of the incident")


def _after(first: datetime | None, then: datetime | None) -> str:
    if first is None or then is None:
        return "–"
    return f"+ {words.span_of_seconds((then - first).total_seconds())}"


def _forms(row: Incident, view: View) -> None:
    who = st.text_input("Your name", key="incident.who", max_chars=80, persist_state="session")
    identity = str(row.get("id"))
    if not row.get("acknowledged") and st.button(
        "Acknowledge", key="incident.acknowledge", type="primary", icon=":material/person_check:", disabled=not who
    ):
        _send(view, identity, "acknowledge", {"who": who})
    if not row.get("diagnosed"):
        with st.form("incident.diagnose", border=False):
            cause = st.text_area("Cause", max_chars=1000, placeholder="What it was, for whoever is on call next")
            if st.form_submit_button("Diagnosed", icon=":material/fact_check:") and who and cause.strip():
                _send(view, identity, "diagnose", {"who": who, "cause": cause.strip()})
        if not who:
            st.caption("Give your name to acknowledge or diagnose.")
    else:
        st.caption("Cause")
        untrusted.block(row.get("cause"), "No cause was given.")


def _send(view: View, identity: str, what: str, body: dict[str, Any]) -> None:
    try:
        data.tell("incidents", identity, what, project=view.project, body=body)
    except ApiError as error:
        states.failed(error)
        return
    moment.move_on()
    st.rerun()


_PARTS = (
    ("detect_s", "to detect"),
    ("notify_s", "to alert"),
    ("acknowledge_s", "to acknowledge"),
    ("diagnose_s", "to diagnose"),
    ("total_s", "first failure to cause"),
)


def times(view: View) -> None:
    """How long each part of a diagnosis took: over all incidents of the window, by month and by code."""
    took = data.ask("report", params=view.params(links.PLACES["incidents"].filters))["time_to_diagnose"]
    groups = [("all", took["all"])]
    groups += [(row["month"], row) for row in took["months"]]
    groups += [(plain(row["code"], 40), row) for row in took["codes"]]
    frame = pd.DataFrame({"of": [name for name, _ in groups], "incidents": [row["incidents"] for _, row in groups]})
    for key, label in _PARTS:
        frame[label] = [_distribution(row.get(key) or {}) for _, row in groups]
    st.subheader("Time to diagnose", anchor=False)
    st.caption("Each part's median, and the time that nine of ten stayed below, over the incidents that got so far.")
    tables.reading(frame, "incident.times", "Time to diagnose")


def _distribution(row: Mapping[str, Any]) -> str:
    if not row.get("measured"):
        return "–"
    return f"{words.span_of_seconds(row['median'])}, {words.span_of_seconds(row['p90'])} ({row['measured']})"
