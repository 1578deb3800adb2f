"""XML error documents: S3's and other services' `<Error>`, SOAP faults, OGC exception reports."""

from __future__ import annotations

import re

from telltale.payload.codes.infer import code_of_class
from telltale.vocabulary import Code

_XML = re.compile(
    r"\s*(?:\ufeff)?(?:<\?xml[^>]{0,200}>\s*)?<(?:\w{1,20}:)?(?P<root>\w{1,40})\b[^>]{0,500}>(?P<rest>.{0,400})",
    re.DOTALL,
)
_XML_ROOTS = frozenset(
    (
        "Error",
        "ErrorResponse",
        "Errors",
        "Fault",
        "error",
        "errors",
        "Exception",
        "ExceptionReport",
        "ServiceExceptionReport",
    )
)
_XML_CODE = re.compile(r"<(?:\w{1,20}:)?(?:Code|code|faultcode)>([^<]{1,100})<")
_SAYS_SO = re.compile(
    r"\s*<(?:\w{1,20}_)?(?:result|response|output|answer|reply)\b[^>]{0,200}\s(?:status|outcome)=[\"'](?:error|failed|failure)[\"'][^>]{0,200}>"
)
"""An element that says of itself that it is an error: `<result status="error">`."""


def xml_error_of(text: str) -> tuple[str, Code | None] | None:
    """An XML document whose root, or a SOAP body's first element, is an error; with the code that it names."""
    hit = _XML.match(text)
    if hit is None:
        return None
    root, rest = hit.group("root"), hit.group("rest")
    if root == "Envelope" and re.search(r"<(?:\w{1,20}:)?Body[^>]{0,200}>\s*<(?:\w{1,20}:)?Fault\b", text[:2000]):
        root = "Fault"
    if root not in _XML_ROOTS:
        told = _SAYS_SO.match(text[:600])
        return (told.group(0).strip()[:120], None) if told is not None else None
    code = _XML_CODE.search(rest) or _XML_CODE.search(text[:2000])
    name = code.group(1).rpartition(":")[2] if code is not None else ""
    return f"<{root}> {name}".strip(), code_of_class(name) if name else None
