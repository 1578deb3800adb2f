"""When somebody must know: rules, episodes, and the notices that leave."""

from analytics.alerts.incident import AlertEvent, Incident
from analytics.alerts.incidents import acknowledge, diagnose, list_incidents
from analytics.alerts.job import AlertJob
from analytics.alerts.notifiers import DeliveryError, Notifier
from analytics.alerts.notifiers.build import build_notifiers
from analytics.alerts.settings import AlertSettings

__all__ = [
    "AlertEvent",
    "AlertJob",
    "AlertSettings",
    "DeliveryError",
    "Incident",
    "Notifier",
    "acknowledge",
    "build_notifiers",
    "diagnose",
    "list_incidents",
]
