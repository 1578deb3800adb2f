"""One session, one verdict, one correction; recordings without a database."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.commands.output import rate_text
from analytics.commands.report import render
from analytics.questions.statistics import rate
from analytics.store import Batch
from collector.store import DuckDBStore
from tests.api.scene import scene
from tests.cli.otlp import line

Run = Callable[..., Any]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """The scene as a recorded file."""
    path = tmp_path / "run.jsonl"
    path.write_text(line(scene(time.time_ns())) + "\n")
    return path


def _first(run: Run, db: Path, *filters: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(run("calls", "--db", db, "--format", "jsonl", *filters).stdout.splitlines()[0])
    return made


def test_a_replay_reads_like_a_story(run: Run, db: Path) -> None:
    """User, model, tool with its payloads, upstream, and the first failure marked."""
    shown = run("replay", "s-lied", "--db", db).stdout

    for part in ("What is on my calendar?", "list_meetings", "503", "◀ first failure", "You have no meetings."):
        assert part in shown
    assert shown.index("list_meetings") < shown.index("◀ first failure") < shown.index("fetch_note")


def test_an_explanation_names_rule_and_evidence(run: Run, db: Path) -> None:
    """By any span of the call."""
    call = _first(run, db, "--outcome", "silent_failure")
    shown = run("explain", call["span_id"], "--db", db).stdout

    assert "silent_failure" in shown
    for rule in call["rules"]:
        assert rule in shown
    assert "evidence" in shown


def test_an_ok_verdict_says_what_was_dismissed(run: Run, tmp_path: Path) -> None:
    """The rule, its evidence and what dismissed it."""
    db = tmp_path / "dismissed.db"
    store = DuckDBStore(db)
    store.append(scene(time.time_ns()))
    store.close()
    call = _first(run, db, "--tool", "fetch_note")
    run("correct", call["span_id"], "--outcome", "ok", "--who", "sre", "--why", "a test note", "--db", db)
    shown = run("explain", call["span_id"], "--db", db).stdout

    assert "  dismissed: payload.error_key\n    evidence: key error = " in shown
    assert "    by correction: A person corrected the verdict.\n" in shown


def test_a_correction_survives_judging_again(run: Run, tmp_path: Path) -> None:
    """It is said once, applied at once, and still there after a re-judge."""
    db = tmp_path / "corrected.db"
    store = DuckDBStore(db)
    store.append(scene(time.time_ns()))
    store.close()
    call = _first(run, db, "--outcome", "silent_failure")
    made = run("correct", call["span_id"], "--outcome", "ok", "--who", "sre", "--why", "a known gap", "--db", db)
    again = run("rejudge", "--since", "all", "--db", db)

    assert "1 call of list_meetings" in made.stdout
    assert again.stdout == "3 traces judged again\n"
    assert run("calls", "--db", db, "--outcome", "silent_failure", "--format", "jsonl").stdout == ""
    assert run("tools", "--db", db, "--tool", "list_meetings", "--format", "jsonl").stdout.count('"failures":0') == 1


def test_a_correction_of_the_code_is_listed_and_taken_back(run: Run, tmp_path: Path) -> None:
    """`correct --code`, `corrections`, `correct --undo`; who and why stay readable."""
    db = tmp_path / "corrected.db"
    store = DuckDBStore(db)
    store.append(scene(time.time_ns()))
    store.close()
    call = _first(run, db, "--tool", "fetch_note")
    said = ("--who", "sre", "--why", "it was not there", "--db", db)
    made = run("correct", call["span_id"], "--code", "NOT_FOUND", *said)
    assert "1 call of fetch_note (payload.error_key) is now unstructured_error NOT_FOUND" in made.stdout
    assert _first(run, db, "--tool", "fetch_note")["code"] == "NOT_FOUND"

    back = run("correct", call["span_id"], "--undo", "--who", "bob", "--why", "it was", "--db", db)
    assert back.stdout == "taken back: 1 call of fetch_note (payload.error_key) is as judged again\n"
    assert _first(run, db, "--tool", "fetch_note") == call
    [kept] = [json.loads(line) for line in run("corrections", "--db", db, "--format", "jsonl").stdout.splitlines()]
    assert (kept["why"], kept["undone_by"], kept["undone_why"]) == ("it was not there", "bob", "it was")
    assert "not checked yet" in run("rules", "--tool", "fetch_note", "--db", db).stdout
    assert run("correct", call["span_id"], *said).exit_code == 2, "nothing is named that is right"
    assert run("correct", call["span_id"], "--undo", "--code", "INTERNAL", *said).exit_code == 2
    assert "nobody corrected" in run("correct", call["span_id"], "--undo", *said).stderr


def test_mapping_says_what_was_read(run: Run, recording: Path) -> None:
    """Calls seen, the attribute that gave each field."""
    shown = run("mapping", recording).stdout
    data = json.loads(run("mapping", recording, "--format", "json").stdout)

    assert "5 tool calls in 13 spans of 3 traces" in shown
    assert "gen_ai.tool.call.result" in shown
    assert data["calls"] == 5


def test_mapping_of_nothing_is_exit_2(run: Run, tmp_path: Path) -> None:
    """A file that is not OTLP is named."""
    path = tmp_path / "other.json"
    path.write_text('{"hello": 1}')
    result = run("mapping", path)

    assert result.exit_code == 2
    assert "other.json" in result.stderr


@pytest.mark.parametrize(
    ("limits", "code", "said"),
    [
        (("--max-silent", "1"), 0, "5 tool calls"),
        (("--max-silent", "0"), 1, "1 silent failure, 0 allowed"),
        (("--min-compliance", "0.3"), 0, "33.3 %"),
        (("--min-compliance", "0.95", "--max-silent", "5"), 1, "below 95.0%"),
        (("--min-compliance", "0.95", "--min-samples", "10"), 3, "cannot tell"),
        ((), 2, ""),
        (("--min-compliance", "2"), 2, ""),
    ],
)
def test_the_gate_speaks_in_exit_codes(
    run: Run, recording: Path, limits: tuple[str, ...], code: int, said: str
) -> None:
    """0 pass, 1 breach, 2 bad usage, 3 cannot tell."""
    result = run("check", recording, *limits)

    assert result.exit_code == code
    assert said in result.stdout


def test_the_gate_cannot_tell_without_calls(run: Run, tmp_path: Path) -> None:
    """No tool call seen is no pass."""
    path = tmp_path / "quiet.jsonl"
    quiet = scene(time.time_ns())
    quiet.spans = [span for span in quiet.spans if "gen_ai.tool.name" not in span.attributes]
    path.write_text(line(quiet))

    assert run("check", path, "--max-silent", "0").exit_code == 3


def test_the_gate_refuses_what_it_cannot_read(run: Run, tmp_path: Path) -> None:
    """A broken recording is bad input, not a pass."""
    path = tmp_path / "broken.jsonl"
    path.write_text('{"resourceSpans": [')

    assert run("check", path, "--max-silent", "0").exit_code == 2
    assert run("check", tmp_path / "nothing", "--max-silent", "0").exit_code == 2


def test_the_report_is_one_object_as_json(run: Run, db: Path) -> None:
    """For programs."""
    report = json.loads(run("report", "--db", db, "--format", "json").stdout)

    assert report["calls"] == 5
    assert report["compliance"]["denominator"] == 3


def test_a_report_that_is_cut_says_so(run: Run, db: Path) -> None:
    """Of how many tools and groups it names some; nothing where it names all."""
    whole = json.loads(run("report", "--db", db, "--format", "json").stdout)
    assert "of 3 tools" not in render(whole, "text")
    assert "of 3 groups" not in render(whole, "text")

    many = {**whole, "tools": whole["tools"] * 7, "groups_total": 19}
    shown = render(many, "text")
    assert "  20 of 21 tools\n\nCodes" in shown
    assert "  3 of 19 groups\n\nTime to diagnose" in shown
    page = render(many, "html")
    assert "3 of 19 groups" in page
    assert page.count("<td>book_meeting</td>") >= 7
    del whole["groups_total"]
    assert "of 3 groups" not in render(whole, "text"), "an answer of an earlier release"


def test_compliance_adds_up_with_the_failures(run: Run, db: Path) -> None:
    """Of how many failures, how many are left out and why; no failure is no rate, and what was not captured neither."""
    whole = json.loads(run("report", "--db", db, "--format", "json").stdout)

    def shown(failures: int, **made: Any) -> str:
        told = render({**whole, "failures": failures, "compliance": rate(**made)}, "text")
        return told[told.index("Compliance") : told.index("Budgets")]

    assert shown(3, numerator=1, denominator=3) == (
        "Compliance            33.3 % (1 of 3 failures; 95 % interval 6–79 %)\n"
    )
    assert shown(4, numerator=1, denominator=3, not_measured=9).splitlines()[1] == (
        "  left out            9 calls without a captured result, 1 failure among them"
    )
    assert "not measured (of 2 failures no result was captured)" in shown(2, numerator=0, denominator=0, not_measured=2)
    assert shown(0, numerator=0, denominator=0) == "Compliance            no failures\n"
    assert "left out: 9 calls" in render({**whole, "compliance": rate(1, 3, 9)}, "html")


def test_one_is_not_plural(run: Run, tmp_path: Path) -> None:
    """A count of one has its noun in the singular, in every command that counts."""
    spans = [span for span in scene(time.time_ns()).spans if span.name == "execute_tool list_meetings"][:1]
    path = tmp_path / "one.jsonl"
    path.write_text(line(Batch(spans=spans)) + "\n")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{\n")

    assert "1 tool call in 1 span of 1 trace\n" in run("mapping", path).stdout
    assert "1 tool call; silent failures" in run("check", path, "--max-silent", "1").stdout
    assert "1 part of the recordings cannot be read" in run("check", broken, "--max-silent", "1").stderr


def test_a_precision_of_nothing_is_not_checked_yet(run: Run, db: Path) -> None:
    """Precision rests on checked verdicts, compliance on failures."""
    shown = run("rules", "--db", db).stdout

    assert "not checked yet" in shown
    assert "no failures measured" not in shown
    assert "not measured" not in shown, "of a rule that spoke, too"
    assert rate_text(rate(0, 0)) == "no failures measured"
    assert rate_text(rate(0, 0, not_measured=1)) == "not measured (1 call)"
