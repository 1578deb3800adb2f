"""The path of a proxy below which the pages live, as Streamlit's `server.baseUrlPath` names it."""

from __future__ import annotations

import streamlit as st


def base_path() -> str:
    """`/ops/telltale`, or "" where the pages live at the root."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def below_base(path: str) -> str:
    """An address without that path; as it is where it stands elsewhere."""
    base = base_path()
    return path.removeprefix(base) if base and (path == base or path.startswith(f"{base}/")) else path
