"""`telltale ingest`: every shape of recording, what is refused and named, exit codes, and a running service."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
import typer
import zstandard
from typer.testing import CliRunner, Result

from collector import cli
from collector.service import Service
from collector.store import DuckDBStore
from tests.collector.otlp import logs, metrics, traces
from tests.collector.running import TELLTALE, environment


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    """`telltale …` in this process."""
    app = typer.Typer()
    cli.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def span_count(db: Path) -> int:
    store = DuckDBStore(db)
    try:
        return int(store.read("SELECT count(*) AS n FROM {span}")["n"][0].as_py())
    finally:
        store.close()


def line(spans: int = 1) -> bytes:
    """A request of OTLP/JSON in one line."""
    made = [{"traceId": os.urandom(16).hex(), "spanId": os.urandom(8).hex(), "name": "s"} for _ in range(spans)]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}).encode()


def framed(*bodies: bytes) -> bytes:
    """Messages behind 4-byte big-endian lengths, as the Collector's file exporter writes `format: proto`."""
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


def pretty(body: bytes) -> bytes:
    return json.dumps(json.loads(body), indent=2).encode()


SHAPES = {
    "lines.jsonl": (lambda: line(2) + b"\n" + line(1) + b"\n\n", 3),
    "bom.json": (lambda: b"\xef\xbb\xbf" + line(1), 1),
    "pretty.json": (lambda: pretty(line(2)), 2),
    "array.json": (lambda: b"[" + line(1) + b"," + line(2) + b"]", 3),
    "lines.jsonl.gz": (lambda: gzip.compress(line(2)), 2),
    "lines.jsonl.zst": (lambda: zstandard.ZstdCompressor().compress(line(2)), 2),
    "one.pb": (lambda: traces(3).SerializeToString(), 3),
    "framed.pb": (lambda: framed(traces(2).SerializeToString(), traces(1).SerializeToString()), 3),
    "framed.pb.gz": (lambda: gzip.compress(framed(traces(2).SerializeToString())), 2),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_read(tmp_path: Path, name: str) -> None:
    """JSON lines, one document, an array, protobuf plain or framed, gzip and zstd: all taken, exit 0."""
    make, count = SHAPES[name]
    (tmp_path / name).write_bytes(make())
    result = run("ingest", tmp_path / name, "--db", tmp_path / "t.db")
    assert result.exit_code == 0, result.output
    assert f"Taken: {count} {'span' if count == 1 else 'spans'}, " in result.output
    assert span_count(tmp_path / "t.db") == count


def test_folders_stdin_logs_and_metrics(tmp_path: Path) -> None:
    """A folder is walked for recordings only, - reads standard input; logs are kept, metrics named as not kept."""
    folder = tmp_path / "in" / "deeper"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(line(1))
    (folder / "logs.pb").write_bytes(logs(4).SerializeToString())
    (folder / "metrics.pb").write_bytes(metrics(5).SerializeToString())
    (folder / "notes.txt").write_text("not a recording")
    (folder / "link.jsonl").symlink_to("/dev/zero")
    result = run("ingest", tmp_path / "in", "-", "--db", tmp_path / "t.db", stdin=line(2))
    assert result.exit_code == 0, result.output
    assert "Taken: 3 spans, 4 log records" in result.output
    assert "5 metrics" in result.output


def test_what_is_not_understood_is_named_and_the_rest_kept(tmp_path: Path) -> None:
    """A bad line, a cut gzip and a foreign file are named with their place; exit 1; the rest is there."""
    zero = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "", "spanId": "ab" * 8}]}]}]})
    (tmp_path / "a.jsonl").write_bytes(line(1) + b"\nnot json\n" + line(1) + b"\n" + zero.encode() + b'\n{"a":1}\n')
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(line(1))[:-12])
    (tmp_path / "c.json").write_text('{"hello": "world"}')
    (tmp_path / "d.pb").write_bytes(framed(traces(1).SerializeToString())[:-3])
    (tmp_path / "e.json").write_bytes(b"")
    result = run("ingest", tmp_path, "--db", tmp_path / "t.db")
    assert result.exit_code == 1
    for place in ("a.jsonl:2", "a.jsonl:4", "a.jsonl:5", "b.jsonl.gz", "c.json", "d.pb:1", "e.json"):
        assert place in result.output, place
    assert span_count(tmp_path / "t.db") == 2


