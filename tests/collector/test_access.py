"""Tokens, roles, back-off, cross-site requests (rows 22, 23, 53 to 55; faults 26 and 27)."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
import typer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from typer.testing import CliRunner, Result

from analytics.store import TraceKey
from collector import cli
from collector.access.api import needed_role
from collector.access.backoff import BackOff
from collector.access.hosts import HostCheck
from collector.access.rate import SenderRate
from collector.access.tokens import API_ROLES, Role, TokenFile, TokenTable, token_path
from collector.errors import Refusal
from collector.service import Service
from tests.collector.otlp import traces
from tests.collector.running import JSON, config_for, post, status, wait_for

ORIGIN = "https://app.example.com"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def tokens(folder: Path) -> TokenFile:
    """The token file of the service under test."""
    return TokenFile(token_path(folder / "telltale.db"))


@pytest.fixture
def guarded(folder: Path, tokens: TokenFile) -> Iterator[tuple[Service, dict[str, str]]]:
    """A service with one token of each kind, CORS for one origin, and the secrets by role."""
    secrets = {role: tokens.create(role, "shop" if role is Role.INGEST else "default")[0] for role in Role}
    running = Service(config_for(folder, cors_origins=(ORIGIN, "https://*.trusted.example")))
    running.start()
    yield running, {str(role): secret for role, secret in secrets.items()}
    running.stop()


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def api(
    service: Service, method: str, path: str, headers: dict[str, str] | None = None, **more: object
) -> httpx.Response:
    return httpx.request(method, service.urls.api + path, headers=headers or {}, timeout=30, **more)  # type: ignore[arg-type]


@pytest.mark.otlp(22, 23, 55)
def test_ingest_tokens(guarded: tuple[Service, dict[str, str]]) -> None:
    """Without, with a wrong, and with an API token: 401, nothing stored; the right one writes to its project only."""
    service, secrets = guarded
    for headers in ({}, bearer("tt_wrong"), bearer(secrets["admin"]), {"authorization": "Basic eDp5"}):
        answer = post(service, traces().SerializeToString(), **headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert status(answer).code == 16
    request = traces()
    assert post(service, request.SerializeToString(), **bearer(secrets["ingest"])).status_code == 200
    trace_id = request.resource_spans[0].scope_spans[0].spans[0].trace_id.hex()
    assert service.store is not None
    mine, others = service.store.traces([TraceKey("shop", trace_id), TraceKey("default", trace_id)])
    assert (len(mine.spans), len(others.spans)) == (1, 0)


@pytest.mark.otlp(22, 23)
def test_ingest_tokens_over_grpc(guarded: tuple[Service, dict[str, str]]) -> None:
    """No or a wrong token is UNAUTHENTICATED, final; the right one is taken."""
    service, secrets = guarded
    with grpc.insecure_channel(service.urls.otlp_grpc.removeprefix("http://")) as channel:
        stub = TraceServiceStub(channel)
        for metadata in ((), (("authorization", "Bearer nonsense"),)):
            with pytest.raises(grpc.RpcError) as caught:
                stub.Export(traces(), metadata=metadata, timeout=30)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
            assert "google.rpc.retryinfo-bin" not in dict(caught.value.trailing_metadata())
        stub.Export(traces(), metadata=(("authorization", f"bearer {secrets['ingest']}"),), timeout=30)


def test_a_revoked_token_ends_while_the_service_runs(
    guarded: tuple[Service, dict[str, str]], tokens: TokenFile
) -> None:
    """Within seconds a revoked token is 401, and the door stays closed although no valid ingest token is left."""
    service, secrets = guarded
    row = next(token for token in tokens.tokens() if token.role is Role.INGEST)
    assert post(service, b"{}", JSON, **bearer(secrets["ingest"])).status_code == 200
    tokens.revoke(row.id)
    wait_for(lambda: post(service, b"{}", JSON, **bearer(secrets["ingest"])).status_code in (401, 429))
    assert post(service, b"{}", JSON).status_code in (401, 429)


def test_guessing_is_slowed_down_and_nothing_is_logged_of_the_token(
    guarded: tuple[Service, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """After ten wrong tokens the address must wait (429, Retry-After); who has a right one there need not."""
    service, secrets = guarded
    assert {post(service, b"{}", JSON).status_code for _ in range(12)} == {401}  # a missing token is no guess
    codes = [post(service, b"{}", JSON, **bearer(f"tt_guess-{n}")).status_code for n in range(12)]
    assert codes[:10] == [401] * 10
    assert codes[10] == 429
    assert post(service, b"{}", JSON, **bearer(secrets["ingest"])).status_code == 200
    answer = post(service, b"{}", JSON, **bearer("tt_guess-again"))
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    wrong, right = bearer("tt_guess-api"), bearer(secrets["viewer"])
    codes = [api(service, "GET", "/api/v1/status", wrong).status_code for _ in range(12)]
    assert (codes[0], codes[-1]) == (401, 429)
    assert api(service, "GET", "/api/v1/status", right).status_code == 200
    assert service._http.peers.total >= 0
    captured = capsys.readouterr()
    assert "tt_guess" not in captured.out + captured.err


def test_back_off_is_per_address_and_forgets() -> None:
    """The wait doubles up to a minute, is the address's own, and old failures are forgotten."""
    now = [0.0]
    backoff = BackOff(lambda: now[0])
    for _ in range(9):
        backoff.failed("a")
    assert backoff.wait_s("a") == 0
    waits = []
    for _ in range(8):
        backoff.failed("a")
        waits.append(backoff.wait_s("a"))
    assert waits == sorted(waits)
    assert waits[-1] <= 61
    assert backoff.wait_s("b") == 0
    now[0] += 3600
    assert backoff.wait_s("a") == 0
    backoff.failed("a")
    assert backoff.wait_s("a") == 0


