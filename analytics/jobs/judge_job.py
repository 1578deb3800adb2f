"""The judge's job: what arrived becomes verdicts, counted and visible, in one transaction a round."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import structlog

from analytics.calls import Call
from analytics.faults import fault
from analytics.jobs import state
from analytics.jobs.corrections import Corrections
from analytics.jobs.corroborate import corroborate
from analytics.jobs.joining import Joining
from analytics.jobs.pace import AGAIN_S, Pace
from analytics.jobs.said import answers_in
from analytics.jobs.session_pass import JudgeSession, SessionPass, failed
from analytics.jobs.settle import EVERY_S, settle
from analytics.jobs.trace_rows import last_seq
from analytics.jobs.writing import Judged, write_judged
from analytics.judge import judge, judge_session
from analytics.settings import JudgeSettings
from analytics.spans import Trace
from analytics.store import Store, TraceKey, Transaction

PAUSE_S = 1.0
"""Rounds of a busy service are at least this far apart, so that each is worth its fixed cost (about 60 ms of CPU for
some thirty statements)."""

LONGEST_PAUSE_S = 2.5
"""How far apart they come when each holds `ENOUGH_SPANS` or more; in between in proportion."""

FEW_TRACES, MANY_TRACES = 50, 4000
ENOUGH_SPANS = 30_000
"""A round takes fewer traces next time when it held more spans than this: memory stays bounded."""

_log = structlog.get_logger(__name__)

JudgeTrace = Callable[[Trace, JudgeSettings], list[Call]]


class JudgeJob:
    """Judges what arrives. One job per store; `run_once` again and again from one thread.

    A crash at any moment is safe: verdicts, counts and the watermark are written together, and traces that wait for
    their turn are in a table. `unreadable` counts traces on which the judge itself failed, by class of exception;
    they are named in `judge_fault`, and never stop the job.
    """

    def __init__(
        self,
        store: Store,
        settings: JudgeSettings | None = None,
        *,
        pause_s: float = PAUSE_S,
        again_s: float = AGAIN_S,
        judge_trace: JudgeTrace = judge,
        judge_calls: JudgeSession = judge_session,
    ) -> None:
        """
        Args:
            store: where spans come from and verdicts go.
            settings: what the maintainer says of tools.
            pause_s: the shortest time between the starts of two rounds that are not full, in seconds.
            again_s: the shortest time between two judgements of one growing trace, in seconds.
            judge_trace: the judge of a trace.
            judge_calls: the judge of a session's recent calls (loops, recovery, obedience).
        """
        self._store = store
        self._settings = settings or JudgeSettings()
        self._pause_s = pause_s
        self._judge = judge_trace
        self._sessions = SessionPass(self._settings, judge_calls)
        self._joining = Joining(store, self._settings)
        self._pace = Pace(again_s=again_s)
        self._watermark = state.load_watermark(store)
        self._waiting: dict[TraceKey, int | None] = dict.fromkeys(state.load_pending(store), self._watermark - 1)
        self._limit = MANY_TRACES // 4
        self._last_start = float("-inf")
        self._full = False
        self._spans = 0
        self._settled_at = time.monotonic()
        self.unreadable: Counter[str] = Counter()

    @property
    def watermark(self) -> int:
        """The arrival number up to which every trace is judged or waits for its turn."""
        return self._watermark

    @property
    def covered(self) -> int:
        """The arrival number up to which every row is in a verdict: below the watermark while traces wait with more.

        May be asked from any thread. It is never too high, and too low by at most one page of arrivals.
        """
        waiting = [after for after in list(self._waiting.values()) if after is not None]
        return min(waiting, default=self._watermark)

    def run_once(self) -> int:
        """Judge what is due; returns how many traces were judged or wait for their turn, 0 when all is done.

        Waits up to `pause_s` first when the last round was not a full one.

        Raises:
            StoreUnavailable: nothing of the round is kept; the same call may work later.
        """
        self._breathe()
        done = self._round(self._pace.due)
        if not self._full and time.monotonic() - self._settled_at >= EVERY_S:
            self._settled_at = time.monotonic()
            with self._store.write() as transaction:
                settle(transaction, time.time_ns())
            corroborate(self._store, time.time_ns())
        return done

    def drain(self) -> int:
        """Judge everything that is stored now, growing traces included; returns how many traces."""
        judged = 0
        while done := self._round(lambda key: True):
            judged += done
        return judged

    def judge_again(self, keys: Iterable[TraceKey]) -> None:
        """Let these traces have another turn (new rules, a correction)."""
        keys = [key for key in keys if key not in self._waiting]
        with self._store.write() as transaction:
            state.add_pending(transaction, keys)
        self._waiting |= dict.fromkeys(keys)  # nothing new came for them

    def _breathe(self) -> None:
        busy = min(1.0, self._spans / ENOUGH_SPANS)
        pause = self._pause_s * (1 + busy * (LONGEST_PAUSE_S / PAUSE_S - 1))
        rest = self._last_start + pause - time.monotonic()
        if rest > 0 and not self._full:
            time.sleep(rest)
        self._last_start = time.monotonic()

    def _round(self, due: Callable[[TraceKey], bool]) -> int:
        arrivals = self._store.arrivals(self._watermark, self._limit)
        self._full = len(arrivals.traces) >= self._limit
        arrived = [key for key in arrivals.traces if key not in self._waiting]
        now = [key for key in arrived if due(key)]
        later = [key for key in arrived if not due(key)]
        now += [key for key in self._waiting if due(key)][: self._limit]
        if not now and not (self._full and later) and (later or arrivals.up_to <= self._watermark):
            return len(later) + len(self._waiting)
        judged, faults = self._judged(now)
        try:
            with self._store.write() as transaction:
                self._write(transaction, judged, faults)
                state.remove_pending(transaction, [key for key in now if key in self._waiting])
                state.add_pending(transaction, later)
                state.save_watermark(transaction, arrivals.up_to)
        except BaseException:
            self._sessions.forget()
            self._pace.forget(now)
            raise
        self._sessions.remember()
        turn = set(now)
        self._committed(now, [key for key in arrivals.traces if key not in turn], faults, arrivals.up_to)
        return len(now) + len(self._waiting)

    def _judged(self, keys: Sequence[TraceKey]) -> tuple[list[Judged], dict[TraceKey, str]]:
        judged: list[Judged] = []
        faults: dict[TraceKey, str] = {}
        spans = 0
        for trace in self._store.traces(keys) if keys else ():
            if (not trace.spans and not trace.logs) or self._seen(TraceKey(trace.project, trace.trace_id), trace):
                continue
            spans += len(trace.spans)
            made = self._judge_one(trace, faults)
            if made is not None:
                judged.append(made)
        self._adapt(spans)
        return self._joining.join(judged, lambda trace: self._judge_one(trace, faults)), faults

    def _judge_one(self, trace: Trace, faults: dict[TraceKey, str]) -> Judged | None:
        """A trace judged alone; None, and a fault noted, where the judge itself fails on it."""
        key = TraceKey(trace.project, trace.trace_id)
        started = time.perf_counter()
        try:
            return Judged(key, trace, self._judge(trace, self._settings))
        except Exception as error:
            faults[key] = type(error).__name__
            _log.error("trace_unreadable", trace_id=trace.trace_id, **fault(error))
            return None
        finally:
            self._pace.judged(key, time.perf_counter() - started, last_seq(trace))

    def _seen(self, key: TraceKey, trace: Trace) -> bool:
        """Whether a trace was judged with all that it holds now: two pages of arrivals named it."""
        return key not in self._waiting and last_seq(trace) <= self._pace.upto(key)

    def _write(self, transaction: Transaction, judged: Sequence[Judged], faults: dict[TraceKey, str]) -> None:
        corrections = Corrections.load(transaction)
        for each in judged:
            corrections.apply(each.calls)
        answers = {each.key: answers_in(each.trace.spans) for each in judged if failed(each.calls)}
        refreshed = self._sessions.run(transaction, judged, answers)
        if judged:
            write_judged(transaction, judged, self._watermark, refreshed)
            self._joining.write(transaction, judged)
        state.save_faults(transaction, faults)

    def _committed(
        self, now: Sequence[TraceKey], later: Sequence[TraceKey], faults: dict[TraceKey, str], up_to: int
    ) -> None:
        """Go on from here; `covered` is read meanwhile, so who waits is noted before the watermark moves."""
        for key in later:
            if self._waiting.get(key) is None:
                self._waiting[key] = self._watermark
        for key in now:
            self._waiting.pop(key, None)
        self._watermark = up_to
        self.unreadable.update(faults.values())

    def _adapt(self, spans: int) -> None:
        self._spans = spans
        if spans > ENOUGH_SPANS:
            self._limit = max(FEW_TRACES, self._limit // 2)
        elif spans < ENOUGH_SPANS // 2:
            self._limit = min(MANY_TRACES, self._limit * 2)
