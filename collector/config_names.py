"""Variables of the environment that look like settings and are none: told with the nearest right name.

A misspelt key in `telltale.toml` stops the start, and so does a wrong name inside a section (`TELLTALE_LIMITS__…`),
which is nobody else's. Any other variable may belong to another program, so it is only told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from collector.config import PREFIX, Config
from collector.config_nearest import nearest

_ELSEWHERE = (
    "CONFIG",  # `--config` of every command
    "TOKEN",  # `telltale ingest`
    "API_TOKEN",  # the commands that ask a service, and the dashboard
    "API_URL",
    "CAPTURE_CONTENT",  # the library
)
"""Names that other parts of Telltale read."""

_BENCH = "BENCH_"

_OF_KUBERNETES = re.compile(r"SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?")
"""What Kubernetes puts into every container beside a Service that is named `telltale`."""


def misspelt(environment: Iterable[str]) -> list[str]:
    """A sentence for each variable that begins with `TELLTALE_` and that nothing reads."""
    known = {*_of(Config), *_ELSEWHERE}
    tables = tuple(f"{name}__" for name in known)
    sentences = []
    for variable in sorted(environment):
        if not variable.upper().startswith(PREFIX):
            continue
        name = variable.upper().removeprefix(PREFIX)
        if name in known or name.startswith(tables):  # a wrong name inside a section stops the start, as in the file
            continue
        if name.startswith(_BENCH) or _OF_KUBERNETES.fullmatch(name):
            continue
        near = nearest(name, known)
        meant = f"; the nearest name is {PREFIX}{near}" if near else ""
        sentences.append(f"{variable[:80]} is set, but there is no such setting{meant}")
    return sentences


def _of(section: type[BaseModel], before: str = "") -> Iterator[str]:
    """The names of the variables of a section and of the sections in it."""
    for field, info in section.model_fields.items():
        name = f"{before}{field.upper()}"
        yield name
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _of(info.annotation, f"{name}__")
