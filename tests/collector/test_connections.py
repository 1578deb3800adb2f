"""Slow, silent and too many connections (rows 56, 20, 21; faults 19 to 22): closed in time, the others served."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from collector.service import Service
from tests.collector.otlp import traces
from tests.collector.running import DEADLINE_S, JSON, config_for, post, wait_for

HEAD = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\n"
LIMITS = {"header_s": 1, "body_s": 2, "idle_s": 1, "peer_connections": 50}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that loses patience quickly."""
    running = Service(config_for(tmp_path_factory.mktemp("service"), limits=LIMITS))
    running.start()
    yield running
    running.stop()


def connect(service: Service, base: str) -> socket.socket:
    url = httpx.URL(getattr(service.urls, base))
    return socket.create_connection((url.host, int(url.port or 0)), timeout=DEADLINE_S)


def closed(connection: socket.socket) -> bool:
    """Wait until the other side closes; False when it does not within the deadline."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def trickle(connection: socket.socket, data: bytes, stop: threading.Event) -> None:
    """Send one byte now and then until told to stop or cut off."""
    for n in range(len(data)):
        try:
            connection.sendall(data[n : n + 1])
        except OSError:
            return
        if stop.wait(0.1):
            return


@pytest.mark.otlp(56)
@pytest.mark.parametrize("port", ["otlp_http", "api"])
@pytest.mark.parametrize("kind", ["silent", "slow header", "slow body", "stalled body", "idle"])
def test_slow_connections_are_closed(service: Service, port: str, kind: str) -> None:
    """Silent, trickling or stalled connections end; a good request is answered meanwhile."""
    stop = threading.Event()
    connection = connect(service, port)
    body = HEAD + "Content-Length: 100000\r\n\r\n"
    match kind:
        case "slow header":
            data = (HEAD + "X: " + "y" * 10_000).encode()
            threading.Thread(target=trickle, args=(connection, data, stop), daemon=True).start()
        case "slow body":
            connection.sendall(body.encode())
            threading.Thread(target=trickle, args=(connection, b"x" * 90_000, stop), daemon=True).start()
        case "stalled body":
            connection.sendall(body.encode() + b"{")
        case "idle":
            connection.sendall((HEAD + "Content-Length: 2\r\n\r\n{}").encode())
    assert post(service, b"{}", JSON).status_code == 200
    assert closed(connection), f"{kind} was not closed"
    stop.set()
    connection.close()


@pytest.mark.otlp(21)
def test_one_peer_cannot_take_all_connections(service: Service) -> None:
    """Beyond its share an address is cut off; when it lets go, it is served again; nothing leaks."""
    taken = [connect(service, "otlp_http") for _ in range(120)]
    wait_for(lambda: service._http.peers.closed["too many connections"] >= 70)
    for connection in taken:
        connection.close()
    wait_for(lambda: service._http.peers.total == 0)
    assert post(service, b"{}", JSON).status_code == 200
    wait_for(lambda: not service._http.peers.by_address)


def test_a_refused_request_may_finish_sending(service: Service) -> None:
    """A client that sends its whole large body before it reads still gets the answer, not a reset."""
    answer = post(service, b" " * (24 * 1024 * 1024), JSON)
    assert answer.status_code == 413


def test_bombs_cost_no_memory(service: Service) -> None:
    """A gigabyte of zeros as gzip or zstd is 413, and the process grows by less than 150 MB meanwhile."""
    import gzip
    import io

    import zstandard

    process = psutil.Process()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as out:
        for _ in range(256):
            out.write(bytes(1024 * 1024))
    bombs = {"gzip": packed.getvalue(), "zstd": zstandard.ZstdCompressor().compress(bytes(256 * 1024 * 1024))}
    before = process.memory_info().rss
    highest = before
    done = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not done.wait(0.005):
            highest = max(highest, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for coding, bomb in bombs.items():
        assert post(service, bomb, JSON, content_encoding=coding).status_code == 413
    done.set()
    watcher.join()
    assert highest - before < 150 * 1024 * 1024


def test_many_silent_connections_do_not_stop_a_good_request(tmp_path: Path) -> None:
    """Four hundred silent connections: a good request is answered at once, and all of them are gone soon."""
    running = Service(config_for(tmp_path, limits={**LIMITS, "peer_connections": 2000}))
    running.start()
    try:
        silent = [connect(running, "otlp_http") for _ in range(400)]
        started = time.monotonic()
        assert post(running, traces().SerializeToString()).status_code == 200
        assert time.monotonic() - started < DEADLINE_S / 2
        assert all(closed(connection) for connection in silent)
        for connection in silent:
            connection.close()
        wait_for(lambda: running._http.peers.total == 0)
    finally:
        running.stop()
