"""Where notices may go, and that hostile text does no harm on its way there."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
import structlog

from analytics.alerts import AlertJob, AlertSettings, DeliveryError, build_notifiers
from analytics.alerts.notice import trial
from analytics.alerts.notifiers.egress import Egress, ForbiddenDestinationError, Poster
from analytics.alerts.wording import plain, quoted
from collector.store import DuckDBStore
from tests.alerts.world import MINUTE, NOW, SECOND, Sink, add, failing, run

HOSTILE = (
    "<script>alert(1)</script> ![x](http://evil.example/a.png) <!channel> @here\n2026 [error] forged line\x1b[31m"
    "\u202egnp.exe http://evil.example/" + "A" * 5000
)


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "127.0.0.1",
        "localhost",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
    ],
)
def test_private_addresses_in_any_spelling_are_refused(host: str) -> None:
    """Loopback, private, link-local, shared and reserved ranges are refused, however they are written."""
    with pytest.raises(DeliveryError):
        Egress().check(host, 80)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111"])
def test_public_addresses_are_allowed(address: str) -> None:
    """What the internet routes needs no setting."""
    assert Egress().allowed(ip_address(address))


def test_allow_list_opens_only_what_it_names() -> None:
    """An allowed network is allowed, its neighbour is not."""
    egress = Egress((ip_network("10.1.0.0/16"),))

    assert egress.allowed(ip_address("10.1.2.3"))
    assert egress.allowed(ip_address("::ffff:10.1.2.3"))
    assert not egress.allowed(ip_address("10.2.0.1"))


def test_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that has a public and a private address is refused: no luck of the draw."""
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: answers)

    with pytest.raises(ForbiddenDestinationError):
        Egress().check("rebinding.example", 80)


def test_connection_goes_to_the_checked_address(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is resolved once: the request goes to the checked address and still names the host."""
    port = int(sink.url.split(":")[2].split("/")[0])
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(str(host))
        return real("127.0.0.1" if host == "hooks.example" else host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)

    Poster(f"http://hooks.example:{port}/x", Egress((ip_network("127.0.0.0/8"),)), 5.0).post({"a": 1})

    assert asked.count("hooks.example") == 1
    assert sink.seen[0]["headers"]["host"] == f"hooks.example:{port}"


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"webhooks": ("ftp://example.com/x",)}, "alerts.webhooks[0]"),
        ({"webhooks": ("https://good.example/x", "not a url")}, "alerts.webhooks[1]"),
        ({"alertmanagers": ("file:///etc/passwd",)}, "alerts.alertmanagers[0]"),
        ({"apprise": ("exec://rm",)}, "alerts.apprise[0]"),
        ({"apprise": ("syslog://",)}, "alerts.apprise[0]"),
        ({"apprise": ("slack://broken",)}, "alerts.apprise[0]"),
    ],
)
def test_unusable_destination_is_named_not_shown(settings: dict[str, Any], key: str) -> None:
    """A wrong address stops the start with a sentence that names the setting, and never prints the address."""
    with pytest.raises(ValueError, match="alerts") as caught:
        build_notifiers(AlertSettings(**settings))

    assert str(caught.value).startswith(key)
    assert "passwd" not in str(caught.value)


def test_apprise_host_is_checked(sink: Sink) -> None:
    """An Apprise address that names a private host is refused when it is used, and works where it is allowed."""
    place = sink.url.removeprefix("http://").partition("/")[0]
    notice = trial(AlertSettings(), NOW)
    (_, refused) = build_notifiers(AlertSettings(apprise=(f"json://{place}/hook",)))
    (_, allowed) = build_notifiers(
        AlertSettings(apprise=(f"json://{place}/hook",), allow_private=(ip_network("127.0.0.0/8"),))
    )

    with pytest.raises(DeliveryError):
        refused.send(notice)
    assert sink.seen == []
    sink.status = 200
    allowed.send(notice)
    assert json.loads(sink.seen[0]["body"])["title"] == "[TEST] Telltale alerts"


def test_alertmanager_gets_labels_annotations_and_an_end(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Firing incidents are pushed, pushed again each minute with an end ahead, and ended when resolved."""
    sink.status = 201
    base = sink.url.partition("/hook")[0]
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])

    run(make_job(webhooks=(), alertmanagers=(base,)), NOW, NOW + 3 * MINUTE, 20 * SECOND)

    assert {attempt["path"] for attempt in sink.seen} == {"/api/v2/alerts"}
    pushes = [json.loads(attempt["body"]) for attempt in sink.seen]
    assert len(pushes) >= 3
    assert {alert["labels"]["alertname"] for push in pushes for alert in push} == {"permission_denied"}
    assert pushes[-1][0]["labels"].keys() <= {"alertname", "project", "tool", "severity", "code"}
    assert "3 sessions" in pushes[-1][0]["annotations"]["summary"]
    assert "endsAt" in pushes[-1][0]


def test_hostile_text_is_inert_in_notices(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Tool names, sessions and messages of an attacker arrive capped, on one line, without live markup or links."""
    hostile = [
        failing(NOW + i * SECOND, "PERMISSION_DENIED", tool=HOSTILE, session=f"{HOSTILE}{i}", error_message=HOSTILE)
        for i in range(3)
    ]
    add(store, hostile)

    with structlog.testing.capture_logs() as lines:
        run(make_job(), NOW, NOW + MINUTE)

    (notice,) = sink.got
    text = notice["title"] + notice["text"].replace("http://127.0.0.1:8501/", "")
    for live in ("<script", "<!channel>", "@here", "](", "http://", "\x1b", "\u202e"):
        assert live not in text
    assert len(json.dumps(notice)) < 20_000
    (line,) = [line for line in lines if line["event"] == "alert_firing"]
    assert all("\n" not in str(value) and "\x1b" not in str(value) for value in line.values())
    assert line["dashboard"] == notice["dashboard"]
    assert len(line["dashboard"]) < 3000


def test_wording_caps_and_keeps_plain_text() -> None:
    """Ordinary text stays as it is; long text is cut with a mark; lone surrogates do not break it."""
    assert plain("search_flights") == "search_flights"
    assert len(plain("x" * 1000)) == 80
    assert plain("x" * 1000).endswith("…")
    assert plain("a\ud800b\x00c") == "a b c"
    assert quoted("see https://a.example") == "see https(:)//a(.)example"
