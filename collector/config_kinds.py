"""Kinds of values that settings have, beyond what the library tells apart: each refusal says what the value must be."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from analytics.alerts.notifiers.egress import Egress
from analytics.alerts.settings import Network
from collector.config_words import like

_TRUTHS = ("true", "false", "1", "0")


def _file_name(path: Path) -> Path:
    if not path.name:
        raise ValueError("must be the path of a file")
    return path


FileName = Annotated[Path, AfterValidator(_file_name)]
"""A path that ends with a file's name."""

Host = Annotated[str, like(r"\S+", "must be an address or a name of this machine, such as 127.0.0.1")]

Origin = Annotated[
    str,
    like(
        r"[A-Za-z][A-Za-z0-9+.-]*://(\*\.)?[^/\s*@?#]+(:\*)?",
        "must be origins such as https://app.example.com or https://*.example.com; any page at all cannot be allowed",
    ),
]
"""Whose pages may send and make changes: `*` alone would let in those of any site."""

WebAddress = Annotated[str, like(r"https?://[^/\s]+(/\S*)?", "must be an http:// or https:// address")]
"""An address that notices and pages make a link of: nothing that a browser would run."""

_NETWORKS = 'must be a list of networks such as ["10.0.0.0/8"]'


def _networks(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValueError(_NETWORKS)
    for each in value:
        try:
            ip_network(each if isinstance(each, str) else "")
        except ValueError:
            raise ValueError(_NETWORKS) from None
    return value


Networks = Annotated[tuple[Network, ...], BeforeValidator(_networks)]


class Strict(BaseModel):
    """A section in which a number is no truth and a truth no number: `api_port = true` is a slip, and no port."""

    @field_validator("*", mode="before")
    @classmethod
    def _of_its_kind(cls, value: Any, info: ValidationInfo) -> Any:
        """Variables are texts, so `true`, `false`, `1` and `0` stand for truths; `yes` does not."""
        field = cls.model_fields.get(str(info.field_name))
        kinds = () if field is None else {field.annotation, *get_args(field.annotation)}
        if bool in kinds:
            text = value.strip().lower() in _TRUTHS if isinstance(value, str) else isinstance(value, bool)
            if value is not None and not text:
                raise PydanticCustomError("bool_type", "must be true or false")
        elif isinstance(value, bool) and int in kinds:
            raise PydanticCustomError("int_type", "must be a whole number")
        elif isinstance(value, bool) and float in kinds:
            raise PydanticCustomError("float_type", "must be a number")
        return value


def check_destination(name: str, url: str, allow: Sequence[Network]) -> None:
    """A destination that is named by its number is reached when it is needed, or refused at the start.

    Names are left to the moment of sending (and to `telltale doctor`): what they stand for may change.

    Raises:
        ValueError: it leads to a private or reserved address that is not allowed. The text names the setting only: the
            address may hold a secret.
    """
    try:
        host = urlsplit(url).hostname or ""
        found = socket.getaddrinfo("127.0.0.1" if host == "localhost" else host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError, ValueError):
        return
    if not all(Egress(allow).allowed(ip_address(str(entry[4][0]).partition("%")[0])) for entry in found):
        said = "leads to a private or reserved address"
        raise ValueError(f'{name} {said}; name its network in allow_private, a list such as ["10.0.0.0/8"]')
