"""The entry of the pages: navigation, filters, freshness, then the page. Run by `telltale dashboard`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from analytics.client import ApiError
from dashboard import frame, links, moment, states, strange
from dashboard.view import View

HERE = Path(__file__).parent
# Streamlit's own icons and emoji would be fetched from outside for the tab: these files are ours.
st.set_page_config(page_title="Telltale", page_icon=str(HERE / "icon.svg"), layout="wide")
st.logo(str(HERE / "wordmark.svg"), icon_image=str(HERE / "icon.svg"))

pages = [
    st.Page(place.file, title=place.title, icon=place.icon, url_path=place.path, help=place.help)
    for place in links.PLACES.values()
]
# The bare address is a page of its own, so that /overview, which alerts link to, is one as well.
home = st.Page("app_pages/home.py", title=links.HOME.title, icon=links.HOME.icon, default=True)
elsewhere = strange.page()
page = st.navigation([home, *pages, *([elsewhere] if elsewhere else [])], position="hidden")
if page.url_path not in links.PLACES:
    page.run()
    st.stop()
place = links.PLACES.get(page.url_path, links.HOME)
links.keep_address(place.path)
view = View.from_url()
st.session_state["refresh"] = frame.sidebar(view, place.path)

try:
    if place.path not in frame.LIVE:
        now = moment.of(view, place.path, moving=False)
        view = now.view
        frame.heading(now, place)
    st.session_state["view"] = view
    page.run()
except ApiError as error:
    states.failed(error)
