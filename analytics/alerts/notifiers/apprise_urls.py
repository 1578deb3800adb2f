"""Notices to whatever Apprise knows how to reach: chat, pager, mail."""

from __future__ import annotations

import hashlib
from typing import Any

import apprise

from analytics.alerts.notice import Notice
from analytics.alerts.notifiers import DeliveryError
from analytics.alerts.notifiers.egress import Egress

SERVICES = frozenset(
    {
        "discord",
        "gchat",
        "opsgenie",
        "pagerduty",
        "pover",
        "signl4",
        "slack",
        "splunk",
        "tgram",
        "victorops",
        "webexteams",
        "wxteams",
        "workflows",
        "workflow",
    }
)
"""Schemes whose place on the network is the service's own."""

HOSTED = frozenset(
    {"json", "jsons", "mailto", "mailtos", "matrix", "matrixs", "mmost", "mmosts", "ntfy", "ntfys", "rocket", "rockets"}
)
"""Schemes that name a host, which is checked like a webhook's before each use (but resolved again by Apprise)."""

_KINDS = {"firing": apprise.NotifyType.FAILURE, "resolved": apprise.NotifyType.SUCCESS}


class AppriseNotifier:
    """One Apprise address. Redirects are off; the text goes out as plain text."""

    reaches_people = True

    def __init__(self, url: str, egress: Egress) -> None:
        """Read the address.

        Raises:
            ValueError: its scheme is not one of SERVICES or HOSTED, or the rest cannot be read.
        """
        scheme = url.partition("://")[0].lower()
        if scheme not in SERVICES | HOSTED:
            raise ValueError(f"apprise scheme {scheme[:40]!r} is not one of {', '.join(sorted(SERVICES | HOSTED))}")
        asset = apprise.AppriseAsset(http_redirects=False, secure_logging=True)
        plugin: Any = apprise.Apprise.instantiate(url, asset=asset, suppress_exceptions=True)
        if plugin is None:
            raise ValueError(f"the {scheme} address cannot be read by apprise")
        plugin.redirects = False
        self._hosted = scheme in HOSTED
        self._egress = egress
        self._plugin = plugin
        self._apprise = apprise.Apprise(asset=asset)
        self._apprise.add(plugin)
        self.name = f"apprise:{scheme}#{hashlib.sha256(url.encode()).hexdigest()[:8]}"

    def send(self, notice: Notice) -> None:
        """Hand it to Apprise; raises DeliveryError."""
        if self._hosted:
            host = getattr(self._plugin, "smtp_host", None) or self._plugin.host
            self._egress.check(str(host), int(self._plugin.port or 443))
        sent = self._apprise.notify(
            title=notice.title,
            body=notice.text,
            body_format=apprise.NotifyFormat.TEXT,
            notify_type=_KINDS.get(notice.kind, apprise.NotifyType.INFO),
        )
        if not sent:
            raise DeliveryError(f"{self.name.partition('#')[0]}: not delivered")
