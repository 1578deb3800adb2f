"""Notices as one line of the service's log."""

from __future__ import annotations

import structlog

from analytics.alerts.notice import Notice
from analytics.alerts.wording import plain

LINE_CAP = 1000


class LogNotifier:
    """Writes each notice as one structured event. Every value is one capped line, so nothing can forge another."""

    name = "log"
    reaches_people = False

    def __init__(self) -> None:
        self._log = structlog.get_logger("telltale.alerts")

    def send(self, notice: Notice) -> None:
        """Write it; this cannot fail."""
        self._log.warning(
            f"alert_{notice.kind}",
            alert=notice.rule,
            project=plain(notice.project),
            severity=notice.severity,
            title=plain(notice.title, LINE_CAP),
            incidents=notice.body["count"],
            notice=notice.id,
            dashboard=notice.body["dashboard"],
        )