@pytest.mark.parametrize("content", [b"", b"plain words\n", b'{"a": 1}', os.urandom(200), b"\0\0\0\xff"])
def test_nothing_usable_is_exit_2(tmp_path: Path, content: bytes) -> None:
    """A file that is not OTLP at all: exit 2."""
    (tmp_path / "x.json").write_bytes(content)
    assert run("ingest", tmp_path / "x.json", "--db", tmp_path / "t.db").exit_code == 2


def test_bad_usage_is_exit_2(tmp_path: Path) -> None:
    """A missing path, a pipe, a device, an empty folder, both targets, an odd endpoint: exit 2 with a sentence."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    good = tmp_path / "good.jsonl"
    good.write_bytes(line())
    for arguments in (
        (tmp_path / "missing.jsonl",),
        (tmp_path / "pipe",),
        ("/dev/zero",),
        (tmp_path / "empty",),
        (good, "--db", tmp_path / "t.db", "--endpoint", "http://127.0.0.1:1"),
        (good, "--endpoint", "ftp://x"),
        (),
    ):
        result = run("ingest", *arguments)
        assert result.exit_code == 2, arguments
        assert result.output


def test_the_same_file_twice_counts_once(tmp_path: Path) -> None:
    """A second ingest of a file adds nothing and says so."""
    (tmp_path / "a.jsonl").write_bytes(line(3))
    for _ in range(2):
        result = run("ingest", tmp_path / "a.jsonl", "--db", tmp_path / "t.db")
    assert "3 of them known already" in result.output
    assert span_count(tmp_path / "t.db") == 3


def test_a_running_service_takes_files(service: Service, tmp_path: Path) -> None:
    """--endpoint sends both encodings to the service; what it rejects is named."""
    (tmp_path / "a.jsonl").write_bytes(line(2))
    (tmp_path / "b.pb").write_bytes(framed(traces(1).SerializeToString(), logs(1).SerializeToString()))
    result = run("ingest", tmp_path, "--endpoint", service.urls.otlp_http)
    assert result.exit_code == 0, result.output
    assert "Taken: 3 spans, 1 log record" in result.output
    (tmp_path / "bad.jsonl").write_bytes(b'{"resourceSpans": 5}')
    assert run("ingest", tmp_path, "--endpoint", service.urls.otlp_http).exit_code == 1


def test_nobody_at_the_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead endpoint: a sentence and exit 2, after trying for a while."""
    import tenacity

    from collector.files import targets

    monkeypatch.setattr(targets.tenacity, "stop_after_delay", lambda _: tenacity.stop_after_attempt(2))
    (tmp_path / "a.jsonl").write_bytes(line())
    result = run("ingest", tmp_path / "a.jsonl", "--endpoint", "http://127.0.0.1:9")
    assert result.exit_code == 2
    assert "nobody answers" in result.output


def test_a_database_that_a_service_holds(service: Service, tmp_path: Path) -> None:
    """--db on a file that another owner holds is refused with a hint at --endpoint."""
    import subprocess

    (tmp_path / "a.jsonl").write_bytes(line())
    command = [*TELLTALE, "ingest", str(tmp_path / "a.jsonl"), "--db", str(service.config.db)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 2
    assert f"PID {os.getpid()}" in done.stderr
    assert "--endpoint" in done.stderr


def test_file_names_cannot_drive_the_terminal(tmp_path: Path) -> None:
    """A file name with escape codes is printed without them."""
    odd: Any = tmp_path / "a\x1b[31m.json"
    odd.write_bytes(b"x")
    output = run("ingest", odd, "--db", tmp_path / "t.db").output
    assert "\x1b" not in output
    assert io.StringIO(output).readline()
