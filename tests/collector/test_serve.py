"""`telltale serve` as a process: ports, exposure, settings, two owners, graceful stop (rows 24 to 26, 57)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import grpc
import httpx
import pytest
import typer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from typer.testing import CliRunner, Result

from collector import cli
from collector.store import DuckDBStore
from tests.collector.otlp import traces
from tests.collector.running import DEADLINE_S, TELLTALE, Process, environment, wait_for

Serve = Callable[..., Process]
Attempt = Callable[..., Result]
FREE = ["--otlp-grpc-port", "0", "--otlp-http-port", "0", "--api-port", "0"]


@pytest.fixture
def attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attempt]:
    """Starts a service that is expected to refuse, in this process: quick, and no port is ever served."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TELLTALE_")]:
        monkeypatch.delenv(name)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    app = typer.Typer()
    cli.register(app)

    def run(*flags: str, env: dict[str, str] | None = None, command: Sequence[str] = ()) -> Result:
        return CliRunner().invoke(app, [*(command or ("serve", "--db", str(tmp_path / "t.db"))), *flags], env=env)

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    "command", ["serve", "doctor --api http://127.0.0.1:9", "token create --role viewer", "token list", "ingest {span}"]
)
def test_a_folder_that_is_not_there_is_told(tmp_path: Path, attempt: Attempt, command: str) -> None:
    """A mistyped folder is named and never made: spans would go where nobody looks for them."""
    folder = tmp_path / "telltael"
    (tmp_path / "one.json").write_text('{"resourceSpans": []}')
    words = command.format(span=tmp_path / "one.json").split()
    done = attempt(*FREE if command == "serve" else [], command=[*words, "--db", str(folder / "t.db")])
    assert done.exit_code in (1, 2)
    assert f"there is no folder {folder} for t.db" in done.output
    assert not folder.exists()


