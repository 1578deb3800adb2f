"""Notices as JSON to a webhook."""

from __future__ import annotations

import hashlib

from analytics.alerts.notice import Notice
from analytics.alerts.notifiers.egress import Egress, Poster


class WebhookNotifier:
    """POSTs the notice's body. The header `Idempotency-Key` is the notice's id, the same over repetitions."""

    reaches_people = True

    def __init__(self, url: str, egress: Egress, timeout_s: float = 5.0) -> None:
        """Prepare; raises ValueError where the address is none."""
        self._poster = Poster(url, egress, timeout_s)
        self.name = f"webhook:{self._poster.place}#{hashlib.sha256(url.encode()).hexdigest()[:8]}"

    def send(self, notice: Notice) -> None:
        """POST it; raises DeliveryError."""
        self._poster.post(notice.body, headers={"idempotency-key": notice.id})
