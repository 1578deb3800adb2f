"""Planted secrets: made up for these tests, in the form of the real ones."""

from __future__ import annotations


def _glue(*parts: str) -> str:
    """Joined at run time, so that no scanner takes this file for a leak."""
    return "".join(parts)


BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"

PLANTED = {
    "aws_key_long": _glue("AKI", "A", "Z7Q4WMTB2XKD5P3N"),
    "aws_key_short": _glue("ASI", "A", "Q3EGR7T5XKD5P3NZ"),
    "api_key_sk": _glue("sk", "-", BODY),
    "api_key_sk_proj": _glue("sk", "-proj-", BODY),
    "api_key_sk_ant": _glue("sk", "-ant-api03-", BODY),
    "github_p": _glue("gh", "p_", BODY[:36]),
    "github_o": _glue("gh", "o_", BODY[:36]),
    "github_pat": _glue("github", "_pat_", BODY),
    "slack_bot": _glue("xox", "b-123456789012-1234567890123-", BODY[:24]),
    "slack_user": _glue("xox", "p-123456789012-1234567890123-", BODY[:24]),
    "google_key": _glue("AI", "za", BODY[:35]),
    "google_token": _glue("ya", "29.", BODY),
    "gitlab": _glue("gl", "pat-", BODY[:20]),
    "stripe_live": _glue("sk", "_live_", BODY[:24]),
    "stripe_restricted": _glue("rk", "_live_", BODY[:24]),
    "stripe_webhook": _glue("wh", "sec_", BODY[:32]),
    "huggingface": _glue("h", "f_", BODY[:34]),
    "npm": _glue("np", "m_", BODY[:36]),
    "pypi": _glue("pyp", "i-AgEIcHlwaS5vcmc", BODY, BODY),
    "sendgrid": _glue("S", "G.", BODY[:22], ".", BODY),
    "jwt": _glue("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", "dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
    "jwt_rs": _glue("ey", "JhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.", "ey", "JpYXQiOjE1MTYyMzkwMjJ9.", BODY),
    "card_visa": "4539148803436467",
    "card_master": "5555555555554444",
    "card_amex": "378282246310005",
    "card_diners": "30569309025904",
    "card_spaced": "4111 1111 1111 1111",
    "card_dashed": "6011-1111-1111-1117",
    "iban_de": "DE89370400440532013000",
    "iban_gb_spaced": "GB29 NWBK 6016 1331 9268 19",
    "iban_ch": "CH9300762011623852957",
    "email": "jane.roe+booking@mail.example.org",
    "email_short": "al@ex.io",
    "pem_rsa": _glue(
        "-----BEGIN RSA ", "PRIVATE KEY-----\nMIIEow", BODY, "\n", BODY, "==\n-----END RSA PRIVATE KEY-----"
    ),
    "pem_ec": _glue("-----BEGIN EC ", "PRIVATE KEY-----\nMHcCAQEEI", BODY, "\n-----END EC PRIVATE KEY-----"),
    "pem_openssh": _glue(
        "-----BEGIN OPENSSH ", "PRIVATE KEY-----\nb3BlbnNzaC1", BODY, "\n-----END OPENSSH PRIVATE KEY-----"
    ),
    "bearer": _glue("Bearer ", "s3ss10n-", BODY),
    "basic": _glue("Basic ", "amFuZTpodW50ZXIyLXZlcnktbG9uZw=="),
    "url_postgres": "postgres://svc:S3cr3tPassw0rd@db.example.org:5432/prod",
    "telegram_in_url": _glue("https://api.example.org/bo", "t7123456789:AA", BODY[:33], "/sendMessage"),
    "key_in_url": _glue("https://api.example.org/v1/search?lang=en&k", "ey=", BODY[:32]),
    "url_https": "https://jane:tr0ub4dor@intranet.example.org/x",
}
"""Secrets by value: name -> text."""

NEEDLE = {
    "bearer": BODY,
    "basic": "amFuZTpodW50ZXIyLXZlcnktbG9uZw",
    "url_postgres": "S3cr3tPassw0rd",
    "url_https": "tr0ub4dor",
    "telegram_in_url": BODY[:33],
    "key_in_url": BODY[:32],
    "pem_rsa": BODY,
    "pem_ec": BODY,
    "pem_openssh": BODY,
}
"""The part that must be gone, where that is not the whole text."""

KEYED = {
    "password": "correct horse battery staple",
    "passwd": "hunter2",
    "pwd": "hunter2 again",
    "client_secret": "nineteen-eighty",
    "clientSecret": "nineteen eighty four",
    "token": "opaque-1",
    "access_token": "opaque-2",
    "X-Api-Key": "opaque-3",
    "api_key": "opaque-4",
    "OPENAI_API_KEY": "opaque-5",
    "authorization": "Digest opaque-6",
    "Cookie": "sid=opaque-7; theme=dark",
    "Set-Cookie": "sid=opaque-8; Path=/",
    "private_key": "opaque-9",
    "connection string": "Server=db;Uid=svc;opaque-10",
    "DB_PASSWORD": "opaque-11",
    "cvv": "opaque-12",
    "ssn": "078-05-1120",
    "card": "opaque-13",
    "http.request.header.authorization": "opaque-14",
}
"""Secrets by key: key -> value."""

CLEAN = (
    "20261130:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "https://example.org/list?key=2026-report-of-the-quarter&sort=name",
    "robot 12345678: it stands at the quay and waits for the crane",
    '{"results": [], "total": 0, "next_page_token": null, "max_tokens": 4096}',
    "The assessment of risk-adjusted returns in 2026 mentions basic information and bearer bonds.",
    '{"id": "018f3c2a-7b1d-4e55-9c1e-000000000001", "created": 1764500000123, "ns": 1764500000123456789}',
    '{"usage": {"input_tokens": 512, "output_tokens": 3}, "error": null}',
    "Unexpected token: } in JSON at position 42",
    '{"has_password": true, "is_secret": false, "forgot": "see the password policy"}',
    "session 12, seat 12A, flight LX 318, 2026-11-30T10:00:00Z, 12345678901234567890",
    "import re  # @property def x(self) -> int: ...",
    "https://example.org/a:b/c?d=e#f and http://localhost:4318/v1/traces",
    "8.8.8.8, 4111-2222, 1234 5678 9012 3456",
    "<div class='sk-loading-indicator-large'>task-list-of-things-to-do</div>",
)
"""Texts without a secret: must come back as the same object."""
