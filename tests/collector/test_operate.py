"""What an operator does: doctor, backup and restore, rescan, figures, recovery told, retention."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import httpx
import pytest
import typer
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner, Result

from analytics.spans import Span
from collector import cli
from collector.clocks import Clocks
from collector.service import Service
from collector.store import DuckDBStore
from tests.collector.otlp import metrics, traces
from tests.collector.running import config_for, post, stored, wait_for


def run(*arguments: str | Path) -> Result:
    app = typer.Typer()
    cli.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_metrics_tell_what_was_taken_refused_and_masked(service: Service) -> None:
    """/metrics parses, and counts accepted, refused by reason, not kept, redacted; the lag is there and falls to 0."""
    secret = "AKIAIOSFODNN7EXAMPLE"
    assert post(service, traces(2, attributes={"note": f"key {secret}"}).SerializeToString()).status_code == 200
    post(service, b"\xff")
    post(service, metrics(3).SerializeToString(), path="/v1/metrics")
    text = httpx.get(service.urls.api + "/metrics").text
    values = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert values["telltale_accepted_records_total", "spans"] == 2
    assert values["telltale_refused_requests_total", "http", "malformed"] == 1
    assert values["telltale_refused_records_total", "metrics", "not kept"] == 3
    assert sum(value for key, value in values.items() if key[0] == "telltale_redactions_total") >= 1
    assert values["telltale_bytes_in_flight",] == 0
    assert ("telltale_job_last_success_seconds", "judge") in values
    assert secret not in text

    def lag() -> float:
        found: float = httpx.get(service.urls.api + "/api/v1/status").json()["judged_lag_s"]
        return found

    wait_for(lambda: lag() == 0)


def test_doctor_on_a_running_service(service: Service) -> None:
    """Every part is named; a well service is exit 0; jsonl has one object a line."""
    post(service, traces().SerializeToString())
    db = str(service.config.db)
    result = run("doctor", "--db", db, "--api", service.urls.api, "--format", "jsonl")
    found = [json.loads(line) for line in result.output.splitlines()]
    assert result.exit_code == 0, result.output
    assert {row["what"] for row in found} >= {"exposure", "service", "judge", "disk", "clock", "alerts"}


def test_a_clock_that_runs_ahead_is_told(service: Service) -> None:
    """While a span of a service lies in the future, figures and doctor name it, whatever else the service sends; doctor
    does not call its clock well in the same breath."""
    two_hours_on = time.time_ns() + 7200 * 1_000_000_000
    request = traces()
    request.resource_spans[0].resource.attributes[0].value.string_value = "fast \x1b[31mshop"
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.start_time_unix_nano = span.end_time_unix_nano = two_hours_on
    assert post(service, request.SerializeToString()).status_code == 200

    def ahead() -> dict[str, int]:
        found: dict[str, int] = httpx.get(service.urls.api + "/api/v1/status").json()["clocks_ahead_s"]
        return found

    assert 7000 < wait_for(ahead)["fast \x1b[31mshop"] <= 7200
    span.start_time_unix_nano = span.end_time_unix_nano = time.time_ns()
    span.span_id = b"12345678"
    assert post(service, request.SerializeToString()).status_code == 200
    assert 7000 < ahead()["fast \x1b[31mshop"] <= 7200
    noted = 'telltale_noted_records_total{note="spans begin after they were received"} 1.0'
    assert noted in httpx.get(service.urls.api + "/metrics").text
    told = run("doctor", "--db", str(service.config.db), "--api", service.urls.api)
    assert 'the clock of "fast \\u001b[31mshop" runs 2 h ahead' in told.output
    assert "ok   clock       of this machine: 20" in told.output


def _span(service: str, start_ns: int) -> Span:
    return Span("t", "s", "", "n", 1, start_ns, start_ns, resource={"service.name": service})


def test_a_clock_is_ahead_until_its_last_span_is_past() -> None:
    """Of spans of one service mixed with normal ones, the latest counts, up to the largest time, and until then."""
    second, now = 1_000_000_000, 1_790_000_000_000_000_000
    clocks = Clocks()
    mixed = [_span("a", now), _span("a", now + 7200 * second), _span("a", now + 61 * second), _span("b", now)]
    assert clocks.look(mixed, now) == 2
    assert clocks.look([_span("a", now), _span("b", now + 59 * second)], now) == 0
    assert clocks.ahead_s(now) == {"a": 7200}
    assert clocks.ahead_s(now + 7200 * second) == {}
    clocks.look([_span("a", 2**63 - 1)], now)
    assert clocks.ahead_s(now + 7200 * second) == {"a": (2**63 - 1 - now) // second}
    clocks.look([_span(f"s{number}", now + 100 * second) for number in range(1000)], now)
    assert len(clocks.ahead_s(now)) == 100


def test_a_clock_ahead_is_told_after_a_restart(tmp_path: Path) -> None:
    """A call that an earlier run took lies as far ahead as before, and is told until it is seen."""
    request = traces(attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"})
    [span] = request.resource_spans[0].scope_spans[0].spans
    span.start_time_unix_nano = span.end_time_unix_nano = 2**64 - 1
    told: list[dict[str, int]] = []
    for number in range(2):
        running = Service(config_for(tmp_path))
        running.start()
        try:
            if not number:
                assert post(running, request.SerializeToString()).status_code == 200
            status = running.urls.api + "/api/v1/status"
            wait_for(lambda: httpx.get(status).json()["calls"])  # noqa: B023 - called at once
            told.append(httpx.get(status).json()["clocks_ahead_s"])
        finally:
            running.stop()
    assert told[0]
    assert told[0] == told[1]


HOSTILE = [
    "\x1b[31mRED\x1b]0;pwned\x07\x1b[2J",
    "line1\r\nline2\nfake: log",
    "c1 \x9b31m \x85 next",
    "bidi \u202emoc\u202c \u2066x\u2069 \u200e\u200f\u061c",
    "lines \u2028 \u2029",
    "unseen \u200b\u200c\u200d\u2060\ufeff\u00ad\U000e0041",
]
"""Names of services that would steer a terminal, or look like others."""


def test_doctor_gives_the_terminal_no_sign_of_a_senders(tmp_path: Path) -> None:
    """Whatever a service is called: on a line of its own each, with nothing in it that a terminal acts on or hides."""
    running = Service(config_for(tmp_path))
    running.start()
    try:
        for name in HOSTILE:
            request = traces()
            request.resource_spans[0].resource.attributes[0].value.string_value = name
            assert post(running, request.SerializeToString()).status_code == 200
        wait_for(lambda: len(httpx.get(running.urls.api + "/api/v1/senders").json()["rows"]) == len(HOSTILE))
        told = run("doctor", "--db", str(running.config.db), "--api", running.urls.api)
    finally:
        running.stop()
    assert all(line.startswith(("ok  ", "warn", "fail")) for line in told.output.split("\n") if line)
    unseen = {c for c in told.output if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n"}
    assert not unseen
    assert "\\x1b[31mRED" in told.output


def test_doctor_without_a_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports and the file are looked at; a foreign file is a failure and exit 1, never touched."""
    for port in ("OTLP_GRPC", "OTLP_HTTP", "API", "DASHBOARD"):
        monkeypatch.setenv(f"TELLTALE_{port}_PORT", "0")
    nobody = ("--api", "http://127.0.0.1:9")
    assert run("doctor", "--db", tmp_path / "t.db", *nobody).exit_code == 0
    (tmp_path / "t.db").write_bytes(b"not a database")
    result = run("doctor", "--db", tmp_path / "t.db", *nobody)
    assert result.exit_code == 1
    assert f"{tmp_path / 't.db'} is no DuckDB database; name another file" in result.output
    assert "IO Error" not in result.output
    assert (tmp_path / "t.db").read_bytes() == b"not a database"
    monkeypatch.setenv("TELLTALE_API_PORT", "seven")
    assert run("doctor").exit_code == 2


