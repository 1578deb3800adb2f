"""The one table of what is masked: secrets by the form of their value, and internals that a model must not be told.

A pattern has three views of the same thing. `shape` is a necessary condition in RE2's syntax (no look-around): all
shapes together are one automaton, so a clean text costs one pass. `literals` are the same for a machine without RE2:
one of them stands in the lower-cased text of every hit. `regex` (for `re`) says exactly what is replaced: its group
`secret` if it has one, else all of it. Each regex is linear in the text: repetitions are bounded or possessive, and a
run of characters that failed once is consumed, never tried again from its middle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from telltale.redaction import checks

SECRETS = "secrets"
"""Profile: credentials, payment data, mail addresses. Masked before anything is written."""

INTERNALS = "internals"
"""Profile: SQL, internal hosts, stack traces, paths, exception classes. For the engineer, never for a model."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of text to mask; see the module for its three views.

    `accept` gives how much of a hit is masked. Where `around` is given, every hit holds one of these literals, begins
    at most `reach` characters before it and ends at most ten times as many after it: the rest of a text is left alone.
    `within_line` tells of a pattern whose hits hold no line break and do not depend on what is in the lines around.
    """

    kind: str
    profile: str
    shape: str
    literals: tuple[str, ...]
    regex: str
    accept: Callable[[str], int] | None = None
    around: tuple[str, ...] = ()
    reach: int = 0
    within_line: bool = False

    def stretch(self, text: str) -> tuple[int, int]:
        """The part of a text that can hold hits."""
        if not self.around:
            return 0, len(text)
        first = min((at for literal in self.around if (at := text.find(literal)) >= 0), default=len(text))
        last = max(text.rfind(literal) for literal in self.around)
        return max(0, first - self.reach), max(0, last + 10 * self.reach)


_FREE = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
"""Not inside a word; an escape (%3D, \\n) before the token is no part of a word."""

_SPACE = r"(?: |%20|\+)"


def _token(kind: str, prefixes: str, literals: tuple[str, ...], body: str, least: int) -> Pattern:
    """A generated token with a fixed prefix, then at least `least` characters of `body`."""
    return Pattern(
        kind,
        SECRETS,
        shape=f"(?:{prefixes}){body}{{{min(least, 8)}}}",
        literals=literals,
        regex=f"{_FREE}(?:{prefixes}){body}{{{least}}}{body}*+",
        accept=checks.with_digit,
    )


SECRET_PATTERNS = (
    Pattern(
        "private_key",
        SECRETS,
        shape=r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY",
        literals=("private key",),
        # To the END line; where the text was cut before it, all that can belong to a key.
        regex=r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"[A-Za-z0-9+/=\s\\:,._%]*+(?:-[A-Za-z0-9+/=\s\\:,._%]++)*+(?:-----END [A-Z0-9 ]{0,40}-----)?",
    ),
    Pattern(
        "jwt",
        SECRETS,
        shape=r"eyJ[A-Za-z0-9_-]{8}",
        literals=("eyj",),
        regex=r"eyJ[A-Za-z0-9_-]*+(?P<rest>(?:(?:\.|%2E)[A-Za-z0-9_-]*+){1,4}|\Z)?",
        accept=lambda found: len(found) if len(found) >= 20 and ("." in found or "%2E" in found) else 0,
    ),
    Pattern(
        "aws_key",
        SECRETS,
        shape=r"A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA)[A-Z2-7]{8}",
        literals=("akia", "asia", "agpa", "aida", "aroa", "aipa", "anpa"),
        regex=rf"{_FREE}A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA)[A-Z0-9]{{16}}(?![A-Za-z0-9])",
    ),
    _token("api_key", "sk-", ("sk-",), "[A-Za-z0-9_-]", 20),
    _token("github_token", "gh[pousr]_", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "[A-Za-z0-9]", 30),
    _token("github_token", "github_pat_", ("github_pat_",), "[A-Za-z0-9_]", 22),
    _token("slack_token", "xox[abeoprs]-|xapp-", ("xox", "xapp-"), "[A-Za-z0-9-]", 10),
    _token("google_key", "AIza", ("aiza",), "[A-Za-z0-9_-]", 35),
    _token("google_token", r"ya29\.", ("ya29.",), "[A-Za-z0-9_-]", 20),
    _token("gitlab_token", "glpat-", ("glpat-",), "[A-Za-z0-9_-]", 20),
    _token("stripe_key", "[srp]k_(?:live|test)_|whsec_", ("k_live_", "k_test_", "whsec_"), "[A-Za-z0-9]", 16),
    _token("huggingface_token", "hf_", ("hf_",), "[A-Za-z0-9]", 30),
    _token("npm_token", "npm_", ("npm_",), "[A-Za-z0-9]", 36),
    _token("pypi_token", "pypi-", ("pypi-",), "[A-Za-z0-9_-]", 50),
    Pattern(
        "telegram_token",
        SECRETS,
        shape=r"bot[0-9]{8,10}(?::|%3[Aa])[A-Za-z0-9_-]{30}|[0-9]{8}(?::|%3[Aa])AA[A-Za-z0-9_-]{30}",
        literals=("bot", ":aa", "%3aaa"),
        # in the address of a request (`/bot<token>/sendMessage`), or by its own form
        regex=r"(?<=bot)[0-9]{8,10}(?::|%3[Aa])[A-Za-z0-9_-]{30,64}"
        r"|(?<![0-9])[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])",
    ),
    Pattern(
        "api_key",
        SECRETS,
        # `?key=…` in an address: the name alone would be any key's
        shape=r"(?:[?&]|%3[Ff]|%26)(?i:app|access|sub|subscription)?[_-]?(?i:key)(?:=|%3[Dd])[A-Za-z0-9_]{20}",
        literals=("key=", "key%3d"),
        regex=r"(?:[?&]|%3[Ff]|%26)(?i:app|access|sub|subscription)?[_-]?(?i:key)(?:=|%3[Dd])(?P<secret>[A-Za-z0-9_]{20,512}+)",
        accept=checks.with_digit,
    ),
    _token("sendgrid_key", r"SG\.", ("sg.",), "[A-Za-z0-9_.-]", 40),
    Pattern(
        "bearer",
        SECRETS,
        shape=rf"(?i:bearer){_SPACE}+[A-Za-z0-9_./~+%-]{{8}}",
        literals=("bearer",),
        regex=rf"(?i:bearer){_SPACE}{{1,8}}+(?P<secret>[A-Za-z0-9_./~+=%-]{{8,}}+)",
        accept=checks.bearer,
    ),
    Pattern(
        "basic",
        SECRETS,
        shape=rf"(?i:basic){_SPACE}+[A-Za-z0-9+/=%]{{6}}",
        literals=("basic",),
        regex=rf"(?i:basic){_SPACE}{{1,8}}+(?P<secret>[A-Za-z0-9+/]{{6,}}+(?:=|%3[Dd]){{0,2}})",
        accept=checks.basic,
    ),
    Pattern(
        "url_credentials",
        SECRETS,
        shape=r"(?::|%3[Aa])(?:/|%2[Ff]|\\/){2}[^/?#\s\"'<>]*(?::|%3[Aa])[^/?#\s\"'<>]*(?:@|%40)",
        literals=("://", "%3a%2f%2f", r":\/\/"),
        regex=r"(?::|%3[Aa])(?:/|%2[Ff]|\\/){2}[^/?#\s\"'<>:@%]{0,256}(?:%(?!3[Aa]|40)[^/?#\s\"'<>:@%]{0,256}){0,16}"
        r"(?::|%3[Aa])(?P<secret>[^/?#\s\"'<>@%]{1,256}(?:%(?!40)[^/?#\s\"'<>@%]{0,256}){0,16}"
        r"(?:@[^/?#\s\"'<>@%]{0,256}(?=@)){0,8})(?=@|%40)",
    ),
    Pattern(
        "url_credentials",
        SECRETS,
        # a password that was not encoded for its address may hold what ends one
        shape=r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse)(?:\+[a-z0-9]+)?://[^\s\"'<>]*@",
        literals=("://",),
        regex=r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse)(?:\+[a-z0-9]{1,16})?://"
        r"[^/?#\s\"'<>:@]{0,256}:(?P<secret>[^\s\"'<>@]{1,256}(?:@[^\s\"'<>@/]{0,256}(?=@)){0,8})(?=@)",
    ),
    Pattern(
        "sas_signature",
        SECRETS,
        shape=r"[?&;]sig=[A-Za-z0-9%+/=_-]{20}",
        literals=("sig=",),
        regex=r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,256}+)",
    ),
    Pattern(
        "password",
        SECRETS,
        shape=r"(?:(?i:identified\s+by|with\s+password)|PASSWORD)\s+(?:password\s+)?\\*'[^']",
        literals=("identified", "password"),
        # SQL's statements on users: IDENTIFIED BY 'x', PASSWORD 'x'
        regex=r"\b(?:(?i:identified\s{1,8}by|with\s{1,8}password)|PASSWORD)\s{1,8}(?:(?i:password)\s{1,8})?(?P<quote>\\{0,7}')"
        r"(?P<secret>[^'\\\n]{1,256})(?=(?P=quote))",
    ),
    Pattern(
        "password",
        SECRETS,
        shape=r"(?i:sshpass|mysql(?:dump|admin)?|mariadb)\s[^\n]*-p",
        literals=("sshpass", "mysql", "mariadb"),
        regex=r"\b(?i:sshpass\s{1,8}-p\s{0,8}|(?:mysql(?:dump|admin)?|mariadb)\s(?:[^\n|;&\"'-]|--|-(?![p-])){0,80}?\s-p)"
        r"(?:\\{0,7}[\"'])?(?P<secret>[^\s\"'\\-][^\s\"'\\]{2,255})",
    ),
    Pattern(
        "password",
        SECRETS,
        shape=r"--[A-Za-z0-9-]*(?i:pass(?:word|wd|phrase)?|token|secret|key)[\\\"']*[\s=,]",
        literals=("--",),
        # --db-password X, --api-key=X, and the same as two texts of an argument list
        regex=r"(?<![A-Za-z0-9_-])--(?:[A-Za-z0-9]{1,20}-){0,3}+"
        r"(?i:pass(?:word|wd|phrase)?|token|secret|(?:api|access|secret|private)?key)"
        r"(?:=|[ \t]{1,4}|\\{0,7}[\"'],\s{0,2})(?:\\{0,7}[\"'])?"
        r"(?P<secret>[^\s\"'\\,;<>${}()\[\]-][^\s\"'\\,;)\]}]{2,255})",
        accept=checks.argument,
    ),
    Pattern(
        "password",
        SECRETS,
        shape=r"(?:-u|--user|--proxy-user)[ =\\\"']*[^\s:\"']+:[^\s\"']",
        literals=("-u", "--user", "--proxy-user"),
        regex=r"(?<![A-Za-z0-9_-])(?:-u|--user|--proxy-user)(?:=|[ \t]{1,4})?(?:\\{0,7}[\"'])?"
        r"[A-Za-z0-9_.@+%-]{1,64}+:(?P<secret>[^\s\"'\\<>${}/\[\]][^\s\"'\\]{2,255})",
        accept=lambda found: 0 if found.isdigit() else len(found),
    ),
    Pattern(
        "card",
        SECRETS,
        shape=r"(?:^|[^0-9A-Za-z_.])[2-6][0-9]{3}(?:(?:[ +-]|%20)?[0-9]{4}(?:[ +-]|%20)?[0-9]{4}(?:[ +-]|%20)?[0-9]{4}"
        r"|(?:[ +-]|%20)?[0-9]{6}(?:[ +-]|%20)?[0-9]{4,5})(?:$|[^0-9A-Za-z_])",
        literals=(),
        regex=r"[2-6](?<![0-9A-Za-z_.].)[0-9]{3}(?:(?P<s>[ +-]|%20|)[0-9]{4}(?P=s)[0-9]{4}(?P=s)[0-9]{4}"
        r"|(?P<t>[ +-]|%20|)[0-9]{6}(?P=t)[0-9]{4,5})(?![0-9A-Za-z_])",
        accept=checks.card,
        within_line=True,
    ),
    Pattern(
        "iban",
        SECRETS,
        shape=r"[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}",
        literals=(),
        regex=r"[A-Z](?<![A-Za-z0-9].)[A-Z][0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![a-z])",
        accept=checks.iban,
        within_line=True,
    ),
    Pattern(
        "email",
        SECRETS,
        shape=r"[A-Za-z0-9_.+-](?:@|%40)[A-Za-z0-9-]+\.[A-Za-z]",
        literals=("@", "%40"),
        regex=r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}+(?:@|%40)[A-Za-z0-9-]{1,63}+(?:\.[A-Za-z0-9-]{1,63}+){0,7}"
        r"(?<=[A-Za-z])(?<=\.[A-Za-z]{2}|[A-Za-z]{3})",
        accept=lambda found: len(found) if "." in found.replace("%40", "@").rpartition("@")[2] else 0,
        around=("@", "%40"),
        reach=66,
    ),
    Pattern(
        "blob",
        SECRETS,
        shape=r"[A-Za-z0-9+/]{128}",
        literals=(),
        regex=r"[A-Za-z0-9+/]{128}[A-Za-z0-9+/\\]*+={0,2}",
        accept=checks.blob,
    ),
)
"""Secrets by value. Keys (`password`, `authorization`, …) are rules of `telltale.redaction.keys`."""

_HOST = r"[A-Za-z0-9-]{1,63}"

INTERNAL_PATTERNS = (
    Pattern(
        "stack_trace",
        INTERNALS,
        shape=r"Traceback \(most|File \"[^\"]*\", line [0-9]"
        r"|\bat [A-Za-z0-9_.$<>/]+ ?\([^)]*:[0-9]+|goroutine [0-9]+ \[",
        literals=("traceback (most", 'file "', "at ", "goroutine "),
        regex=r"Traceback \(most recent call last\):?|File \"[^\"\n]{1,400}\", line [0-9]{1,7}(?:, in [^\s]{1,120})?"
        r"|\bat [A-Za-z_][A-Za-z0-9_.$<>/]{0,200}+ ?\([^()\n]{1,300}:[0-9]{1,7}(?::[0-9]{1,7})?\)"
        r"|goroutine [0-9]{1,9} \[",
    ),
    Pattern(
        "sql",
        INTERNALS,
        shape=r"(?i:select\s[^;]*\sfrom\s|insert\s+into\s|update\s[^;]*\sset\s|delete\s+from\s|(?:create|alter|drop)\s+table\s"
        r"|no such (?:column|table): )",
        literals=("select", "insert", "update", "delete", "table", "no such column"),
        regex=r"\bSELECT\s[^;]{1,400}?\sFROM\s{1,8}[\"'`\[]?\w{1,64}"
        # in lower case, "select a seat from the list" is English: a star, a list or an aggregate makes it SQL
        r"|\b(?i:select\s{1,8}(?:\*|[\w.]{1,64}\s{0,8},|(?:count|max|min|sum|avg|distinct)\b)[^;]{0,400}?\sfrom\s{1,8}[\"'`\[]?\w{1,64})"
        r"|\b(?i:(?:insert\s{1,8}into\s{1,8}[\"'`\[]?\w{1,64}"
        r"|update\s{1,8}[\"'`\[]?[\w.]{1,64}[\"'`\]]?\s{1,8}set\s{1,8}\w{1,64}\s{0,8}=|delete\s{1,8}from\s{1,8}\w{1,64}"
        r"|(?:create|alter|drop)\s{1,8}table\s{1,8}[\"'`\[]?\w{1,64}))"
        r"|\bno such (?:column|table): [\w.]{1,64}",  # SQLite, naming a part of the schema
    ),
    Pattern(
        "cloud_account",
        INTERNALS,
        shape=r"arn:aws[a-z-]*:(?:iam|sts)::[0-9]",
        literals=("arn:aws",),
        regex=r"\barn:aws[a-z-]{0,10}:(?:iam|sts)::[0-9]{12}:[\w+=,.@/-]{1,200}",
    ),
    Pattern(
        "internal_host",
        INTERNALS,
        shape=r"(?i:\.(?:internal|local|corp|lan|intra|localdomain|svc)\b|localhost:[0-9]"
        r"|\b(?:10|127|192\.168|172\.(?:1[6-9]|2[0-9]|3[01])|169\.254)\.[0-9]{1,3}\.[0-9]{1,3})",
        literals=(".internal", ".local", ".corp", ".lan", ".intra", ".svc", "localhost:", "1"),
        regex=rf"(?:(?<![A-Za-z0-9.-])(?<![^/]/)(?:(?:{_HOST}\.){{1,8}}(?i:internal|local|corp|lan|intra|localdomain|svc)"
        rf"(?:\.{_HOST}){{0,4}}(?![A-Za-z0-9-])|(?i:localhost)(?=:[0-9]))"
        r"|(?<![A-Za-z0-9.])(?:10(?:\.[0-9]{1,3}){3}|127(?:\.[0-9]{1,3}){3}|192\.168(?:\.[0-9]{1,3}){2}|169\.254(?:\.[0-9]{1,3}){2}"
        r"|172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2})(?![0-9.]))(?::[0-9]{1,5})?",
    ),
    Pattern(
        "path",
        INTERNALS,
        shape=r"/(?:home|usr|var|opt|etc|srv|root|tmp|mnt|app|Users|private|proc|lib)/[A-Za-z0-9_.-]"
        r"|[A-Za-z]:\\+(?:[A-Za-z0-9_.-])|\\\\[A-Za-z]",
        literals=("/", ":\\", "\\\\"),
        regex=r"(?<![A-Za-z0-9_./~-])/(?:home|usr|var|opt|etc|srv|root|tmp|mnt|app|Users|private|proc|lib)/"
        r"[^\s\"'<>:,;)\]}]{1,400}|(?<![A-Za-z0-9])[A-Za-z]:\\{1,2}[A-Za-z0-9_.-][^\s\"'<>:,;)\]}]{1,400}"
        r"|(?<![\\A-Za-z0-9])\\{2}[A-Za-z][\w.-]{1,60}\\[\w$.-]{1,200}",
    ),
    Pattern(
        "exception_class",
        INTERNALS,
        shape=r"[a-z0-9_]\.[A-Za-z0-9_.]*(?:Error|Exception)\b",
        literals=("error", "exception"),
        regex=r"(?<![A-Za-z0-9_.])[a-z_][A-Za-z0-9_]{0,60}(?:\.[A-Za-z0-9_]{1,60}){0,8}"
        r"\.[A-Z][A-Za-z0-9_]{0,60}?(?:Error|Exception)(?![A-Za-z0-9_])",
    ),
    Pattern(
        "address",
        INTERNALS,
        shape=r"\bat 0x[0-9a-fA-F]{6}",
        literals=("at 0x",),
        regex=r"\bat 0x[0-9a-fA-F]{6,16}",
    ),
)
"""What an envelope's message must not hold (leaked internals)."""

PATTERNS = SECRET_PATTERNS + INTERNAL_PATTERNS
