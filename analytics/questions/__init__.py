"""One SQL file per question, each prepared against the real schema by a test."""
