"""A worker's instruments, which `totals` sums. Labels come from closed sets: never a model, an id or a text."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from llm_service.turn import Config

_BACKENDS = frozenset({"google-native", "langchain"})
_PROVIDERS = frozenset({"openai", "anthropic", "xai", "google", "vertexai"})
_LABELS = ("backend", "provider")
_FIRST_CHUNK_BUCKETS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
_TURN_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)

registry = CollectorRegistry()

turns = Counter("tarsy_llm_service_turns", "Finished turns, by outcome.", (*_LABELS, "outcome"), registry=registry)
turn_seconds = Histogram(
    "tarsy_llm_service_turn_duration_seconds",
    "From the request to the last chunk.",
    _LABELS,
    buckets=_TURN_BUCKETS,
    registry=registry,
)
first_chunk_seconds = Histogram(
    "tarsy_llm_service_first_chunk_seconds",
    "From the request to the first chunk.",
    _LABELS,
    buckets=_FIRST_CHUNK_BUCKETS,
    registry=registry,
)
tokens = Counter(
    "tarsy_llm_service_tokens", "Tokens as the providers count them.", (*_LABELS, "kind"), registry=registry
)
embeddings = Counter(
    "tarsy_llm_service_embeddings", "Requests for vectors, by outcome.", ("provider", "outcome"), registry=registry
)
running = Gauge("tarsy_llm_service_turns_running", "Running turns.", registry=registry, multiprocess_mode="livesum")
refused = Counter("tarsy_llm_service_turns_refused", "Turns refused at capacity.", registry=registry)
callers_refused = Counter("tarsy_llm_service_callers_refused", "Calls without a valid token.", registry=registry)
deltas = Counter("tarsy_llm_service_deltas", "Deltas received from providers.", registry=registry)
messages = Counter("tarsy_llm_service_messages", "Messages sent to callers.", registry=registry)


def labels(config: Config) -> tuple[str, str]:
    """The backend and the provider, each from a closed set."""
    backend = config.backend or "google-native"
    return (
        backend if backend in _BACKENDS else "unknown",
        kind(config.provider),
    )


def kind(provider: str) -> str:
    """The type of a provider, from a closed set."""
    return provider if provider in _PROVIDERS else "unknown"