@pytest.mark.parametrize(
    ("role", "read", "operate", "administer"),
    [(None, 401, 401, 401), ("ingest", 401, 401, 401), ("viewer", 200, 403, 403), ("operator", 200, 404, 403)],
)
def test_roles(
    guarded: tuple[Service, dict[str, str]], role: str | None, read: int, operate: int, administer: int
) -> None:
    """Each role does what it may: viewers read, operators speak of incidents, the rest is for admins."""
    service, secrets = guarded
    headers = bearer(secrets[role]) if role else {}
    change = {**headers, "content-type": JSON, "x-telltale-request": "1"}
    assert api(service, "GET", "/api/v1/status", headers).status_code == read
    assert api(service, "GET", "/metrics", headers).status_code == read
    acknowledged = api(service, "POST", "/api/v1/incidents/none/acknowledge", change, content=b'{"who": "me"}')
    assert acknowledged.status_code == operate
    assert api(service, "POST", "/api/v1/anything", change, content=b"{}").status_code == administer
    assert api(service, "GET", "/healthz").status_code == 200


def test_every_change_has_a_role() -> None:
    """Reads need a viewer, words on incidents and corrections an operator, every other change an admin."""
    assert needed_role("GET", "/api/v1/calls") is Role.VIEWER
    assert needed_role("POST", "/api/v1/incidents/7/diagnose") is Role.OPERATOR
    assert needed_role("POST", "/api/v1/corrections") is Role.OPERATOR
    assert needed_role("DELETE", "/api/v1/calls") is Role.ADMIN


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": JSON},
        {"x-telltale-request": "1"},
        {"content-type": "text/plain", "x-telltale-request": "1"},
        {"content-type": "application/x-www-form-urlencoded", "x-telltale-request": "1"},
    ],
)
def test_a_strangers_page_cannot_change_anything(service: Service, headers: dict[str, str]) -> None:
    """A change without JSON and our own header is refused before the API sees it, on an open loopback service too."""
    answer = api(service, "POST", "/api/v1/corrections", headers, content=b"{}")
    assert answer.status_code == 415


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "file://"])
def test_a_page_of_another_origin_changes_nothing(guarded: tuple[Service, dict[str, str]], origin: str) -> None:
    """Even with our header (a lax proxy, an extension): 403; the own address and the allowed origins may."""
    service, secrets = guarded
    change = {**bearer(secrets["operator"]), "content-type": JSON, "x-telltale-request": "1"}
    path = "/api/v1/incidents/none/acknowledge"
    assert api(service, "POST", path, {**change, "origin": origin}, content=b'{"who": "me"}').status_code == 403
    for own in (service.urls.api, ORIGIN, "https://a.trusted.example"):
        assert api(service, "POST", path, {**change, "origin": own}, content=b'{"who": "me"}').status_code == 404


ODD_HOSTS = (
    "localhost:80@evil.example",
    "[::1]evil.example",
    "localhost:port",
    "localhost/x",
    "user@localhost",
    "[::1",
)
"""No host and port at all; each names one of this service to a careless reader."""


def test_a_rebound_name_reaches_nothing(service: Service) -> None:
    """Another Host, none, or two: 421 on the API; the configured name and loopback are fine."""
    for host in (
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "[::2]",
        "169.254.169.254",
        *ODD_HOSTS,
    ):
        assert api(service, "GET", "/api/v1/status", {"host": host}).status_code == 421
    for host in ("localhost", "LOCALHOST:99", "127.0.0.1:1", "[::1]:80"):
        assert api(service, "GET", "/api/v1/status", {"host": host}).status_code == 200


def test_a_wildcard_address_is_no_name() -> None:
    """Listening everywhere makes `0.0.0.0` no name of the service; configured names and the reached address are."""
    check = HostCheck(("0.0.0.0", "Telltale.internal."))
    reached = ("10.0.0.7", 4319)
    assert not check.allows(["0.0.0.0:4319"], reached)
    assert check.allows(["telltale.internal:4319"], reached)
    assert check.allows(["10.0.0.7:4319"], reached)
    assert not check.allows(["10.0.0.8:4319"], reached)
    assert not check.allows([], reached)
    assert not check.allows(["localhost", "localhost"], reached)


