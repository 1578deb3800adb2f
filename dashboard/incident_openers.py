"""What opens an incident: said where none is listed, so that silence can be told from a service that looks away."""

from __future__ import annotations

import streamlit as st

_WHAT = """\
| | what opens it | level |
|---|---|---|
| `INTERNAL` | failures of a tool, or of the quiet tools together, beyond what is usual for it: three sessions or \
more in 5 min to 6 h at odds below 1 in 100 000 (a ticket: 1 in 10 000), or a run of failing calls over two \
sessions | page |
| `PERMISSION_DENIED` | the same in 5 min or 1 h, a run over three sessions, or three sessions in 10 min on a tool \
that was not denied in 7 days | page |
| | one session that is denied five times in 10 min, and keeps trying | ticket |
| budgets exhausted | as for `PERMISSION_DENIED`; the first in a day | page; ticket |
| silent failures | as for `INTERNAL`, or three sessions in 10 min on a tool that showed none in 7 days | ticket |
| no calls | 10 min without any, or 30 min without those of a tool, where there were more than 20 at this hour a week \
ago | ticket |
| notices | a destination that refused three times in a row | ticket |
"""


def openers(*, shown: bool) -> None:
    """The conditions of every rule, in a table that unfolds; `shown` unfolds it at once."""
    with st.expander("What opens an incident", icon=":material/rule:", expanded=shown):
        st.markdown(_WHAT)
        st.caption(
            "A single failure opens none: it stands on Overview and Calls. Calls that recovered, that are only "
            "suspected, that came more than 15 min late, or whose rule is muted do not count."
        )
