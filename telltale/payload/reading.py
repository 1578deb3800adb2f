"""What reading a payload yields: findings with their place, and what the result says of code, retry and message."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from telltale.payload.objects.empty import is_empty, without_echo
from telltale.vocabulary import Code


class Says(StrEnum):
    """What a finding means for the call.

    FAILED is a mark that any program can see (a truthy `error`, `success: false`); HIDDEN is failing evidence without
    such a mark (an HTML page, `{"status": "unauthorized"}`, a text); SUCCESS is an explicit claim; ANSWER notes that
    something which looks like a failure is the answer that was asked for.
    """

    FAILED = "failed"
    HIDDEN = "hidden"
    SUCCESS = "success"
    ANSWER = "answer"


@dataclass(slots=True)
class Finding:
    """One rule's hit: which rule, under which key path, what stood there, what it means, and the code it points to."""

    rule: str
    says: Says
    key: str
    value: Any
    code: Code | None = None


@dataclass(slots=True)
class Envelope:
    """An `error` object held against the contract.

    `compliant` where every required key is there and well formed; `problems` says what is missing or wrong;
    `contract_fields` names what is odd but does not break it (a foreign code or action, an unknown key).
    """

    dialect: str
    error: dict[str, Any]
    compliant: bool
    problems: list[str] = field(default_factory=list)
    contract_fields: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Reading:
    """What a result says of itself.

    `declared_code` is the code as the payload gave it; `code` the closed one that it or a finding means. `message` is
    the text that the model is told of the failure. `whole` is false for a result that was cut. `arguments` are what
    the caller had sent.
    """

    value: Any
    findings: list[Finding] = field(default_factory=list)
    envelope: Envelope | None = None
    whole: bool = True
    arguments: Any = None
    text: bool = False
    code: Code | None = None
    declared_code: str | None = None
    action: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    message: str | None = None

    def finding(self, says: Says) -> Finding | None:
        """The first finding of this meaning."""
        for found in self.findings:
            if found.says is says:
                return found
        return None

    @property
    def empty(self) -> bool:
        """Whether the result holds nothing and tells of no failure; of one that was cut that cannot be told."""
        return self.whole and not self.failed and is_empty(without_echo(self.value, self.arguments))

    @property
    def failed(self) -> bool:
        """Whether the payload by itself shows that the call failed, by a mark or without one."""
        for found in self.findings:  # noqa: SIM110 (asked of every call; most have no finding)
            if found.says is Says.FAILED or found.says is Says.HIDDEN:
                return True
        return False


@dataclass(slots=True, frozen=True)
class Asked:
    """What was asked of the tool, as far as it helps to read its answer.

    `tool` tells by its words what kind of question it was; `called` is the name under which the tool was called, where
    that is another (see `deed_name`). `content`: the tool returns documents, so that HTML and error words in them are
    content; None leaves it to the tool's name and arguments. `changes_state`: None leaves it to the tool's verb.
    """

    tool: str = ""
    arguments: Any = None
    content: bool | None = None
    changes_state: bool | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """The tool's own name, as a text would tell it."""
        return self.called or self.tool
