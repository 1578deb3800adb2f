"""RATE_LIMITED: limits of rate, quota and credit."""

from __future__ import annotations

PHRASES: tuple[tuple[str, str | None], ...] = (
    ("rate", r"\brate.?limit"),
    ("too many requests", None),
    ("quota", r"quota (?:was |is |has been )?(?:exceeded|reached|exhausted)|exceed\w* .{0,20}quota"),
    ("throttl", None),
    ("usage limit", None),
    ("slow down", None),
    ("rate exceeded", None),
    (" limit", r"\b\w+ limits? (?:was |is |has been )?(?:reached|hit|exhausted)\b"),
    ("requests too ", r"requests too (?:quickly|fast|often)\b"),
    (" per ", r"\bper (?:second|minute|hour|day|month) (?:was |has been )?exceeded\b"),
    ("over capacity", None),
    ("too many ", r"too many (?:\w+ )?(?:connections|attempts|calls)\b"),
    ("ratelimit", None),
    (" limit", r"\b(?:hit|reached|exceeded|exhausted) (?:(?:the|your|its|our) )?(?:\w+ ){0,2}limit\b"),
    ("requests per ", r"requests per (?:second|minute|hour|day)"),
    (
        "credit",
        r"\b(?:credit balance|credits?|balance) (?:is |are )?(?:too low|exhausted|used up"
        r"|depleted)\b|\b(?:insufficient|not enough|no (?:more )?|out of) credits?\b",
    ),
    ("usage", r"\b(?:usage|spending|request|message) (?:cap|allowance|quota)\b"),
    (
        " exceeded",
        r"\b(?:max(?:imum)?|concurrent|simultaneous|parallel) (?!retries)(?:\w+ ){1,3}exceeded\b"
        r"|\b(?:tpm|rpm|tpd|rpd|qps) (?:limit )?exceeded\b",
    ),
    ("out of tokens", None),
    ("resource has been exhausted", None),
    ("flood", r"\bflood ?(?:wait|control)\b"),
    ("wait ", r"\b(?:please )?wait (?:for )?\d+ ?(?:s|sec|seconds?|m|min|minutes?|hours?)\b"),
    ("retry after ", r"\bretry after \d"),
    ("upgrade your ", r"\bupgrade your (?:plan|account|subscription)\b"),
    ("call frequency", None),
)