@pytest.mark.otlp(25)
@pytest.mark.parametrize("flag", ["--otlp-grpc-port", "--otlp-http-port", "--api-port", "--dashboard-port"])
def test_a_taken_port_stops_the_start(tmp_path: Path, attempt: Attempt, flag: str) -> None:
    """The sentence names the port and the flag; the exit code is 1; no database is left behind."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        flags = [*FREE, flag, port] + (["--dashboard"] if flag == "--dashboard-port" else [])
        done = attempt(*flags)
    assert done.exit_code == 1
    assert port in done.stderr
    assert flag in done.stderr
    assert not (tmp_path / "t.db").exists()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("otlp_http_prot = 1", {}, []), "otlp_http_prot"),
        (("[tools.look]\nbudgett = 1", {}, []), "tools.look.budgett"),
        (("[limits]\nrecords = 'many'", {}, []), "limits.records"),
        (("api_port = = 1", {}, []), "telltale.toml"),
        (("", {"TELLTALE_API_PORT": "90000"}, ["--otlp-http-port", "0"]), "TELLTALE_API_PORT"),
        (("", {"TELLTALE_LIMITS__RECORDS": "0"}, []), "TELLTALE_LIMITS__RECORDS"),
        (("", {}, ["--api-port", "90000"]), "--api-port"),
        (("", {}, ["--config", "nowhere.toml"]), "nowhere.toml"),
        (("[tls]\ncertificate = 'telltale.toml'", {}, []), "tls"),
        (("[tls]\ncertificate = 'telltale.toml'\nkey = 'telltale.toml'", {}, []), "tls"),
        (("[alerts]\nwebhooks = ['nonsense']", {}, []), "alerts.webhooks"),
        (("host = '192.0.2.1'\ninsecure = true", {}, []), "192.0.2.1"),
    ],
)
def test_a_wrong_setting_stops_the_start(
    tmp_path: Path, attempt: Attempt, given: tuple[str, dict[str, str], list[str]], named: str
) -> None:
    """One sentence that names the key, in the words of its source, and no traceback."""
    settings, env, flags = given
    (tmp_path / "telltale.toml").write_text(settings)
    done = attempt(*(flags or FREE), env=env)
    assert done.exit_code in (1, 2)
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_later_sources_win(tmp_path: Path, serve: Serve) -> None:
    """telltale.toml is overridden by variables, variables by flags."""
    (tmp_path / "telltale.toml").write_text("db = 'file.db'\nlog_level = 'error'\napi_port = 1\notlp_http_port = 1\n")
    env = {"TELLTALE_API_PORT": "2", "TELLTALE_OTLP_HTTP_PORT": "0", "TELLTALE_DB": "variable.db"}
    process = serve(tmp_path, env=env)
    assert (tmp_path / "telltale.db").exists()
    assert not (tmp_path / "variable.db").exists()
    assert process.urls["pid"] == process.child.pid


@pytest.mark.otlp(57)
def test_another_address_needs_tokens_or_the_owners_word(tmp_path: Path, attempt: Attempt, serve: Serve) -> None:
    """0.0.0.0 is refused without tokens; with --insecure, or with tokens for both doors, it starts."""
    done = attempt("--host", "0.0.0.0", *FREE)
    assert done.exit_code == 2
    assert "--insecure" in done.stderr
    serve(tmp_path, "--host", "0.0.0.0", "--insecure").terminate()
    for role in ("ingest", "viewer"):
        command = [*TELLTALE, "token", "create", "--role", role, "--db", str(tmp_path / "telltale.db")]
        subprocess.run(command, check=True, capture_output=True, env=environment())
    process = serve(tmp_path, "--host", "0.0.0.0")
    answer = httpx.post(
        process.urls["otlp_http"] + "/v1/traces", content=b"{}", headers={"content-type": "application/json"}
    )
    assert answer.status_code == 401


def test_two_owners(tmp_path: Path, serve: Serve) -> None:
    """A second service on one database ends with the first one's PID; the first goes on unharmed (fault 47)."""
    first = serve(tmp_path)
    command = [*TELLTALE, "serve", *FREE, "--db", str(tmp_path / "telltale.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 1
    assert f"PID {first.child.pid}" in done.stderr
    assert "--db" in done.stderr
    assert "--api" not in done.stderr, "advice for readers, not for a service"
    assert "Traceback" not in done.stderr
    answer = httpx.post(
        first.urls["otlp_http"] + "/v1/traces",
        content=traces().SerializeToString(),
        headers={"content-type": "application/x-protobuf"},
    )
    assert answer.status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="loaded libraries are read from /proc")
def test_the_service_does_without_pandas(tmp_path: Path, serve: Serve) -> None:
    """After batches, verdicts and answers pandas is not loaded: it would cost start-up time and memory for nothing."""
    process = serve(tmp_path)
    headers = {"content-type": "application/x-protobuf"}
    body = traces(5).SerializeToString()
    assert httpx.post(process.urls["otlp_http"] + "/v1/traces", content=body, headers=headers).status_code == 200
    api = process.urls["api"] + "/api/v1"
    wait_for(lambda: httpx.get(f"{api}/status").json()["calls"] == 5)
    arrow = {"accept": "application/vnd.apache.arrow.stream"}
    for path in ("overview", "calls", "tools", "sessions", "groups", "report"):
        assert httpx.get(f"{api}/{path}", params={"since": "all"}).status_code == 200
        answer = httpx.get(f"{api}/{path}", params={"since": "all"}, headers=arrow)
        assert answer.status_code == (400 if path in ("overview", "report") else 200)  # only lists come as Arrow
    assert "/pandas/_libs/" not in Path(f"/proc/{process.child.pid}/maps").read_text()


class Load(threading.Thread):
    """Sends over one protocol until nobody answers; notes what was acknowledged."""

    def __init__(self, process: Process, protocol: str) -> None:
        super().__init__(daemon=True)
        self.process, self.protocol = process, protocol
        self.acknowledged: list[str] = []
        self.refused: set[object] = set()

    def run(self) -> None:
        channel = grpc.insecure_channel(self.process.urls["otlp_grpc"].removeprefix("http://"))
        client = httpx.Client(timeout=30)
        while self.process.child.poll() is None:
            request = traces(5)
            try:
                if self.protocol == "grpc":
                    TraceServiceStub(channel).Export(request, timeout=30)
                else:
                    answer = client.post(
                        self.process.urls["otlp_http"] + "/v1/traces",
                        content=request.SerializeToString(),
                        headers={"content-type": "application/x-protobuf"},
                    )
                    if answer.status_code != 200:
                        self.refused.add(answer.status_code)
                        continue
            except grpc.RpcError as error:
                self.refused.add(error.code())
                continue
            except httpx.TransportError:
                continue
            self.acknowledged += [span.span_id.hex() for span in request.resource_spans[0].scope_spans[0].spans]


@pytest.mark.otlp(26)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_graceful_stop_under_load_loses_nothing(tmp_path: Path, serve: Serve, number: signal.Signals) -> None:
    """SIGTERM under load: refusals are retryable, the process ends by itself, what was acknowledged is stored (48)."""
    process = serve(tmp_path)
    senders = [Load(process, protocol) for protocol in ("grpc", "http", "http")]
    for sender in senders:
        sender.start()
    wait_for(lambda: all(len(sender.acknowledged) >= 50 for sender in senders))
    started = time.monotonic()
    process.child.send_signal(number)
    assert process.child.wait(DEADLINE_S) == 0
    assert time.monotonic() - started < 5 * 5  # the bar is 5 s; five times that on a busy machine
    for sender in senders:
        sender.join(DEADLINE_S)
        assert sender.refused <= {503, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    store = DuckDBStore(tmp_path / "telltale.db")
    try:
        stored = store.read("SELECT span_id FROM {span}")["span_id"].to_pylist()
    finally:
        store.close()
    acknowledged = [span for sender in senders for span in sender.acknowledged]
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(stored)


def test_what_the_operator_sees(tmp_path: Path, serve: Serve) -> None:
    """/healthz, /readyz and /metrics answer; log lines are JSON objects; the ready file goes with the process."""
    process = serve(tmp_path)
    api = process.urls["api"]
    assert httpx.get(api + "/healthz").json() == {"status": "ok"}
    assert httpx.get(api + "/readyz").json() == {"status": "ready"}
    text = httpx.get(api + "/metrics").text
    for name in ("telltale_bytes_in_flight", "telltale_commit_seconds", "telltale_store_free_disk_bytes"):
        assert name in text
    assert process.terminate() == 0
    assert not (tmp_path / "ready.json").exists()
    lines = [line for line in (tmp_path / "serve.log").read_text().splitlines() if not line.startswith("Telltale ")]
    assert {json.loads(line)["event"] for line in lines} >= {"ready", "stopped"}
