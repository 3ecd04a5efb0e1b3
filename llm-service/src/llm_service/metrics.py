"""Every instrument of the service. Labels come from closed sets: never a model, an id or a text."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from llm_service.turn import Config

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BACKENDS = frozenset({"google-native", "langchain", "offline"})
_PROVIDERS = frozenset({"openai", "anthropic", "xai", "google", "vertexai", "offline"})
_WHO = ("backend", "provider")
_WAITS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
_TURNS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)

_registry = CollectorRegistry()
ProcessCollector(registry=_registry)
PlatformCollector(registry=_registry)

turns = Counter(
    "tarsy_llm_service_turns", "Turns that ended, by how they ended.", (*_WHO, "outcome"), registry=_registry
)
turn_seconds = Histogram(
    "tarsy_llm_service_turn_duration_seconds",
    "From the request to the last chunk.",
    _WHO,
    buckets=_TURNS,
    registry=_registry,
)
first_chunk_seconds = Histogram(
    "tarsy_llm_service_first_chunk_seconds",
    "From the request to the first chunk.",
    _WHO,
    buckets=_WAITS,
    registry=_registry,
)
tokens = Counter("tarsy_llm_service_tokens", "Tokens as the providers count them.", (*_WHO, "kind"), registry=_registry)
running = Gauge("tarsy_llm_service_turns_running", "Turns that run now.", registry=_registry)
refused = Counter("tarsy_llm_service_turns_refused", "Turns refused because too many ran.", registry=_registry)
retries = Counter(
    "tarsy_llm_service_retries", "Attempts made again, by why the last one failed.", ("code",), registry=_registry
)
deltas = Counter("tarsy_llm_service_deltas", "Pieces that came from providers.", registry=_registry)
messages = Counter("tarsy_llm_service_messages", "Messages that went to callers.", registry=_registry)


def labels(config: Config) -> tuple[str, str]:
    """Who answers, in words from closed sets."""
    backend = config.backend or ("offline" if config.provider == "offline" else "google-native")
    return (
        backend if backend in _BACKENDS else "unknown",
        config.provider if config.provider in _PROVIDERS else "unknown",
    )


def text() -> bytes:
    """Everything in Prometheus' text format."""
    return generate_latest(_registry)
