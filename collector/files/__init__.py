"""Recorded OTLP files: found, opened, and read as requests."""
