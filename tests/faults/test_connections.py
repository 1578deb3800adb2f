"""Peers that vanish and peers that take too much (faults 20 and 21): reaped, cut, and the others served."""

from __future__ import annotations

import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import httpx
import psutil
import pytest

from collector.service import Service
from tests.collector.conftest import serve  # noqa: F401 - a fixture
from tests.collector.otlp import traces
from tests.collector.running import DEADLINE_S, JSON, Process, config_for, wait_for

Serve = Callable[..., Process]
linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces and limits of Linux")
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
REAPED_S = 30
"""Within this time a connection to nobody must be gone (fault 20); the tests wait five times as long."""

VANISHING = """
import sys, time, grpc, socket
channel = grpc.insecure_channel(sys.argv[1])
grpc.channel_ready_future(channel).result(60)
plain = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
plain.sendall(b"POST /v1/traces HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n")
plain.sendall(b"Content-Length: 100\\r\\n\\r\\n{")
print("connected", flush=True)
time.sleep(600)
"""
"""A client with an idle gRPC connection and an HTTP request that never ends."""


def accepted(process: Process, base: str) -> int:
    """Connections that the service holds on a port."""
    port = int(process.urls[base].rpartition(":")[2])
    found = psutil.Process(process.child.pid).net_connections("tcp")
    return sum(1 for each in found if each.laddr.port == port and each.status != psutil.CONN_LISTEN)


def call(channel: grpc.Channel) -> None:
    """A good call."""
    channel.unary_unary(EXPORT)(traces().SerializeToString(), timeout=DEADLINE_S)


def export(process: Process) -> None:
    """A good call on a connection of its own."""
    with grpc.insecure_channel(process.urls["otlp_grpc"].removeprefix("http://")) as channel:
        call(channel)


@linux
@pytest.mark.timeout(400)
def test_a_client_that_stopped_is_reaped(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """A client that answers nothing any more, its sockets open: both connections are closed."""
    process = serve(tmp_path)
    grpc_address, http_port = (
        process.urls["otlp_grpc"].removeprefix("http://"),
        process.urls["otlp_http"].rpartition(":")[2],
    )
    client = subprocess.Popen(
        [sys.executable, "-c", VANISHING, grpc_address, http_port], stdout=subprocess.PIPE, text=True
    )
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == "connected\n"
        wait_for(lambda: accepted(process, "otlp_grpc") == 1 and accepted(process, "otlp_http") == 1)
        client.send_signal(signal.SIGSTOP)
        started = time.monotonic()
        wait_for(lambda: accepted(process, "otlp_grpc") == 0 and accepted(process, "otlp_http") == 0, 5 * REAPED_S)
        print(f"  half-open connections reaped after {time.monotonic() - started:.0f} s (bar {REAPED_S} s)")
        export(process)
    finally:
        client.kill()
        client.wait()


LIMITS = {"peer_connections": 20, "connections": 50}


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Service]:
    """A service that gives few connections."""
    running = Service(config_for(tmp_path, limits=LIMITS))
    running.start()
    yield running
    running.stop()


def grpc_connections(address: str, count: int) -> list[socket.socket]:
    """Connections that have shaken hands as HTTP/2 clients and then say nothing."""
    host, _, port = address.rpartition(":")
    made = []
    for _ in range(count):
        connection = socket.create_connection((host, int(port)), timeout=DEADLINE_S)
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        made.append(connection)
    return made


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has not closed it."""
    connection.settimeout(0)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@linux
def test_one_peer_cannot_take_all_grpc_connections(limited: Service) -> None:
    """Beyond its share the youngest connections of an address are cut; the oldest stay; calls go on afterwards."""
    address = limited.urls.otlp_grpc.removeprefix("http://")
    with grpc.insecure_channel(address) as channel:
        call(channel)
        wait_for(lambda: limited._grpc.connections._known)
        silent = grpc_connections(address, 60)
        wait_for(lambda: sum(map(is_open, silent)) <= LIMITS["peer_connections"] - 1)
        assert limited._grpc.connections.closed >= 60 - LIMITS["peer_connections"]
        call(channel)
    for connection in silent:
        connection.close()
    wait_for(lambda: not limited._grpc.connections._known)


@linux
@pytest.mark.timeout(400)
def test_no_more_files_does_not_stop_accepting_for_ever(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """With every file handle taken by silent connections nothing dies; once they are gone all ports answer again."""
    process = serve(tmp_path, env={"TELLTALE_LIMITS__HEADER_S": "2", "TELLTALE_LIMITS__PEER_CONNECTIONS": "5000"})
    used = psutil.Process(process.child.pid).num_fds()
    resource.prlimit(process.child.pid, resource.RLIMIT_NOFILE, (used + 40, used + 40))
    taken: list[socket.socket] = []
    for base in ("otlp_http", "otlp_grpc", "api") * 40:
        url = httpx.URL(process.urls[base])
        taken.append(socket.create_connection((url.host, int(url.port or 0)), timeout=DEADLINE_S))
    time.sleep(1)
    for connection in taken:
        connection.close()

    def answered() -> bool:
        try:
            post = httpx.post(process.urls["otlp_http"] + "/v1/traces", content=b"{}", headers={"content-type": JSON})
            export(process)
            return post.status_code == 200 and httpx.get(process.urls["api"] + "/readyz").status_code == 200
        except (httpx.TransportError, grpc.RpcError):
            return False

    wait_for(answered, 120)
    assert process.child.poll() is None


@linux
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_thousands_of_connections(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """5,000 silent TCP connections and 1,000 HTTP/2 ones: memory stays bounded, good calls are answered throughout."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8000
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip("the limit on open files is too low")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        process = serve(tmp_path)
        url = httpx.URL(process.urls["otlp_http"])
        silent = [socket.create_connection((url.host, int(url.port or 0)), timeout=DEADLINE_S) for _ in range(5000)]
        silent += grpc_connections(process.urls["otlp_grpc"].removeprefix("http://"), 1000)
        started = time.monotonic()
        wait_for(lambda: accepted(process, "otlp_http") <= 200 and accepted(process, "otlp_grpc") <= 200, 120)
        memory = psutil.Process(process.child.pid).memory_info().rss / 2**20
        print(f"  6,000 connections cut to the limits in {time.monotonic() - started:.1f} s; resident {memory:.0f} MiB")
        assert memory < 500
        for connection in silent:
            connection.close()
        wait_for(lambda: accepted(process, "otlp_http") == 0)
        export(process)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
