"""Exports spans by OTLP over gRPC. The only module that depends on OpenTelemetry's SDK, which takes a while to load."""

from collections.abc import Callable
from urllib.parse import urlsplit

from llm_service.settings import Settings
from llm_service.spans import Spans

NAME = "tarsy-llm-service"
# With the longest texts a batch stays below the 4 MiB that collectors accept.
_BATCH = 32


def _nothing() -> None:
    """Nothing was started."""


def start(settings: Settings) -> tuple[Spans, Callable[[], None]]:
    """Starts to export; the second value sends what waits, for at most five seconds, and stops."""
    if not settings.otlp_endpoint:
        return Spans(), _nothing
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    insecure = urlsplit(settings.otlp_endpoint).scheme != "https"
    exporter = OTLPSpanExporter(endpoint=settings.otlp_endpoint, insecure=insecure, timeout=5)
    provider = TracerProvider(resource=Resource.create({"service.name": NAME}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=_BATCH))
    return Spans(provider.get_tracer(NAME), capture_content=settings.capture_content), provider.shutdown
