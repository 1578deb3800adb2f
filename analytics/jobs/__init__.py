"""The work behind the answers: judge what arrived, roll it up, keep it fresh."""

from analytics.jobs.judge_job import JudgeJob

__all__ = ["JudgeJob"]