def test_ready_means_that_spans_would_be_taken(tmp_path: Path) -> None:
    """Below the floor of free space ingest is 503, and so is /readyz, with the reason; questions are answered."""
    running = Service(config_for(tmp_path, store={"free_floor_bytes": 2**62}))
    running.start()
    try:
        assert post(running, traces().SerializeToString()).status_code == 503
        answer = httpx.get(running.urls.api + "/readyz")
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "why": "the disk is nearly full"})
        assert httpx.get(running.urls.api + "/healthz").status_code == 200
        assert httpx.get(running.urls.api + "/api/v1/calls").status_code == 200
    finally:
        running.stop()


def test_a_failing_journal_is_not_ready_for_a_moment(tmp_path: Path) -> None:
    """A write that failed is told by /readyz; once another succeeds, or after ten seconds, the service is ready."""
    running = Service(config_for(tmp_path))
    running.start()
    try:
        assert running.store is not None
        running.store.journal.failure = time.monotonic(), "the journal cannot be written: No space left on device"
        assert "No space left" in httpx.get(running.urls.api + "/readyz").json()["why"]
        assert post(running, traces().SerializeToString()).status_code == 200
        assert httpx.get(running.urls.api + "/readyz").status_code == 200
        running.store.journal.failure = time.monotonic() - 11, "the journal cannot be written: EIO"
        assert httpx.get(running.urls.api + "/readyz").status_code == 200
    finally:
        running.stop()


