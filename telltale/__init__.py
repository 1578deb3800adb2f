"""Telltale: one envelope for every tool of an LLM agent, and the spans that say what the tool really returned."""
