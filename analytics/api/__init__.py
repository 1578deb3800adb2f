"""The query API: every page, command and script asks here."""

from analytics.api.app import create_app
from analytics.api.context import Context
from analytics.api.endpoints import answer
from analytics.api.query import BadRequestError, NotFoundError

__all__ = ["BadRequestError", "Context", "NotFoundError", "answer", "create_app"]
