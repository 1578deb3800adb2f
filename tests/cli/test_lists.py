"""`telltale calls` and its siblings on a file."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.commands.lists import CALL_FIELDS
from collector.store import DuckDBStore

Run = Callable[..., Any]

CONTRACT = [
    "project",
    "trace_id",
    "span_id",
    "session_id",
    "agent",
    "user",
    "service",
    "release",
    "tool",
    "call_id",
    "started_at",
    "duration_ms",
    "declared",
    "outcome",
    "code",
    "declared_code",
    "code_source",
    "flags",
    "contract_fields",
    "rules",
    "evidence",
    "confidence",
    "payload",
    "action",
    "retryable",
    "recovered",
    "inferred",
    "run_aborted",
    "rules_version",
]


def test_calls_as_jsonl_keep_the_contract(run: Run, db: Path) -> None:
    """One object per call with exactly the promised fields; the file is judged to its end first."""
    result = run("calls", "--db", db, "--format", "jsonl")
    calls = [json.loads(line) for line in result.stdout.splitlines()]

    assert result.exit_code == 0
    assert list(CALL_FIELDS) == CONTRACT
    assert [list(call) for call in calls] == [CONTRACT] * 5
    assert {call["outcome"] for call in calls} == {"ok", "structured_error", "unstructured_error", "silent_failure"}
    for call in calls:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", call["started_at"])


def test_filters_narrow(run: Run, db: Path) -> None:
    """Tool, outcome and time are those of the API."""
    silent = run("calls", "--db", db, "--outcome", "silent_failure", "--format", "jsonl").stdout.splitlines()
    failed = run("calls", "--db", db, "--outcome", "failed", "--tool", "book_meeting", "--format", "jsonl").stdout
    old = run("calls", "--db", db, "--since", "1m", "--format", "jsonl").stdout

    assert (len(silent), len(failed.splitlines()), old) == (1, 1, "")


@pytest.mark.parametrize("command", ["calls", "tools", "sessions", "groups", "incidents", "senders", "rules"])
@pytest.mark.parametrize("form", ["table", "jsonl", "csv"])
def test_every_list_has_every_form(run: Run, db: Path, command: str, form: str) -> None:
    """A table for people, JSON lines and CSV for programs."""
    result = run(command, "--db", db, "--format", form)

    assert result.exit_code == 0, result.output
    if form == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in result.stdout.splitlines())
    if form == "csv" and command != "incidents":
        assert len(list(csv.DictReader(io.StringIO(result.stdout)))) > 0


@pytest.mark.parametrize(
    "command",
    [
        ("calls", "--format", "table"),
        ("groups", "--format", "table"),
        ("groups", "--format", "csv"),
        ("groups", "--format", "jsonl"),
        ("replay", "s-lied"),
        ("report",),
    ],
)
def test_no_text_of_a_payload_steers_a_terminal(run: Run, db: Path, command: tuple[str, ...]) -> None:
    """Control characters are shown, never sent; markup stays text."""
    shown = run(*command, "--db", db).stdout

    assert "\x1b" not in shown
    if command[0] == "groups":
        assert "evil.test" in shown


def test_html_holds_payloads_as_text(run: Run, db: Path) -> None:
    """The report's page runs nothing and loads nothing."""
    page = run("report", "--db", db, "--format", "html").stdout

    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page


def test_a_missing_file_is_a_sentence(run: Run, tmp_path: Path) -> None:
    """Nothing is made, exit 2."""
    result = run("calls", "--db", tmp_path / "nothing.db")

    assert result.exit_code == 2
    assert "there is no database" in result.stderr
    assert not (tmp_path / "nothing.db").exists()


def test_a_file_that_is_no_database_is_a_sentence(run: Run, tmp_path: Path) -> None:
    """Exit 2 without a traceback."""
    path = tmp_path / "notes.db"
    path.write_text("these are my notes, not a database")
    result = run("calls", "--db", path)

    assert result.exit_code == 2
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stderr == f"telltale: {path} is no DuckDB database; name another file\n"


def test_only_a_file_that_serve_repairs_is_said_to_be_repaired(run: Run, tmp_path: Path) -> None:
    """Such as one that is empty, or that a service left its journal beside."""
    empty, damaged = tmp_path / "empty.db", tmp_path / "damaged.db"
    empty.touch()
    damaged.write_bytes(b"x" * 100)
    (tmp_path / "damaged.db.journal").mkdir()
    (tmp_path / "damaged.db.journal" / "1").touch()

    for path in (empty, damaged):
        assert run("calls", "--db", path).stderr.endswith(" is empty or damaged; `telltale serve` repairs it\n")


def test_a_held_file_points_to_the_api(tmp_path: Path, process: Run) -> None:
    """When a service holds the file the message says to use --api."""
    store = DuckDBStore(tmp_path / "held.db")
    try:
        result = process("calls", "--db", tmp_path / "held.db")
    finally:
        store.close()

    assert result.returncode == 2
    assert "--api" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("calls", "--since", "yesterday"),
        ("calls", "--outcome", "bad"),
        ("calls", "--format", "xml"),
        ("calls", "--api", "ftp://x"),
        ("calls", "--limit", "0"),
        ("replay", "nobody"),
        ("explain", "ffff"),
    ],
)
def test_bad_usage_is_exit_2_and_a_sentence(run: Run, db: Path, arguments: tuple[str, ...]) -> None:
    """Never a traceback."""
    given = arguments if "--api" in arguments else (*arguments, "--db", db)
    result = run(*given)

    assert result.exit_code == 2
    assert result.stderr.strip()
    assert isinstance(result.exception, SystemExit)


