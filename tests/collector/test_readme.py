"""The settings shown in the collector's README are real ones."""

from __future__ import annotations

import re
from pathlib import Path

from collector.config import load

README = Path(__file__).parents[2] / "collector" / "README.md"


def test_the_settings_example_is_accepted(tmp_path: Path) -> None:
    """Every key of the example exists; only paths and addresses are replaced by ones of this machine."""
    found = re.search(r"```toml\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None
    text = found[1].replace("/var/backups/telltale", str(tmp_path))
    for name in ("server.pem", "server.key", "clients.pem"):
        (tmp_path / name).touch()
        text = text.replace(f'"{name}"', f'"{tmp_path / name}"')
    (tmp_path / "telltale.toml").write_text(text)
    config = load(tmp_path / "telltale.toml")
    assert config.tools["send_mail"].owner == "mail team"
    assert config.retention.projects["shop"].span_days == 30
