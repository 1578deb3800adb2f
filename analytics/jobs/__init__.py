"""The work behind the answers: judge what arrived, roll it up, keep it fresh."""

from analytics.jobs.judge_job import JudgeJob
from analytics.jobs.rejudge import rejudge

__all__ = ["JudgeJob", "rejudge"]
