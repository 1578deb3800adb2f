"""Documents keep to the code: settings that they show are accepted, files and pages that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collector.config import load

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    """The telltale.toml of the operator's page starts a service: every key in it exists."""
    shown = re.search(r"```toml\n(.*?)```", (ROOT / "docs/operating.md").read_text(), re.S)
    assert shown
    file = tmp_path / "telltale.toml"
    (tmp_path / "backups").mkdir()
    file.write_text(shown.group(1).replace("/var/lib/telltale/backups", str(tmp_path / "backups")))

    config = load(file)

    assert config.judge_settings().tool("search_articles").empty_is_normal
    assert config.judge_settings().tool("fetch_page").mute == {"text.html_page"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_inside_the_project_lead_somewhere(document: Path) -> None:
    """A relative link or picture in a document names a file that is there."""
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text())

    assert [link for link in links if not (document.parent / link).exists()] == []
