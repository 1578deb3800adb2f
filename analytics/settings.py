"""What a maintainer may tell the judge of a tool (`[tools.NAME]` in telltale.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True, frozen=True)
class ToolSettings:
    """Facts about one tool that spans cannot tell.

    `empty_is_normal`: an empty result is never suspicious. `content`: the tool returns documents, so HTML, error words
    and instructions in its result are content. `changes_state`: a failed write matters more than a failed read; None
    leaves it to be read off the tool's verb. `mute`: rule ids whose hits are counted but raise nothing. `budget`: the
    failures in a row that exhaust it. `owner` and `runbook` go into alerts.
    """

    empty_is_normal: bool = False
    content: bool | None = None
    changes_state: bool | None = None
    mute: frozenset[str] = frozenset()
    budget: int = 2
    owner: str | None = None
    runbook: str | None = None


@dataclass(slots=True, frozen=True)
class JudgeSettings:
    """Settings of the judge: the tools' own, and where a loop begins (same call, same result, so many times)."""

    tools: Mapping[str, ToolSettings] = field(default_factory=dict)
    retry_storm_calls: int = 5

    def tool(self, name: str) -> ToolSettings:
        """The settings of one tool; the defaults where the maintainer gave none."""
        return self.tools.get(name, _DEFAULT)


_DEFAULT = ToolSettings()
