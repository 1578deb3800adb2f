"""The questions of the command line, each on a database file or on a running service."""
