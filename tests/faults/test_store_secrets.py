"""Forty planted secrets leave no trace in database, write-ahead log, journal, backup or account of a kill."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "redaction"))

from planted import KEYED, NEEDLE, PLANTED

from analytics.spans import Event, Link, LogRecord, Span
from analytics.store import Batch
from collector.redact import TAIL, BatchRedactor, site_key
from collector.store import DuckDBStore, Limits, Options
from collector.store.backup import backup
from telltale.redaction import RedactionConfig, Redactor

NEEDLES = [NEEDLE.get(name, secret) for name, secret in PLANTED.items()]


def secretive(secret: str, number: int) -> Span:
    """A span with a secret in each of its places."""
    inner = json.dumps({"reply": f"use {secret} now"})
    return Span(
        trace_id=f"{number:032x}",
        span_id=f"{number:016x}",
        parent_span_id="",
        name=f"execute_tool {secret}",
        kind=1,
        start_ns=10,
        end_ns=20,
        status_code=2,
        status_message=f"failed with {secret}",
        attributes={
            "gen_ai.tool.call.arguments": inner,
            "gen_ai.tool.call.result": json.dumps({"body": inner}),
            "structured": {"deep": [{"er": secret}]},
            f"key {secret}": True,
            "url": f"https://example.org/?q={quote(secret, safe='')}"
            if "\n" not in secret and " " not in secret
            else "",
        },
        events=[Event("exception", 15, {"exception.message": f"boom {secret}", "exception.stacktrace": secret})],
        links=[Link("ab" * 16, "cd" * 8, {"note": secret})],
        resource={"process.command_args": ["run", secret], "service.name": "booking"},
        scope_name="scope",
        scope_attributes={"note": secret},
        trace_state="",
    )


def log_with(secret: str, number: int) -> LogRecord:
    """A log record with a secret in its body and attributes."""
    return LogRecord(f"{number:032x}", "", "event", 15, body={"message": [secret]}, attributes={"text": secret})


def keyed_span(number: int) -> Span:
    """Secrets by key, in attributes and in payloads."""
    return Span(
        f"{number:032x}",
        f"{number:016x}",
        "",
        "execute_tool x",
        1,
        10,
        20,
        attributes={**KEYED, "gen_ai.tool.call.arguments": json.dumps(KEYED), "tool.input": {"headers": KEYED}},
    )


def batch() -> Batch:
    """All secrets, in all places."""
    spans = [secretive(secret, n) for n, secret in enumerate(PLANTED.values(), 1)]
    return Batch([*spans, keyed_span(999)], [log_with(secret, n) for n, secret in enumerate(PLANTED.values(), 1)])


def left_in(folder: Path) -> list[str]:
    """Which secrets any file of a folder still holds, plain, escaped or encoded."""
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    found = []
    for needle in [*NEEDLES, *(value for value in KEYED.values() if len(value) > 8)]:
        forms = {needle, json.dumps(needle)[1:-1], quote(needle, safe="")}
        found += [needle for form in forms if form.encode() in content]
    return found


def test_no_file_holds_a_secret(tmp_path: Path) -> None:
    """Journal and log while running, database, backup: nothing; the counts by kind are there."""
    path, folder = tmp_path / "s.db", tmp_path / "backups"
    folder.mkdir()
    redactor = Redactor(RedactionConfig(key=site_key(path)))
    store = DuckDBStore(path, Options(limits=Limits(backup_folder=folder)))
    sent = batch()
    BatchRedactor(redactor)(sent)
    store.append(sent)
    assert left_in(tmp_path) == []
    store.flush()
    backup(store)
    assert left_in(tmp_path) == []
    store.close()
    assert left_in(tmp_path) == []
    assert redactor.counts.total() > 400
    assert {"aws_key", "jwt", "card", "iban", "email", "private_key", "password", "token", "cookie"} <= set(
        redactor.counts
    )


def test_the_test_would_notice(tmp_path: Path) -> None:
    """Without redaction the same batch leaves every secret in the files."""
    store = DuckDBStore(tmp_path / "s.db")
    store.append(batch())
    assert len(set(left_in(tmp_path))) >= 50
    store.close()


def test_a_secret_cut_in_half_does_not_survive() -> None:
    """The end of a cut value goes: what a pattern no longer recognises there may be half a secret."""
    secret = PLANTED["jwt_rs"]
    text = "x " * 8000 + secret[: len(secret) // 3]
    span = Span("1" * 32, "2" * 16, "", "n", 1, 1, 2, attributes={"text": text}, cut={"text": 99_999})
    BatchRedactor(Redactor())(Batch([span]))
    assert secret[:12] not in span.attributes["text"]
    assert len(text) - TAIL <= len(span.attributes["text"]) <= len(text)


def test_a_clean_span_is_left_as_it_is() -> None:
    """No copy is made of what needs none; shared resources stay shared."""
    resource = {"service.name": "x"}
    spans = [Span("1" * 32, f"{n:016x}", "", "n", 1, 1, 2, attributes={"a": "b"}, resource=resource) for n in range(3)]
    before = [span.attributes for span in spans]
    BatchRedactor(Redactor())(Batch(spans))
    assert all(span.attributes is was for span, was in zip(spans, before, strict=True))
    assert all(span.resource is resource for span in spans)


def test_the_site_key_is_kept_and_private(tmp_path: Path) -> None:
    """Marks stay comparable over restarts; only the owner can read the key."""
    key = site_key(tmp_path / "s.db")
    assert site_key(tmp_path / "s.db") == key
    assert (tmp_path / "s.db.redaction-key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", ["", "zz", "0a1b", "\xff" * 64])
def test_a_site_key_that_is_none_is_refused_with_advice(tmp_path: Path, content: str) -> None:
    """No traceback, and no other key in silence: marks would not compare any more."""
    (tmp_path / "s.db.redaction-key").write_text(content)
    with pytest.raises(ValueError, match="put it back from a backup, or delete it"):
        site_key(tmp_path / "s.db")


@pytest.mark.parametrize("names", [30_000])
def test_endless_attribute_names_cost_no_memory(names: int) -> None:
    """Names that are never the same twice are looked at, not remembered for ever."""
    redactor = BatchRedactor(Redactor())
    for n in range(0, names, 1000):
        spans = [Span("1" * 32, "2" * 16, "", "n", 1, 1, 2, attributes={f"name-{n + i}": 1}) for i in range(1000)]
        redactor(Batch(spans))
    assert len(redactor._innocent) <= 21_000