@pytest.mark.otlp(53, 54)
def test_cors_for_configured_origins(guarded: tuple[Service, dict[str, str]]) -> None:
    """A preflight passes without a token for an allowed origin, exact or by wildcard; others get no CORS headers."""
    service, _ = guarded
    url = service.urls.otlp_http + "/v1/traces"
    for origin in (ORIGIN, "https://a.trusted.example"):
        asked = {"origin": origin, "access-control-request-method": "POST"}
        answer = httpx.options(url, headers=asked)
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == origin
        assert "content-type" in answer.headers["access-control-allow-headers"]
        assert int(answer.headers["access-control-max-age"]) > 0
        assert "access-control-allow-credentials" not in answer.headers
        refused = post(service, b"{}", JSON, origin=origin)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, origin)
    for origin in ("https://evil.example", "https://app.example.com.evil.example", "null"):
        answer = httpx.options(url, headers={"origin": origin, "access-control-request-method": "POST"})
        assert "access-control-allow-origin" not in answer.headers


def command(*arguments: str) -> Result:
    app = typer.Typer()
    cli.register(app)
    return CliRunner().invoke(app, ["token", *arguments])


def test_the_token_command(folder: Path) -> None:
    """create prints the secret once and keeps only its hash, list never shows it, revoke marks the row."""
    db = str(folder / "telltale.db")
    made = command("create", "--role", "ingest", "--project", "shop", "--db", db)
    secret = made.stdout.strip().splitlines()[-1]
    assert secret.startswith("tt_")
    file = token_path(Path(db))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret not in file.read_text()
    assert command("list", "--db", db).output.split()[:3] == ["id", "role", "project"]
    listed = command("list", "--format", "jsonl", "--db", db)
    row = json.loads(listed.stdout)
    assert secret not in listed.stdout
    assert (row["project"], row["revoked"]) == ("shop", None)
    assert command("revoke", row["id"], "--db", db).exit_code == 0
    assert json.loads(command("list", "--format", "jsonl", "--db", db).stdout)["revoked"]
    assert command("revoke", "nothing", "--db", db).exit_code == 2
    assert command("create", "--role", "ingest", "--project", "../up", "--db", db).exit_code == 2
    for role in ("viewer", "operator", "admin"):  # readers see every project: a token must not look as if it did not
        assert command("create", "--role", role, "--project", "shop", "--db", db).exit_code == 2
    file.write_text("{")
    assert command("list", "--db", db).exit_code == 2


def test_a_sender_that_pushes_too_much_must_wait(tmp_path: Path) -> None:
    """Beyond its bytes a second a sender gets 429 with a delay, over gRPC RESOURCE_EXHAUSTED with RetryInfo."""
    running = Service(config_for(tmp_path, limits={"sender_bytes_per_s": 1000}))
    running.start()
    try:
        body = traces(100).SerializeToString()
        assert post(running, body).status_code == 200
        answer = post(running, body)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        with grpc.insecure_channel(running.urls.otlp_grpc.removeprefix("http://")) as channel:
            with pytest.raises(grpc.RpcError) as caught:
                TraceServiceStub(channel).Export(traces(), timeout=30)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "google.rpc.retryinfo-bin" in dict(caught.value.trailing_metadata())
    finally:
        running.stop()


def test_the_rate_refills() -> None:
    """A sender's share comes back with time; senders do not spend each other's."""
    now = [0.0]
    rate = SenderRate(100, burst_s=1, clock=lambda: now[0])
    rate.take("a", 300)
    with pytest.raises(Refusal) as caught:
        rate.take("a", 1)
    assert caught.value.retry_after_s == 3
    rate.take("b", 100)
    now[0] = 3.0
    rate.take("a", 1)


@pytest.mark.parametrize(
    ("roles", "says"),
    [(["ingest"], "spans without a token are refused with 401"), (["viewer", "admin"], "the API, commands with --api")],
)
def test_the_token_command_says_what_it_shuts_and_how_that_is_undone(folder: Path, roles: list[str], says: str) -> None:
    """The first token of a door says what changes, a further one has nothing to tell; the last revoked one says that
    the door stays shut. What reopens it does."""
    db = str(folder / f"{roles[0]}.db")
    first = command("create", "--role", roles[0], "--db", db)
    further = command("create", "--role", roles[-1], "--db", db)
    assert says in first.stderr
    assert says not in further.stderr
    assert f"delete {token_path(Path(db))} " in first.stderr
    rows = [json.loads(line) for line in command("list", "--format", "jsonl", "--db", db).output.splitlines()]
    said = [command("revoke", row["id"], "--db", db).stderr for row in rows]
    assert "stays shut" not in said[0]
    assert "stays shut" in said[-1]
    demanded = (Role.INGEST,) if roles == ["ingest"] else API_ROLES
    assert TokenTable(token_path(Path(db))).demanded(demanded)
    token_path(Path(db)).unlink()
    assert not TokenTable(token_path(Path(db))).demanded(demanded)