def test_a_misspelt_variable_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`telltale doctor` names each variable that nothing reads, with the nearest right name, and none that is read."""
    for name in (
        "OTLP_HTTP_PROT",
        "HOSTS_ALLOWED",
        "XYZZY",
        "API_PORT",
        "LIMITS__RECORDS",
        "API_TOKEN",
        "CAPTURE_CONTENT",
    ):
        monkeypatch.setenv(f"TELLTALE_{name}", "0" if name != "LIMITS__RECORDS" else "9")
    for name in ("TELLTALE_SERVICE_PORT_OTLP", "TELLTALE_PORT_4317_TCP_ADDR", "TELLTALE_PORT"):  # Kubernetes' own
        monkeypatch.setenv(name, "1")
    result = run("doctor", "--db", tmp_path / "t.db", "--api", "http://127.0.0.1:9", "--format", "jsonl")
    said = [row["said"] for row in map(json.loads, result.output.splitlines()) if row["what"] == "settings"]
    assert said == [
        "TELLTALE_HOSTS_ALLOWED is set, but there is no such setting; the nearest name is TELLTALE_ALLOWED_HOSTS",
        "TELLTALE_OTLP_HTTP_PROT is set, but there is no such setting; the nearest name is TELLTALE_OTLP_HTTP_PORT",
        "TELLTALE_XYZZY is set, but there is no such setting",
    ]


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("LIMITS__HTTP_BODY_BYTE", "; the nearest name is TELLTALE_LIMITS__HTTP_BODY_BYTES"),
        ("TRACING__ENDPONT", "; the nearest name is TELLTALE_TRACING__ENDPOINT"),
        ("TLS__XYZZYQW", ""),
    ],
)
def test_a_wrong_name_inside_a_section_stops_with_the_right_one(
    variable: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable of a section is nobody else's: the start is stopped, and the sentence names what was meant."""
    monkeypatch.setenv(f"TELLTALE_{variable}", "5")
    for command in ("serve", "doctor"):
        result = run(command, "--db", tmp_path / "t.db")
        assert result.exit_code == 2
        assert result.stderr == f"telltale {command}: TELLTALE_{variable}: there is no such setting{meant}\n"