def test_a_reader_that_has_seen_enough_is_no_error(db: Path) -> None:
    """`| head` ends the command quietly."""
    code = f"{sys.executable} -m telltale calls --db {db} --format jsonl | head -c 10"
    result = subprocess.run(["/bin/sh", "-c", code], capture_output=True, text=True, timeout=110, check=False)

    assert (len(result.stdout), result.stderr) == (10, "")


def test_a_flag_beats_the_environment(run: Run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables say where to ask only when no flag does."""
    monkeypatch.setenv("TELLTALE_API_URL", "http://127.0.0.1:9")
    by_flag = run("calls", "--db", db, "--format", "jsonl")
    monkeypatch.setenv("TELLTALE_DB", str(db))
    by_variable = run("calls", "--format", "jsonl")
    nobody = run("calls", "--api", "http://127.0.0.1:9")

    assert (by_flag.exit_code, by_variable.exit_code, nobody.exit_code) == (0, 0, 2)
    assert len(by_variable.stdout.splitlines()) == 5
    assert "no service answers" in nobody.stderr


@pytest.mark.parametrize("command", ["calls", "tools", "silent", "sessions", "groups"])
@pytest.mark.parametrize(
    "narrowed",
    [
        ("--release", "1.2", "9.9"),
        ("--service", "booking", "shop"),
        ("--user", "ada", "bob"),
        ("--agent", "scheduler", "other"),
    ],
)
def test_every_list_of_calls_takes_the_filters_of_the_api(
    run: Run, of_users: Path, command: str, narrowed: tuple[str, str, str]
) -> None:
    """A release, service, user or agent that is there gives rows, another one none; and so does a flag nobody bears."""
    option, met, missed = narrowed
    found = run(command, "--db", of_users, option, met, "--format", "jsonl")
    nothing = run(command, "--db", of_users, option, missed, "--format", "jsonl")

    assert (found.exit_code, nothing.exit_code) == (0, 0), found.output + nothing.output
    assert found.stdout.splitlines()
    assert nothing.stdout == ""
    assert run(command, "--db", of_users, "--flag", "retry_storm", "--format", "jsonl").stdout == ""
    assert "retry_storm" in run(command, "--db", of_users, "--flag", "odd").stderr


def test_sessions_of_a_release_are_those_of_its_matching_calls(run: Run, of_users: Path) -> None:
    """A filter that only calls know holds together with the others on one call."""
    every = run("sessions", "--db", of_users, "--release", "1.2", "--format", "jsonl").stdout.splitlines()
    silent = run("sessions", "--db", of_users, "--release", "1.2", "--outcome", "silent_failure", "--format", "jsonl")

    assert len(every) == 3
    assert [json.loads(line)["session_id"] for line in silent.stdout.splitlines()] == ["s-lied"]


def test_silent_lists_what_lied(run: Run, of_users: Path) -> None:
    """Declared against derived, with the noun of the count."""
    shown = run("silent", "--db", of_users).stdout

    assert "list_meetings" in shown
    assert shown.endswith("1 silent failure\n")


def test_a_report_is_narrowed_and_says_so(run: Run, of_users: Path) -> None:
    """Counts are those of the filters; the page names them, and what they do not narrow."""
    whole = run("report", "--db", of_users).stdout
    other = run("report", "--db", of_users, "--release", "9.9", "--format", "json")
    shown = run("report", "--db", of_users, "--release", "1.2", "--tool", "book_meeting").stdout
    page = run("report", "--db", of_users, "--release", "1.2", "--format", "html").stdout

    assert "narrowed" not in whole
    assert json.loads(other.stdout)["calls"] == 0
    assert "narrowed to tool book_meeting, release 1.2\n(incidents by tool" in shown
    assert "Tool calls            2\n" in shown
    assert "Narrowed to release 1.2 (" in page


def test_tools_by_release(run: Run, of_users: Path) -> None:
    """Compliance per tool and release, with what it rests on."""
    shown = run("tools", "--by", "release", "--db", of_users).stdout
    rows = [
        json.loads(line)
        for line in run("tools", "--by", "release", "--db", of_users, "--format", "jsonl").stdout.splitlines()
    ]

    assert re.search(r"book_meeting +1\.2 +2 +1 +0 +100\.0 % of 1 \(21–100 %\)", shown)
    assert shown.endswith("3 rows\n")
    assert {(row["tool"], row["release"]) for row in rows} == {
        ("book_meeting", "1.2"),
        ("list_meetings", "1.2"),
        ("fetch_note", "1.2"),
    }
    assert run("tools", "--by", "moon", "--db", of_users).exit_code == 2


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_a_project_that_is_not_there_is_told(run: Run, db: Path, form: str) -> None:
    """A mistyped project lists nothing, and stderr names those that there are; a known one without calls is no slip."""
    result = run("calls", "--db", db, "--project", "no\x1bpe", "--format", form)

    assert result.exit_code == 0
    assert "there is no project 'no\\x1bpe'" in result.stderr.replace("\\\\", "\\")
    assert "default" in result.stderr
    assert "there is no project" not in run("calls", "--db", db, "--since", "1m", "--format", form).stderr
