"""The sections of `telltale.toml`, each a table of settings with its defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import ConfigDict, Field

from analytics.alerts.settings import AlertSettings
from collector.config_kinds import Networks, Strict, WebAddress, check_destination
from collector.config_nearest import nearest
from collector.config_words import like
from collector.decode import DecodeLimits
from collector.receiver.http_protocol import ConnectionLimits
from collector.store import Limits, Options
from collector.store.retention import Terms

MIB = 1024 * 1024

Size = Annotated[str, like(r"\d+\s*(KB|MB|GB|KiB|MiB|GiB)", "must be a size such as 450MB or 1GiB")]
Address = Annotated[
    str,
    like(
        r"(https?|grpc)://[^/\s]+(/\S*)?", "must be an address such as http://collector:4318 or grpc://collector:4317"
    ),
]


class _Section(Strict):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolConfig(_Section):
    """`[tools.NAME]`: what spans cannot tell of a tool (see `analytics.settings.ToolSettings`)."""

    empty_is_normal: bool = False
    content: bool | None = None
    changes_state: bool | None = None
    mute: frozenset[str] = frozenset()
    budget: int = Field(default=2, ge=1)
    owner: str | None = None
    runbook: str | None = None

    @pydantic.field_validator("mute")
    @classmethod
    def _known(cls, value: frozenset[str]) -> frozenset[str]:
        from analytics.judge.rules import ALL_RULES  # not needed by the commands that mute nothing

        for rule in sorted(value - ALL_RULES.keys()):
            near = nearest(rule, ALL_RULES)
            meant = f"; the nearest is {near}" if near else "; `telltale rules` lists them"
            raise ValueError(f"must be ids of rules, and {rule[:60]!r} is none{meant}")
        return value


_NAME_A_HOST = frozenset({"json", "jsons", "matrix", "matrixs", "mmost", "mmosts", "rocket", "rockets"})
"""Apprise schemes in which a host, and nothing else, follows the user: elsewhere a number there may be a topic."""


class AlertsConfig(Strict, AlertSettings):
    """`[alerts]`: as `AlertSettings`, with addresses that can be used."""

    allow_private: Networks = ()
    dashboard_url: WebAddress = AlertSettings.model_fields["dashboard_url"].default
    runbook_url: WebAddress | None = None

    @pydantic.model_validator(mode="after")
    def _reachable(self) -> AlertsConfig:
        for key in ("webhooks", "alertmanagers", "apprise"):
            for number, url in enumerate(getattr(self, key)):
                if key != "apprise" or url.partition("://")[0].lower() in _NAME_A_HOST:
                    check_destination(f"{key}[{number}]", url, self.allow_private)
        return self


class JudgeConfig(_Section):
    """`[judge]`: where a loop begins (the same call with the same result, so many times)."""

    retry_storm_calls: int = Field(default=5, ge=2)


class RedactionSection(_Section):
    """`[redaction]`: kinds left alone, further key names to mask, and the allow list of the strict mode.

    See `telltale.redaction.RedactionConfig`.
    """

    off: frozenset[str] = frozenset()
    extra_keys: frozenset[str] = frozenset()
    allow: tuple[str, ...] | None = None


class TlsConfig(_Section):
    """`[tls]`: TLS on both OTLP ports; with `client_ca`, clients must show a certificate of that authority."""

    certificate: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None

    @pydantic.model_validator(mode="after")
    def _whole(self) -> TlsConfig:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key are needed together")
        if self.client_ca is not None and self.certificate is None:
            raise ValueError("client_ca needs certificate and key")
        for path in (self.certificate, self.key, self.client_ca):
            if path is not None and not path.is_file():
                raise ValueError(f"there is no file {path}")
        return self


class LimitsConfig(_Section):
    """`[limits]`: bytes, counts and seconds that a sender may use."""

    grpc_message_bytes: int = Field(default=4 * MIB, ge=1024)
    http_body_bytes: int = Field(default=20 * MIB, ge=1024)
    in_flight_bytes: int = Field(default=64 * MIB, ge=1024)
    records: int = Field(default=50_000, ge=1)
    attributes: int = Field(default=512, ge=1)
    events: int = Field(default=256, ge=1)
    payload_chars: int = Field(default=256 * 1024, ge=1)
    value_chars: int = Field(default=16 * 1024, ge=1)
    header_s: float = Field(default=5, gt=0)
    body_s: float = Field(default=10, gt=0)
    idle_s: float = Field(default=60, ge=1)
    peer_connections: int = Field(default=200, ge=1)
    connections: int = Field(default=5_000, ge=1)
    sender_bytes_per_s: int | None = Field(default=None, ge=1)

    def decode(self) -> DecodeLimits:
        """The caps of the decoder."""
        return DecodeLimits(
            records=self.records,
            attributes=self.attributes,
            events=self.events,
            payload_chars=self.payload_chars,
            value_chars=self.value_chars,
        )

    def connection(self) -> ConnectionLimits:
        """The limits of HTTP connections."""
        return ConnectionLimits(
            header_s=self.header_s,
            body_s=self.body_s,
            idle_s=self.idle_s,
            peer_connections=self.peer_connections,
            connections=self.connections,
        )


class StoreConfig(_Section):
    """`[store]`: what DuckDB may use, and the one folder that backups go to."""

    memory_limit: Size = "450MB"
    threads: int = Field(default=1, ge=1)
    checkpoint_threshold: Size = "256MB"
    backup_folder: Path | None = None
    free_floor_bytes: int | None = Field(default=None, ge=0)

    @pydantic.field_validator("backup_folder")
    @classmethod
    def _folder(cls, value: Path | None) -> Path | None:
        if value is not None and value.exists() and not value.is_dir():
            raise ValueError(f"{value} is no folder")
        return value

    def options(self) -> Options:
        """How the store is run."""
        limits = Limits(
            memory_limit=self.memory_limit,
            threads=self.threads,
            checkpoint_threshold=self.checkpoint_threshold,
            backup_folder=self.backup_folder,
        )
        return Options(limits=limits, free_floor_bytes=self.free_floor_bytes)


class TracingConfig(_Section):
    """`[tracing]`: where the service sends spans of its own work; off without an endpoint.

    `ratio` is the share of its own traces that is kept. `endpoint` may be this service: its own spans make no further
    ones (see `collector.tracing`).
    """

    endpoint: Address | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    ratio: float = Field(default=1.0, ge=0, le=1)


class TermsConfig(_Section):
    """How long rows are kept, in days, and how many bytes of spans; nothing given keeps them for ever."""

    span_days: int | None = Field(default=None, ge=0)
    payload_days: int | None = Field(default=None, ge=0)
    verdict_days: int | None = Field(default=None, ge=0)
    max_bytes: int | None = Field(default=None, ge=1)

    def terms(self) -> Terms:
        """As the store takes them."""
        return Terms(self.span_days, self.payload_days, self.verdict_days, self.max_bytes)


class RetentionConfig(TermsConfig):
    """`[retention]` for every project, `[retention.projects.NAME]` for one."""

    projects: dict[str, TermsConfig] = Field(default_factory=dict)
    every_s: float = Field(default=600, gt=0)
