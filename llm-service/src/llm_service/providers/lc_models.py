"""Builds and caches LangChain's chat models; one function for each vendor."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from llm_service import heap
from llm_service.errors import invalid
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.credentials import api_key, credentials_file, file_stamp, fingerprint
from llm_service.providers.lc_messages import family
from llm_service.turn import Turn

MAX_MODELS = 64
SHORT_ANSWER_TOKENS = 8192
_ANTHROPIC_TOKENS = 16_384
# Claude requires a limit, and the oldest models reject larger ones.
_ANTHROPIC_OLD = (("claude-3-5", 8192), ("claude-3-7", _ANTHROPIC_TOKENS), ("claude-3", 4096))
_ANTHROPIC_THINKING = 8_192
_OPENAI_REASONING = re.compile(r"^(?:o\d|gpt-[5-9])(?!.*chat)")
_GEMINI_WITHOUT = re.compile(r"^(?:models/)?(?:gemini-1|gemini-2\.0|gemma)")
_CLAUDE_BUDGET = re.compile(r"^claude-(?:3-7-sonnet|(?:opus|sonnet|haiku)-4(?:-[015])?(?:[-@]\d{8})?$)")
_CLAUDE_ADAPTIVE = re.compile(r"^claude-(?:opus-(?:4-[6-9]|[5-9])|sonnet-(?:4-[6-9]|[5-9]))")


@dataclass(frozen=True, slots=True)
class Spec:
    """The parameters of a chat model; equal specs share a model."""

    provider: str
    model: str
    secret: str
    base_url: str = ""
    credentials: str = ""
    credentials_stamp: str = ""
    project: str = ""
    location: str = ""
    max_tokens: int = 0
    thinking: bool = False

    @property
    def family(self) -> str:
        """The vendor whose provider state this model can read."""
        return family(self.provider, self.model)

    @property
    def short(self) -> bool:
        """Whether the limit leaves no room for long thinking, which counts as output."""
        return 0 < self.max_tokens < SHORT_ANSWER_TOKENS

    def without_thinking(self) -> "Spec":
        """Returns the same model without thinking."""
        return replace(self, thinking=False)

    def __repr__(self) -> str:
        """Omits the key."""
        return f"Spec({self.provider}, {self.model})"


def spec(turn: Turn) -> Spec:
    """Reads the model that a request names; raises `ProviderError` if it cannot be served."""
    config = turn.config
    if not config.model:
        raise invalid("the provider has no model")
    vertex = config.provider == "vertexai"
    path = credentials_file(config) if vertex else ""
    return Spec(
        provider=config.provider,
        model=config.model,
        secret="" if vertex else api_key(config),
        base_url=config.base_url,
        credentials=path,
        credentials_stamp=file_stamp(path),
        project=config.project,
        location=config.location,
        max_tokens=turn.max_output_tokens,
        thinking=_thinks(config.provider, config.model),
    )


class Models:
    """The cached chat models of this process."""

    def __init__(self) -> None:
        """Starts empty."""
        self._cache: AsyncCache[Spec, BaseChatModel] = AsyncCache(MAX_MODELS)
        self._loaded: set[str] = set()

    async def get(self, wanted: Spec) -> BaseChatModel:
        """Returns the model; the first one of a vendor imports its package."""
        key = replace(wanted, secret=fingerprint(wanted.secret))
        model = await self._cache.get(key, partial(_BUILDERS[wanted.provider], wanted))
        if wanted.provider not in self._loaded:
            self._loaded.add(wanted.provider)
            heap.freeze()
        return model

    def clear(self) -> None:
        """Empties the cache."""
        self._cache.take_all()


def _thinks(provider: str, model: str) -> bool:
    match provider:
        case "openai":
            return bool(_OPENAI_REASONING.match(model))
        case "anthropic":
            return bool(_CLAUDE_BUDGET.match(model) or _CLAUDE_ADAPTIVE.match(model))
        case "vertexai" if model.startswith("claude"):
            return bool(_CLAUDE_BUDGET.match(model) or _CLAUDE_ADAPTIVE.match(model))
        case "google" | "vertexai":
            return not _GEMINI_WITHOUT.match(model)
        case _:
            return False


def _openai(wanted: Spec) -> BaseChatModel:
    from llm_service.providers.lc_openai import ChatOpenAI, read_events_as_dicts  # noqa: PLC0415 - takes seconds, imported on first use

    options: dict[str, Any] = {}
    if wanted.thinking:
        options = {
            "reasoning": {"summary": "auto", **({"effort": "low"} if wanted.short else {})},
            "include": ["reasoning.encrypted_content"],
            "store": False,
            "output_version": "responses/v1",
        }
    if wanted.max_tokens:
        options["max_tokens"] = wanted.max_tokens

    async def key() -> str:  # a plain function would be called in a thread at each turn
        return wanted.secret

    model = ChatOpenAI(
        model=wanted.model,
        api_key=key,
        base_url=wanted.base_url or None,
        max_retries=0,
        streaming=True,
        stream_usage=True,
        stream_chunk_timeout=None,  # this service has its own idle timeout
        **options,
    )
    read_events_as_dicts(model)
    return model


def _anthropic(wanted: Spec) -> BaseChatModel:
    from llm_service.providers.lc_anthropic import ChatAnthropic  # noqa: PLC0415 - as above

    options: dict[str, Any] = {"base_url": wanted.base_url} if wanted.base_url else {}
    return ChatAnthropic(api_key=SecretStr(wanted.secret), **_claude(wanted), **options)


def _claude(wanted: Spec) -> dict[str, Any]:
    options: dict[str, Any] = {
        "model": wanted.model,
        "max_tokens": wanted.max_tokens or _claude_limit(wanted.model),
        "max_retries": 0,
        "streaming": True,
        "stream_usage": True,
    }
    if wanted.short:
        return options
    if wanted.thinking and _CLAUDE_ADAPTIVE.match(wanted.model):
        options["thinking"] = {"type": "adaptive"}
        if not re.match(r"^claude-\w+-4-6", wanted.model):
            options["thinking"]["display"] = "summarized"
    elif wanted.thinking:
        budget = min(_ANTHROPIC_THINKING, options["max_tokens"] // 2)
        options["thinking"] = {"type": "enabled", "budget_tokens": budget}
    return options


def _claude_limit(model: str) -> int:
    return next((limit for name, limit in _ANTHROPIC_OLD if model.startswith(name)), _ANTHROPIC_TOKENS)


def _google(wanted: Spec) -> BaseChatModel:
    return _gemini(wanted, {"google_api_key": wanted.secret, "vertexai": False})


def _vertexai(wanted: Spec) -> BaseChatModel:
    from llm_service.providers.google_messages import service_account  # noqa: PLC0415 - as above

    credentials = service_account(wanted.credentials) if wanted.credentials else None
    if wanted.model.startswith("claude"):
        from llm_service.providers.lc_anthropic import ChatAnthropicVertex  # noqa: PLC0415 - as above

        return ChatAnthropicVertex(
            api_key=SecretStr("none"),
            project=wanted.project,
            region=wanted.location or "global",
            vertex_url=wanted.base_url,
            credentials=credentials,
            **_claude(wanted),
        )
    return _gemini(
        wanted,
        {
            "vertexai": True,
            "project": wanted.project or None,
            "location": wanted.location or None,
            "credentials": credentials,
        },
    )


def _gemini(wanted: Spec, options: dict[str, Any]) -> BaseChatModel:
    from langchain_google_genai import ChatGoogleGenerativeAI  # noqa: PLC0415 - as above

    if wanted.base_url:
        options["base_url"] = wanted.base_url
    if wanted.max_tokens:
        options["max_output_tokens"] = wanted.max_tokens
    if wanted.thinking:
        options["include_thoughts"] = True
    if wanted.short and "gemini-2.5" in wanted.model:
        from llm_service.providers.google_messages import thinking_budget  # noqa: PLC0415 - as above

        budget = thinking_budget(wanted.model.rsplit("/", 1)[-1], wanted.max_tokens)
        options |= {"thinking_budget": budget, "include_thoughts": budget != 0}
    elif wanted.short and wanted.thinking:
        options["reasoning_effort"] = "low"
    return ChatGoogleGenerativeAI(model=wanted.model, max_retries=1, **options)


_BUILDERS: dict[str, Callable[[Spec], BaseChatModel]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "vertexai": _vertexai,
}
