"""TLS and mTLS on both OTLP ports (row 24)."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from collector.service import Service
from tests.collector.otlp import traces
from tests.collector.running import config_for

pytestmark = [
    pytest.mark.otlp(24),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command to make certificates"),
]


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> None:
    """A self-signed authority: NAME.pem and NAME.key."""
    openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),  # demanded by Python 3.13's strict verification
        *("-subj", f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"),
    )


def make_certificate(folder: Path, name: str, authority: str) -> None:
    """A certificate for localhost, signed by an authority."""
    openssl(
        *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost"),
        *("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr"),
    )
    (folder / "san").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    openssl(
        *("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{authority}.pem"),
        *("-CAkey", folder / f"{authority}.key", "-CAcreateserial", "-days", "2", "-extfile", folder / "san"),
        *("-out", folder / f"{name}.pem"),
    )


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority with a server's and a client's certificate, and a stranger's."""
    folder = tmp_path_factory.mktemp("certificates")
    for authority, names in (("ours", ("server", "client")), ("strange", ("stranger",))):
        make_authority(folder, authority)
        for name in names:
            make_certificate(folder, name, authority)
    return folder


@pytest.fixture(scope="module", params=["tls", "mtls"])
def secure(
    request: pytest.FixtureRequest, certificates: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service with TLS, once without and once with certificates demanded of clients."""
    tls = {"certificate": certificates / "server.pem", "key": certificates / "server.key"}
    if request.param == "mtls":
        tls["client_ca"] = certificates / "ours.pem"
    running = Service(config_for(tmp_path_factory.mktemp("secure"), tls=tls))
    running.start()
    yield running
    running.stop()


def by_http(service: Service, folder: Path, authority: str, client: str | None) -> int:
    context = ssl.create_default_context(cafile=str(folder / f"{authority}.pem"))
    if client:
        context.load_cert_chain(folder / f"{client}.pem", folder / f"{client}.key")
    url = service.urls.otlp_http + "/v1/traces"
    headers = {"content-type": "application/x-protobuf"}
    return httpx.post(url, content=traces().SerializeToString(), headers=headers, verify=context).status_code


def by_grpc(service: Service, folder: Path, authority: str, client: str | None) -> None:
    credentials = grpc.ssl_channel_credentials(
        (folder / f"{authority}.pem").read_bytes(),
        (folder / f"{client}.key").read_bytes() if client else None,
        (folder / f"{client}.pem").read_bytes() if client else None,
    )
    with grpc.secure_channel(service.urls.otlp_grpc.removeprefix("https://"), credentials) as channel:
        TraceServiceStub(channel).Export(traces(), timeout=10)


def test_the_right_client_is_served(secure: Service, certificates: Path) -> None:
    """With the right authority, and a certificate of it, both ports take spans; the URLs say https."""
    assert secure.urls.otlp_http.startswith("https://")
    assert by_http(secure, certificates, "ours", "client") == 200
    by_grpc(secure, certificates, "ours", "client")


def test_wrong_clients_fail_in_the_handshake(secure: Service, certificates: Path) -> None:
    """Plain text, another authority, and under mTLS no or a strange certificate: no request is accepted."""
    accepted = secure.metrics.accepted.labels("spans")
    before = accepted._value.get()
    with pytest.raises(httpx.TransportError):
        httpx.post(secure.urls.otlp_http.replace("https", "http") + "/v1/traces", content=b"")
    with grpc.insecure_channel(secure.urls.otlp_grpc.removeprefix("https://")) as channel, pytest.raises(grpc.RpcError):
        TraceServiceStub(channel).Export(traces(), timeout=5)
    with pytest.raises(httpx.TransportError):
        by_http(secure, certificates, "strange", None)
    with pytest.raises(grpc.RpcError):
        by_grpc(secure, certificates, "strange", None)
    if secure.config.tls.client_ca is not None:
        for client in (None, "stranger"):
            with pytest.raises((httpx.TransportError, ssl.SSLError)):
                by_http(secure, certificates, "ours", client)
            with pytest.raises(grpc.RpcError):
                by_grpc(secure, certificates, "ours", client)
    assert accepted._value.get() == before
