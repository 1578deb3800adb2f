"""TLS of the two OTLP ports, from one pair of files; checked before anything is opened."""

from __future__ import annotations

import ssl

import grpc

from collector.config import ConfigError
from collector.config_sections import TlsConfig


class ServerTls:
    """What each port needs to speak TLS: `http` and `grpc`, both None where it is off."""

    def __init__(self, config: TlsConfig) -> None:
        """Read the files.

        Raises:
            ConfigError: they cannot be used.
        """
        self.http: ssl.SSLContext | None = None
        self.grpc: grpc.ServerCredentials | None = None
        self.scheme = "http"
        if config.certificate is None or config.key is None:
            return
        self.scheme = "https"
        self.http = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.http.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            self.http.load_cert_chain(config.certificate, config.key)
            if config.client_ca is not None:
                self.http.load_verify_locations(config.client_ca)
                self.http.verify_mode = ssl.CERT_REQUIRED
            self.grpc = grpc.ssl_server_credentials(
                [(config.key.read_bytes(), config.certificate.read_bytes())],
                root_certificates=config.client_ca.read_bytes() if config.client_ca else None,
                require_client_auth=config.client_ca is not None,
            )
        except (ssl.SSLError, OSError, ValueError) as error:
            raise ConfigError(f"tls: certificate, key or client_ca cannot be used ({error})") from None
