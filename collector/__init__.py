"""OTLP in, spans into DuckDB: receives, decodes, redacts, makes durable, acknowledges. Owns the database file."""
