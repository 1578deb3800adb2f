"""The whole service in one process: receivers, store, judge, alerts, query API. Wires; decides nothing."""

from __future__ import annotations

import gc
import json
import os
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass

import structlog

from analytics.api import create_app
from analytics.store import Receipt
from collector import parts
from collector.access.api import ApiDoor
from collector.access.hosts import HostCheck
from collector.access.ingest import IngestAccess
from collector.access.rate import SenderRate
from collector.access.tokens import API_ROLES, Role, TokenTable, token_path
from collector.config import Config, ConfigError
from collector.config_names import misspelt
from collector.figures import Figures, Parts
from collector.intake import InFlight
from collector.lag import JudgeLag
from collector.loop_thread import LoopThread
from collector.metrics import Metrics
from collector.receiver.cors import Cors
from collector.receiver.grpc_server import GrpcReceiver
from collector.receiver.http_app import HttpReceiver
from collector.receiver.http_protocol import HttpServer
from collector.sockets import PortTaken, bind, taken, url_host
from collector.store import DuckDBStore, retention
from collector.store.backup import backup
from collector.store.retention import Terms
from collector.store.stats import why_not_taking
from collector.system_routes import SystemRoutes
from collector.tls import ServerTls
from collector.worker import Worker

log = structlog.get_logger("collector.service")

JUDGE_EVERY_S = 0.5
"""How long the judge rests when nothing arrives; an append wakes it at once."""

TRACING_EVERY_S = 1.0
"""How often a service that traces itself looks for a checkpoint."""

ALERT_EVERY_S = 10.0
"""How often alert rules are evaluated."""

BEHIND_S, HOPELESS_S = 1.5, 30.0
"""Lag of the judge, in seconds, from which senders are made to wait, and up to which that makes sense."""

DRAIN_S = 2
"""How long requests in progress may take on each port when the service stops."""

GC_THRESHOLDS = (500_000, 20, 50)
"""Spans come and go by the ten thousand and hold no cycles: Python's default (700, 10, 10) spends a tenth of the
process's time looking for some."""

WORKER_STOP_S = 2
START_S = 10


@dataclass(slots=True, frozen=True)
class Urls:
    """Where the running service answers; ports as bound, also when 0 was asked for."""

    otlp_grpc: str
    otlp_http: str
    api: str