@pytest.mark.parametrize(
    ("text", "wrong", "meant"),
    [
        ('[tracing]\nendpont = "http://a"', "tracing.endpont", "tracing.endpoint"),
        ("otlp_http_prot = 5", "otlp_http_prot", "otlp_http_port"),
        ("[tools.search]\nempty_is_norml = true", "tools.search.empty_is_norml", "tools.search.empty_is_normal"),
        ("[alerts]\ndigest_hour_utcc = 5", "alerts.digest_hour_utcc", "alerts.digest_hour_utc"),
    ],
)
def test_a_wrong_name_in_the_file_stops_with_the_right_one(text: str, wrong: str, meant: str, tmp_path: Path) -> None:
    """As a variable does, in the words of the file."""
    file = tmp_path / "own.toml"
    file.write_text(text)
    result = run("doctor", "--config", file, "--db", tmp_path / "t.db")

    assert result.exit_code == 2
    assert f"{wrong} in {file}: there is no such setting; the nearest name is {meant}\n" in result.stderr


def test_backup_of_a_live_service_and_restore(tmp_path: Path) -> None:
    """A backup made while the service runs holds what was acknowledged; restored, it opens with the same spans."""
    folder = tmp_path / "kept" / "backups"  # of the documented settings: nobody has made it
    running = Service(config_for(tmp_path, store={"backup_folder": folder}))
    running.start()
    try:
        request = traces(5)
        assert post(running, request.SerializeToString()).status_code == 200
        assert run("restore", tmp_path / "nowhere.db", "--db", running.config.db, "--replace").exit_code == 1
        made = run("backup", "--api", running.urls.api)
        assert made.exit_code == 0, made.output
    finally:
        running.stop()
    assert folder.stat().st_mode & 0o777 == 0o700
    [file] = folder.glob("telltale-*.db")
    assert str(file) in made.output
    assert run("restore", file, "--db", tmp_path / "telltale.db").exit_code == 1
    assert run("restore", file, "--db", tmp_path / "new.db").exit_code == 0
    store = DuckDBStore(tmp_path / "new.db")
    assert store.read("SELECT count(*) AS n FROM {span}")["n"][0].as_py() == 5
    store.close()


def test_backup_needs_a_folder_and_a_service(service: Service) -> None:
    """Without a configured folder, and without a service, backup says so with exit 1."""
    result = run("backup", "--api", service.urls.api)
    assert result.exit_code == 1
    assert "no backup folder" in result.output
    assert run("backup", "--api", "http://127.0.0.1:9").exit_code == 1


def test_rescan(tmp_path: Path) -> None:
    """`redact --rescan` masks rows stored under weaker rules; --dry-run only counts; bare `redact` is bad usage."""
    running = Service(config_for(tmp_path, redaction={"off": ["email"]}))
    running.start()
    request = traces(attributes={"note": "write to jane.doe@example.com"})
    assert post(running, request.SerializeToString()).status_code == 200
    assert (
        "jane.doe"
        in stored(running, request.resource_spans[0].scope_spans[0].spans[0].trace_id).spans[0].attributes["note"]
    )
    running.stop()
    db = tmp_path / "telltale.db"
    assert run("redact", "--db", db).exit_code == 2
    looked = run("redact", "--rescan", "--dry-run", "--db", db)
    assert "1 would change" in looked.output
    assert b"jane.doe@" in db.read_bytes()
    assert run("redact", "--rescan", "--db", db).exit_code == 0
    assert b"jane.doe@" not in db.read_bytes()


def test_retention_runs_beside_ingest(tmp_path: Path) -> None:
    """With a size bound of one byte, today's spans stay (whole past days go), and the worker reports success."""
    running = Service(config_for(tmp_path, retention={"max_bytes": 1, "every_s": 0.1}))
    running.start()
    try:
        assert post(running, traces().SerializeToString()).status_code == 200
        worker = running._workers["retention"]
        before = worker.last_success
        wait_for(lambda: worker.last_success > before)
        assert worker.failures == 0
    finally:
        running.stop()


def test_the_status_says_where_spans_are_taken(service: Service) -> None:
    """Who asks the API learns the address for OTLP over HTTP, whatever port the service got."""
    answer = httpx.get(service.urls.api + "/api/v1/status", timeout=30).json()

    assert answer["otlp_http"] == service.urls.otlp_http
