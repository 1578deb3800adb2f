"""What a maintainer may set about alerts (`[alerts]` in telltale.toml)."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network

from pydantic import BaseModel, ConfigDict, Field

Network = IPv4Network | IPv6Network


class AlertSettings(BaseModel):
    """Where notices go and how patient the rules are. Times are seconds; the defaults are the measured ones.

    `lag_s`: windows end this long before now, so that spans still on their way are counted. `late_after_s`: a call
    that arrived later than this after it ended never alerts. `keep_firing_s`: an incident is over when its rule has
    not been met for this long. `group_interval_s` and `storm_size`: once a group of incidents has told of
    `storm_size`, further members wait for the interval. `ticket_wait_s`: how long a ticket waits for the page that it
    may become. `webhooks`, `alertmanagers`, `apprise`: destinations. `allow_private`: networks in private, loopback
    or link-local ranges that destinations may lie in; every other such address is refused. `never_sessions`: distinct
    sessions that make a page on a tool which otherwise never shows that failure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    lag_s: float = Field(default=10.0, ge=0)
    late_after_s: float = Field(default=900.0, gt=0)
    keep_firing_s: float = Field(default=900.0, gt=0)
    never_sessions: int = Field(default=3, ge=1)
    group_interval_s: float = Field(default=300.0, ge=0)
    storm_size: int = Field(default=10, ge=1)
    ticket_wait_s: float = Field(default=20.0, ge=0)
    resend_s: float = Field(default=60.0, gt=0)
    give_up_s: float = Field(default=86_400.0, gt=0)
    no_data: bool = True
    digest_hour_utc: int | None = Field(default=None, ge=0, le=23)
    webhooks: tuple[str, ...] = ()
    webhook_timeout_s: float = Field(default=5.0, gt=0)
    alertmanagers: tuple[str, ...] = ()
    apprise: tuple[str, ...] = ()
    allow_private: tuple[Network, ...] = ()
    dashboard_url: str = "http://127.0.0.1:8501"
    runbook_url: str | None = None
