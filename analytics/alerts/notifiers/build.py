"""The notifiers that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from analytics.alerts.notifiers import Notifier
from analytics.alerts.notifiers.alertmanager import AlertmanagerNotifier
from analytics.alerts.notifiers.egress import Egress
from analytics.alerts.notifiers.log import LogNotifier
from analytics.alerts.notifiers.webhook import WebhookNotifier
from analytics.alerts.settings import AlertSettings


def build_notifiers(settings: AlertSettings) -> list[Notifier]:
    """The log, and every destination of the settings.

    Raises:
        ValueError: an address cannot be used; the text names the setting and its position, never the address itself.
    """
    egress = Egress(settings.allow_private)
    built: list[Notifier] = [LogNotifier()]
    for number, url in enumerate(settings.webhooks):
        with _naming("webhooks", number):
            built.append(WebhookNotifier(url, egress, settings.webhook_timeout_s))
    for number, url in enumerate(settings.alertmanagers):
        with _naming("alertmanagers", number):
            built.append(AlertmanagerNotifier(url, egress, settings))
    for number, url in enumerate(settings.apprise):
        from analytics.alerts.notifiers.apprise_urls import AppriseNotifier  # slow to import, and rarely used

        with _naming("apprise", number):
            built.append(AppriseNotifier(url, egress))
    return built


@contextmanager
def _naming(key: str, number: int) -> Iterator[None]:
    """Names the setting in what is raised inside."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"alerts.{key}[{number}]: {error}") from error
