"""`telltale doctor`: is everything as it should be, and if not, what to do."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import duckdb
import typer
from rich.console import Console
from rich.filesize import decimal
from rich.text import Text

from analytics.alerts import AlertSettings, build_notifiers
from analytics.alerts.notifiers import DeliveryError
from analytics.alerts.notifiers.egress import Egress, ForbiddenDestinationError
from analytics.alerts.wording import count, duration
from analytics.client import ApiClient, ApiError, ApiUnavailable
from analytics.commands.output import plain
from analytics.schema import SCHEMA_VERSION
from collector import logs
from collector.access.tokens import API_ROLES, Role, TokenTable, token_path
from collector.config import Config, ConfigError, load
from collector.config_names import misspelt
from collector.sockets import PortTaken, bind, url_host
from collector.store import Options
from collector.store.migration import shape_of
from collector.store.opening import is_strange, missing_folder
from collector.store.stats import free_disk

OK, WARN, FAIL = "ok", "warn", "fail"
_COLOURS = {OK: "green", WARN: "yellow", FAIL: "bold red"}
ALL_WELL, SOMETHING_WRONG, BAD_USAGE = 0, 1, 2
_LAG_S = 60.0
_YEAR_S = 365.25 * 86_400


@dataclass(slots=True, frozen=True)
class Finding:
    """One thing looked at: what, how it is, and a sentence."""

    what: str
    state: str
    said: str


def doctor(
    config: Annotated[Path | None, typer.Option(help="Settings file.", envvar="TELLTALE_CONFIG")] = None,
    db: Annotated[Path | None, typer.Option(help="Database file.", show_default="telltale.db")] = None,
    api: Annotated[str | None, typer.Option(help="Address of the running service's API.")] = None,
    token: Annotated[str | None, typer.Option(help="API token.", envvar="TELLTALE_API_TOKEN")] = None,
    form: Annotated[str, typer.Option("--format", help="table or jsonl")] = "table",
) -> None:
    """Look at settings, ports, disk, store, clock, senders, mapping losses and alert destinations.

    Exit codes: 0 all well (warnings included), 1 something is wrong, 2 a setting cannot be read.
    """
    logs.configure("error")
    try:
        settings = load(config, db=db)
    except ConfigError as error:
        print(f"telltale doctor: {error}", file=sys.stderr)
        raise SystemExit(BAD_USAGE) from None
    failed = False
    console = Console()
    for finding in _look(settings, api or f"http://{url_host(settings.host)}:{settings.api_port}", token):
        failed |= finding.state == FAIL
        if form == "jsonl":
            print(json.dumps(asdict(finding)))
        else:
            said = plain(f"{finding.what:12}{finding.said}")  # names of senders are hostile data
            line = Text.assemble((f"{finding.state:5}", _COLOURS[finding.state]), said)
            console.print(line, soft_wrap=True)
    raise SystemExit(SOMETHING_WRONG if failed else ALL_WELL)


def _look(config: Config, api: str, token: str | None) -> Iterator[Finding]:
    for sentence in misspelt(os.environ):
        yield Finding("settings", WARN, sentence)
    yield from _access(config)
    try:
        with ApiClient(api, token=token) as client:
            status, senders = client.get("status"), client.get("senders")
    except ApiUnavailable:
        yield Finding("service", WARN, f"nobody answers at {api}; looking at the files instead")
        yield from _ports(config)
        yield from _file(config)
    except ApiError as error:
        yield Finding("service", FAIL, f"{api} refuses: {error}")
    else:
        yield from _service(status, api)
        yield from _senders(senders["rows"])
    yield from _disk(config)
    yield from _clock(config.db)
    yield from _destinations(config.alerts)


def _access(config: Config) -> Iterator[Finding]:
    try:
        tokens = TokenTable(token_path(config.db))
    except (ValueError, OSError) as error:
        yield Finding("tokens", FAIL, str(error))
        return
    guarded = tokens.demanded((Role.INGEST,)) and tokens.demanded(API_ROLES)
    if config.on_loopback():
        yield Finding("exposure", OK, f"only this machine reaches {config.host}")
    elif guarded:
        yield Finding("exposure", OK, f"{config.host} is open to other machines; both doors demand tokens")
    else:
        yield Finding(
            "exposure", WARN if config.insecure else FAIL, f"{config.host} is open and no tokens are demanded"
        )


def _ports(config: Config) -> Iterator[Finding]:
    for flag in ("otlp-grpc-port", "otlp-http-port", "api-port", "dashboard-port"):
        port = getattr(config, flag.replace("-", "_"))
        try:
            bind(config.host, port, f"--{flag}").close()
        except PortTaken as error:
            yield Finding("port", FAIL, str(error))
        else:
            yield Finding("port", OK, f"{port} is free ({flag})")


def _file(config: Config) -> Iterator[Finding]:
    missing = missing_folder(config.db)
    if missing:
        yield Finding("store", FAIL, missing)
        return
    if not config.db.is_file():
        yield Finding("store", OK, f"{config.db} does not exist yet; the first start makes it")
        return
    try:
        if is_strange(config.db):
            yield Finding("store", FAIL, f"{config.db} is no DuckDB database; name another file")
            return
        with duckdb.connect(str(config.db), read_only=True) as connection:
            shape = shape_of(connection)
    except (duckdb.Error, OSError) as error:
        yield Finding("store", FAIL, f"{config.db} cannot be opened: {str(error).splitlines()[0][:200]}")
        return
    if shape is None or shape > SCHEMA_VERSION:
        yield Finding("store", FAIL, f"{config.db} is not a file that this release understands (shape {shape})")
    elif shape < SCHEMA_VERSION:
        yield Finding("store", WARN, f"shape {shape}; the next start backs it up and migrates it to {SCHEMA_VERSION}")
    else:
        yield Finding("store", OK, f"{config.db} is of shape {shape}, {decimal(config.db.stat().st_size)}")


def _service(status: dict[str, object], api: str) -> Iterator[Finding]:
    yield Finding("service", OK, f"{api} answers, release {status.get('version')}")
    lag = status.get("judged_lag_s")
    if isinstance(lag, (int, float)):
        yield Finding("judge", WARN if lag > _LAG_S else OK, f"{lag:.1f} s behind the receivers")
    unreadable = status.get("unreadable_traces")
    if unreadable:
        yield Finding("judge", WARN, f"failed on some traces: {json.dumps(unreadable)[:200]}")
    if status.get("damage"):
        yield Finding("store", FAIL, str(status["damage"]))
    recovery = status.get("recovery")
    for sentence in recovery if isinstance(recovery, list) else ():
        yield Finding("store", WARN, f"at the last start: {sentence}")
    refused = status.get("refused")
    for reason, number in (refused if isinstance(refused, dict) else {}).items():
        yield Finding("refused", WARN, f"{number} {reason}")
    ahead = status.get("clocks_ahead_s")
    for service, seconds in (ahead if isinstance(ahead, dict) else {}).items():
        said = f"runs {_long(seconds)} ahead of this one; its calls are seen that much later, and with --since all"
        yield Finding("sender", WARN, f"the clock of {json.dumps(service)} {said}")
    waiting = status.get("notices_waiting")
    for destination, number in (waiting if isinstance(waiting, dict) else {}).items():
        yield Finding("alerts", WARN, f"waiting for {destination}: {count(number, 'notice')}")


def _senders(rows: list[dict[str, object]]) -> Iterator[Finding]:
    calls: dict[str, int] = {}
    for row in rows:
        service = str(row["service"])
        calls[service] = calls.get(service, 0) + int(str(row["calls"]))
        lost = row.get("lost")
        for loss in lost if isinstance(lost, list) else ():
            yield Finding("mapping", WARN, f"{service}: {_loss(loss)}")
    for service, number in calls.items():
        said = (
            f"{service}: {count(number, 'tool call')}" if number else f"{service} sends spans, but none is a tool call"
        )
        yield Finding("sender", OK if number else WARN, said)
    if not rows:
        yield Finding("sender", WARN, "no spans have come yet")


def _loss(loss: object) -> str:
    """What was missing, on how many calls, and what would bring it."""
    if not isinstance(loss, dict):
        return str(loss)
    switch = loss.get("switch")
    said = f"{loss.get('what')} missing on {count(int(loss.get('calls') or 0), 'call')}"
    return f"{said}; what brings it: {switch}" if switch else said


def _long(seconds: int) -> str:
    """A time that may be centuries."""
    return f"{seconds / _YEAR_S:,.0f} years" if seconds >= 2 * _YEAR_S else duration(seconds)


def _disk(config: Config) -> Iterator[Finding]:
    if missing_folder(config.db):
        return
    free, total = free_disk(config.db.absolute())
    floor = Options(free_floor_bytes=config.store.free_floor_bytes).floor(total)
    state = FAIL if free < floor else WARN if free < 3 * floor else OK
    yield Finding("disk", state, f"{decimal(free)} free; below {decimal(floor)} nothing more is taken")


def _clock(db: Path) -> Iterator[Finding]:
    now = time.time()
    newest = max((path.stat().st_mtime for path in (db, Path(f"{db}.wal")) if path.exists()), default=now)
    if newest > now + 60:
        yield Finding("clock", FAIL, f"the database was written {newest - now:.0f} s in the future of this clock")
    else:
        yield Finding("clock", OK, f"of this machine: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(now))}")


def _destinations(alerts: AlertSettings) -> Iterator[Finding]:
    try:
        notifiers = build_notifiers(alerts)
    except ValueError as error:
        yield Finding("alerts", FAIL, str(error))
        return
    people = [notifier.name for notifier in notifiers if notifier.reaches_people]
    if people:
        yield Finding("alerts", OK, f"notices go to {', '.join(people)}; `telltale alerts test` sends one")
    else:
        yield Finding("alerts", WARN, "no destination is configured: notices stay in the log")
    for key in ("webhooks", "alertmanagers"):
        for number, url in enumerate(getattr(alerts, key)):
            yield from _reached(f"alerts.{key}[{number}]", url, alerts)


def _reached(name: str, url: str, alerts: AlertSettings) -> Iterator[Finding]:
    """Whether notices may go to the addresses that a host has today. Nothing is sent, and the address stays unsaid: it
    may hold a secret."""
    try:
        Egress(alerts.allow_private).check(urlsplit(url).hostname or "", 443)
    except ForbiddenDestinationError as error:
        yield Finding("alerts", FAIL, f"{name}: {error}")
    except DeliveryError as error:
        yield Finding("alerts", WARN, f"{name}: {error}")
