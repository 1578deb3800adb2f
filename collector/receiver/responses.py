"""What a receiver answers, in both encodings: OTLP export responses and `google.rpc.Status`."""

from __future__ import annotations

import json

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector.decode import Decoded, Encoding, Signal
from collector.errors import Refusal

_REJECTED_JSON = {
    Signal.TRACES: "rejectedSpans",
    Signal.LOGS: "rejectedLogRecords",
    Signal.METRICS: "rejectedDataPoints",
}


def export_response(signal: Signal, decoded: Decoded, encoding: Encoding) -> bytes:
    """The body of a 200: empty on full success, else a partial success (rejected 0 makes it a warning)."""
    message = decoded.message()
    if encoding is Encoding.JSON:
        if not message:
            return b"{}"
        partial = {_REJECTED_JSON[signal]: str(decoded.rejected), "errorMessage": message}
        return json.dumps({"partialSuccess": partial}).encode()
    if not message:
        return b""
    response: ExportTraceServiceResponse | ExportLogsServiceResponse | ExportMetricsServiceResponse
    if signal is Signal.TRACES:
        response = ExportTraceServiceResponse()
        response.partial_success.rejected_spans = decoded.rejected
    elif signal is Signal.LOGS:
        response = ExportLogsServiceResponse()
        response.partial_success.rejected_log_records = decoded.rejected
    else:
        response = ExportMetricsServiceResponse()
        response.partial_success.rejected_data_points = decoded.rejected
    response.partial_success.error_message = message
    return bytes(response.SerializeToString())


def status_of(refusal: Refusal) -> Status:
    """The `google.rpc.Status` of a refusal, with BadRequest or RetryInfo where they apply."""
    status = Status(code=refusal.rpc_code, message=refusal.message)
    if refusal.retry_after_s is not None:
        status.details.add().Pack(retry_info(refusal.retry_after_s))
    elif refusal.reason == "malformed":
        detail = BadRequest()
        detail.field_violations.add(field="body", description=refusal.message)
        status.details.add().Pack(detail)
    return status


def retry_info(seconds: int) -> RetryInfo:
    """Tells a sender when to try again."""
    return RetryInfo(retry_delay=Duration(seconds=seconds))


def status_body(refusal: Refusal, encoding: Encoding) -> bytes:
    """The body of a 4xx or 5xx, in the request's encoding."""
    status = status_of(refusal)
    if encoding is Encoding.JSON:
        return json_format.MessageToJson(status, indent=None).encode()
    return bytes(status.SerializeToString())