class Service:
    """Start it, send to `urls`, stop it. Usable inside any process that leaves the database file to it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.metrics = Metrics()
        self.urls = Urls("", "", "")
        self.tokens = _tokens(config)
        self.store: DuckDBStore | None = None
        self._why_not_ready: str | None = "starting"
        self._workers: dict[str, Worker] = {}
        self._lag, self._not_reached = JudgeLag(), JudgeLag()

    def start(self) -> None:
        """Bind, open the store, serve. Nothing is left running when it fails.

        Raises:
            ConfigError: an address beyond this machine without tokens.
            PortTaken: a port cannot be bound.
            analytics.store.StoreUnavailable: another process owns the database.
        """
        with ExitStack() as undo:
            self._start(undo)
            self._stack = undo.pop_all()

    def stop(self) -> None:
        """Stop accepting, answer what was taken, finish the judge's round, close the store: less than five seconds."""
        self._why_not_ready = "shutting down"
        started = time.monotonic()
        self._stack.close()
        log.info("stopped", seconds=round(time.monotonic() - started, 2))

    def _start(self, undo: ExitStack) -> None:
        """Start part by part; `undo` learns how to stop each, and stops them in the opposite order."""
        config = self.config
        _check_exposure(config, self.tokens)
        for sentence in misspelt(os.environ):
            log.warning("unknown_variable", said=sentence)
        gc.set_threshold(*GC_THRESHOLDS)
        tls = ServerTls(config.tls)
        http_socket = undo.enter_context(closing(bind(config.host, config.otlp_http_port, "--otlp-http-port")))
        api_socket = undo.enter_context(closing(bind(config.host, config.api_port, "--api-port")))
        if config.otlp_grpc_port:
            bind(config.host, config.otlp_grpc_port, "--otlp-grpc-port").close()
        store = self.store = undo.enter_context(closing(DuckDBStore(config.db, config.store.options())))
        self._tell_of_recovery(store)
        self._tracing = parts.self_tracing(config, _version())
        self._start_workers(store, undo)
        self._start_intake(store, undo)
        api_port = api_socket.getsockname()[1]
        self._start_api(store, api_socket, undo)
        http_port = http_socket.getsockname()[1]
        grpc_port = self._start_receivers(http_socket, tls, undo)
        if self._tracing is not None:
            undo.callback(self._tracing.close)  # the first to be closed: what it sends may come here
        host = url_host(config.host)
        self.urls = Urls(
            f"{tls.scheme}://{host}:{grpc_port}", f"{tls.scheme}://{host}:{http_port}", f"http://{host}:{api_port}"
        )
        self._why_not_ready = None
        self._write_ready_file(undo)
        log.info("ready", db=str(config.db), **{name: getattr(self.urls, name) for name in Urls.__slots__})

    def _tell_of_recovery(self, store: DuckDBStore) -> None:
        """What opening the store found: loudly, and again in the API's `status`."""
        tell = log.error if store.recovery.damaged else log.info
        for sentence in store.recovery.sentences():
            tell("recovery", said=sentence)

    def _start_workers(self, store: DuckDBStore, undo: ExitStack) -> None:
        config = self.config
        self._judge = parts.judge_job(store, config)
        self._lag.recall(store, self._judge.watermark, time.time_ns())
        self.metrics.clocks.recall(store, time.time_ns())
        self._alerts = parts.alert_job(store, config)
        judging = self._judge.run_once if self._tracing is None else self._tracing.judging(self._judge)
        self._workers["judge"] = Worker("judge", judging, JUDGE_EVERY_S)
        if (tracing := self._tracing) is not None:
            look = lambda: tracing.look_for_checkpoints(store)  # noqa: E731
            self._workers["tracing"] = Worker("tracing", look, TRACING_EVERY_S)
        if config.alerts.enabled:
            self._workers["alerts"] = Worker("alerts", self._evaluate_alerts, ALERT_EVERY_S)
        terms = {name: each.terms() for name, each in config.retention.projects.items()}
        self._workers["retention"] = Worker(
            "retention", lambda: _retain(store, terms, config.retention.terms()), config.retention.every_s
        )
        for worker in self._workers.values():
            worker.start()
            undo.callback(worker.stop, WORKER_STOP_S)

    def _evaluate_alerts(self) -> int:
        self._alerts.run_once(time.time_ns())
        return 0

    def _start_intake(self, store: DuckDBStore, undo: ExitStack) -> None:
        config = self.config
        self._redactor = parts.redactor(config)
        self._in_flight = InFlight(config.limits.in_flight_bytes, self.metrics)
        self._intake = parts.intake(
            store,
            self.metrics,
            self._tracing,
            redact=parts.redact(self._redactor),
            limits=config.limits.decode(),
            behind=self._judge_behind,
            on_append=self._appended,
        )
        self._intake.start()
        undo.callback(self._intake.close, DRAIN_S)

    def _judge_behind(self) -> bool:
        """Whether the judge needs a moment: it works, but freshness is at stake. One that hangs stops no ingest."""
        lag = self._not_reached.seconds(self._judge.watermark, time.time())
        return BEHIND_S < lag < HOPELESS_S

    def _appended(self, receipt: Receipt) -> None:
        for lag in (self._lag, self._not_reached):
            lag.arrived(receipt.last_seq, time.time())
        self._workers["judge"].wake()

    def _start_api(self, store: DuckDBStore, sock: socket.socket, undo: ExitStack) -> None:
        figures = Figures(
            Parts(store, self.metrics, self._judge, self._alerts, self._lag, self._redactor, self._workers, _version())
        )
        self.metrics.registry.register(figures)
        app = create_app(
            store,
            self.config.judge_settings(),
            status=lambda: {**figures.status(), "otlp_http": self.urls.otlp_http},
            alerts=self._alerts,
        )
        routes = SystemRoutes(
            app, lambda: self._why_not_ready or why_not_taking(store), self.metrics.text, lambda: backup(store)
        )
        door = ApiDoor(routes, self.tokens, self._hosts(), self._cors().allows)
        loop = undo.enter_context(LoopThread("api"))
        api = HttpServer(door, sock, self.config.limits.connection(), grace_s=1)
        loop.run(api.start(), START_S)
        undo.callback(lambda: loop.run(api.stop(), DRAIN_S + 1))

    def _start_receivers(self, http_socket: socket.socket, tls: ServerTls, undo: ExitStack) -> int:
        """Both OTLP ports on one loop; returns the port of gRPC."""
        config, limits = self.config, self.config.limits
        access = IngestAccess(self.tokens, SenderRate(limits.sender_bytes_per_s))
        loop = undo.enter_context(LoopThread("receivers"))
        self._grpc = GrpcReceiver(
            self._intake,
            self._in_flight,
            self.metrics,
            access,
            message_bytes=limits.grpc_message_bytes,
            connections=limits.connection(),
        )
        host = f"[{config.host}]" if ":" in config.host else config.host
        try:
            port = loop.run(self._grpc.start(f"{host}:{config.otlp_grpc_port}", tls.grpc), START_S)
        except OSError as error:
            raise taken(config.host, config.otlp_grpc_port, "--otlp-grpc-port", error) from None
        undo.callback(lambda: loop.run(self._grpc.stop(DRAIN_S), DRAIN_S + 1))
        app = HttpReceiver(
            self._intake,
            self._in_flight,
            self.metrics,
            access,
            hosts=self._hosts(),
            cors=self._cors(),
            body_bytes=limits.http_body_bytes,
        )
        self._http = HttpServer(app, http_socket, limits.connection(), ssl_context=tls.http, grace_s=DRAIN_S)
        loop.run(self._http.start(), START_S)
        undo.callback(lambda: loop.run(self._http.stop(), DRAIN_S + 1))
        return port

    def _hosts(self) -> HostCheck:
        return HostCheck((*self.config.allowed_hosts, self.config.host))

    def _cors(self) -> Cors:
        return Cors(self.config.cors_origins, self.config.cors_headers)

    def _write_ready_file(self, undo: ExitStack) -> None:
        path = self.config.ready_file
        if path is not None:
            fresh = path.with_name(path.name + ".new")
            urls = {name: getattr(self.urls, name) for name in Urls.__slots__}
            try:
                fresh.write_text(json.dumps({"pid": os.getpid(), **urls}))
                fresh.replace(path)
            except OSError as error:
                raise ConfigError(f"--ready-file {path} cannot be written: {error.strerror}") from None
            undo.callback(path.unlink, missing_ok=True)


def _tokens(config: Config) -> TokenTable:
    try:
        return TokenTable(token_path(config.db))
    except (ValueError, OSError) as error:
        raise ConfigError(str(error)) from None


def _check_exposure(config: Config, tokens: TokenTable) -> None:
    """An address beyond this machine needs tokens for both doors, or the owner's word."""
    if config.on_loopback() or config.insecure:
        return
    if not tokens.demanded((Role.INGEST,)) or not tokens.demanded(API_ROLES):
        raise ConfigError(
            f"--host {config.host} is reachable from other machines, so senders and readers need tokens: "
            "`telltale token create --role ingest` and `--role viewer` (or operator, admin); "
            "or say --insecure to run without"
        )


def _retain(store: DuckDBStore, terms: Mapping[str, Terms], default: Terms) -> int:
    """One round of retention; always rests afterwards."""
    dropped = retention.apply(store, terms, default)
    if dropped.tables or dropped.payloads or dropped.calls:
        log.info("retention", tables=len(dropped.tables), payloads=dropped.payloads, calls=dropped.calls)
    return 0


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("telltale-otel")
    except PackageNotFoundError:
        return "unknown"


__all__ = ["PortTaken", "Service", "Urls"]
