"""The alert job: evaluates the rules, keeps the incidents, and sees to it that people hear of them, once."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import structlog

from analytics.alerts import digest, episodes, incidents, notice, outbox
from analytics.alerts.evaluator import Evaluator
from analytics.alerts.incident import AlertEvent, Incident, from_rows, to_arrow
from analytics.alerts.notifiers import DeliveryError, Notifier
from analytics.alerts.notifiers.alertmanager import AlertmanagerNotifier
from analytics.alerts.queries import sql
from analytics.alerts.reader import HOUR, SECOND, WEEK
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import plain
from analytics.settings import JudgeSettings
from analytics.store import Store

KEEP_NOTICES_NS = 30 * 24 * HOUR
"""How long the outbox remembers notices."""

_log = structlog.get_logger("telltale.alerts")


class AlertJob:
    """Called every ten seconds by the service. Everything it knows is in the store, so it may be restarted any time."""

    def __init__(
        self, store: Store, settings: AlertSettings, notifiers: Sequence[Notifier], tools: JudgeSettings
    ) -> None:
        self._store = store
        self._settings = settings
        self._notifiers = notifiers
        self._evaluator = Evaluator(store, settings, tools)
        self._outbox = outbox.Outbox(store, notifiers, settings)
        self._refreshed_ns = 0
        self._tidied_ns = 0
        self._one_at_a_time = threading.Lock()

    def run_once(self, now_ns: int) -> list[AlertEvent]:
        """Evaluate every rule as of `now_ns`, store what changed, and deliver what waits.

        Returns:
            What began, grew graver or ended.

        Raises:
            StoreUnavailable: nothing of this evaluation is kept; call again.
        """
        with self._one_at_a_time:
            known = from_rows(self._store.read(sql("open_incidents"), {"since_ns": now_ns - WEEK}).to_pylist())
            changes = self._evaluator.evaluate(known, now_ns, self._outbox.health())
            self._store_changes(known, changes, now_ns)
            self._outbox.deliver(now_ns)
            self._refresh(known, changes, now_ns)
            self._tidy(now_ns)
            return changes.events

    def acknowledge(self, incident_id: str, who: str) -> Incident:
        """Somebody has seen it; see `incidents.acknowledge`."""
        return incidents.acknowledge(self._store, incident_id, who)

    def diagnose(self, incident_id: str, who: str, cause: str) -> Incident:
        """Somebody knows the cause; see `incidents.diagnose`."""
        return incidents.diagnose(self._store, incident_id, who, cause)

    def health(self) -> list[outbox.Health]:
        """Destinations with notices waiting."""
        return self._outbox.health()

    def _store_changes(self, known: Sequence[Incident], changes: episodes.Changes, now_ns: int) -> None:
        """Write changed incidents and the notices about them in one transaction."""
        everything = {incident.id: incident for incident in known} | changes.incidents
        before = {id_: (i.announced_ns, i.settled_ns) for id_, i in everything.items()}
        notices = notice.due(everything.values(), self._settings, now_ns) + self._digests(now_ns)
        told = [i for id_, i in everything.items() if (i.announced_ns, i.settled_ns) != before[id_]]
        changed = changes.incidents | {incident.id: incident for incident in told}
        if not changed and not notices:
            return
        ids = {"ids": list(changed)}
        with self._store.write() as transaction:
            for row in transaction.query(sql("spoken"), ids).to_pylist():
                _hear(changed[row["id"]], row)
            transaction.execute(sql("forget"), ids)
            if changed:
                transaction.insert("alert", to_arrow(list(changed.values())))
            outbox.put(transaction, notices, [notifier.name for notifier in self._notifiers], now_ns)

    def _digests(self, now_ns: int) -> list[notice.Notice]:
        if self._settings.digest_hour_utc is None:
            return []
        return digest.due(self._store, self._settings, self._evaluator.projects(now_ns), now_ns)

    def _tidy(self, now_ns: int) -> None:
        """Drop what the outbox delivered long ago, once an hour."""
        if now_ns - self._tidied_ns >= HOUR:
            self._tidied_ns = now_ns
            with self._store.write() as transaction:
                transaction.execute(sql("tidy"), {"before_ns": now_ns - KEEP_NOTICES_NS})

    def _refresh(self, known: Sequence[Incident], changes: episodes.Changes, now_ns: int) -> None:
        """Tell Alertmanager again of what still fires; it forgets what it is not told."""
        if now_ns - self._refreshed_ns < self._settings.resend_s * SECOND:
            return
        self._refreshed_ns = now_ns
        everything = {incident.id: incident for incident in known} | changes.incidents
        firing = [i for i in everything.values() if i.open and i.announced_ns is not None]
        for notifier in self._notifiers:
            if isinstance(notifier, AlertmanagerNotifier):
                try:
                    notifier.refresh(firing, now_ns)
                except DeliveryError as failure:
                    _log.warning("alertmanager_not_refreshed", reason=plain(str(failure), 300))


def _hear(incident: Incident, row: Mapping[str, object]) -> None:
    """Take over what people said while the rules were evaluated; their word is never overwritten."""
    over = not incident.open
    for name, value in row.items():
        setattr(incident, name, value)
    if over:
        incident.state = "resolved"
