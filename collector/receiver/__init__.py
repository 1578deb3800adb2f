"""OTLP from the network: gRPC and HTTP, each a thin shell around `collector.intake`."""
