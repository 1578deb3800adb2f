"""Secrets masked before anything is written or told: one pattern table for both ends."""
