"""What the library knows of other people's exceptions, one file a kind; none of them imports the library it knows.

Order matters: a timeout of an HTTP client is both an HTTP error and an OSError, and the first family that answers wins.
"""

from __future__ import annotations

from telltale._families._cloud import botocore
from telltale._families._database import asyncpg_or_psycopg, redis, sqlalchemy
from telltale._families._frameworks import tool_author_errors
from telltale._families._http import http_client_fault, http_status_error
from telltale._families._python import decoding, operating_system, timeouts
from telltale._families._rpc import grpc, mcp
from telltale._families._validation import arguments, pydantic

FAMILIES = (
    tool_author_errors,
    botocore,
    grpc,
    mcp,
    asyncpg_or_psycopg,
    sqlalchemy,
    redis,
    pydantic,
    arguments,
    decoding,
    http_status_error,
    http_client_fault,
    timeouts,
    operating_system,
)
"""Asked in this order by the mapper."""
