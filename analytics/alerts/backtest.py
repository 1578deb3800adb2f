"""What the rules would have said: the same evaluation, driven over stored history with a clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analytics.alerts.evaluator import Evaluator
from analytics.alerts.incident import AlertEvent, Incident
from analytics.alerts.queries import sql
from analytics.alerts.reader import HOUR, SECOND, WEEK
from analytics.alerts.settings import AlertSettings
from analytics.settings import JudgeSettings
from analytics.store import Store

STEP_S = 60


def first_call(store: Store) -> int | None:
    """When the earliest stored call began (ns, to the hour); None where there is none."""
    hours: list[int | None] = store.read(sql("first_hour")).column("hour").to_pylist()
    return hours[0] * HOUR if hours and hours[0] is not None else None


def backtest(
    store: Store,
    settings: AlertSettings,
    tools: JudgeSettings,
    *,
    from_ns: int,
    to_ns: int,
    step_s: int = STEP_S,
    progress: Callable[[float], None] | None = None,
) -> Iterator[AlertEvent]:
    """Yield what would have begun, grown graver or ended between two moments (ns); nothing is written or sent.

    Evaluates at every step after which something failed, and while an incident is open; in between nothing can begin.
    Lateness is not held against any call, and what was recovered later counts as it is known now.

    Args:
        store: where the calls are.
        settings: of the rules.
        tools: owners and runbooks.
        from_ns: first moment.
        to_ns: last moment.
        step_s: seconds between evaluations: how exact the moments are.
        progress: told the share that is done, 0 to 1.
    """
    evaluator = Evaluator(store, settings, tools, backtest_to_ns=to_ns)
    step = step_s * SECOND
    busy = _busy_steps(store, from_ns, to_ns, step)
    known: list[Incident] = []
    for now in range(from_ns, to_ns + 1, step):
        still_open = any(incident.open for incident in known)
        if not still_open and now // step not in busy:
            continue
        if progress:
            progress((now - from_ns) / max(1, to_ns - from_ns))
        changes = evaluator.evaluate(known, now)
        known = [i for i in known if i.open or (i.resolved_ns or 0) >= now - WEEK]
        known += [incident for incident, _ in changes.opened if all(incident is not other for other in known)]
        yield from changes.events


def _busy_steps(store: Store, from_ns: int, to_ns: int, step: int) -> set[int]:
    """Steps in which something failed that a rule watches, and the one after each."""
    params = {"from_ns": from_ns - step, "to_ns": to_ns, "step_ns": step}
    found = store.read(sql("failing_steps"), params).column("step").to_pylist()
    return {int(number) + offset for number in found for offset in (0, 1)}
