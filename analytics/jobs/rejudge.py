"""Judge stored traces again, with the rules of this release."""

from __future__ import annotations

from analytics.jobs.corroborate import corroborate_since
from analytics.jobs.judge_job import JudgeJob
from analytics.settings import JudgeSettings
from analytics.store import Store, TraceKey

AT_ONCE = 5000

_TRACES = """SELECT project, trace_id FROM trace
WHERE t1_ns >= $since AND ($project = '' OR project = $project)
ORDER BY judged_seq"""


def rejudge(
    store: Store, since_ns: int | None, settings: JudgeSettings | None = None, *, project: str | None = None
) -> int:
    """Judge every trace that ended after a time again; corrections stay in force, sealed traces stay as they are.

    Args:
        store: whose traces.
        since_ns: the time (ns since 1970 UTC); None is all.
        settings: the judge's settings.
        project: only this project.

    Returns:
        How many traces were judged.
    """
    job = JudgeJob(store, settings)
    judged = job.drain()
    found = store.read(_TRACES, {"since": since_ns or 0, "project": project or ""})
    keys = [TraceKey(row["project"], row["trace_id"]) for row in found.to_pylist()]
    for start in range(0, len(keys), AT_ONCE):
        job.judge_again(keys[start : start + AT_ONCE])
        judged += job.drain()
    corroborate_since(store, since_ns or 0)
    return judged
