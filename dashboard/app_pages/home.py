"""The bare address: the overview, under the address that links carry."""

from __future__ import annotations

import streamlit as st

from dashboard import links

links.visit(links.HOME.path, st.query_params.to_dict())
