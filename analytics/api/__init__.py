"""The query API: every page, command and script asks here."""
