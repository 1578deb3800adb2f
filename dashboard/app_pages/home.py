"""The bare address: the overview, under the address that links carry. Any other address here names no page."""

from __future__ import annotations

import streamlit as st

from dashboard import links, strange, untrusted

asked = strange.address()
if asked:
    st.title("No such page", icon=":material/search_off:", anchor=False)
    st.text(f"There is no page “{untrusted.plain(asked, 80)}” here. These there are:")
    for path, place in links.PLACES.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            links.link(path, place.title, {}, icon=place.icon)
            st.caption(place.help, width="content")
else:
    links.visit(links.HOME.path, st.query_params.to_dict())
