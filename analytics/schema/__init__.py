"""The tables, as SQL, and the history of their version."""
