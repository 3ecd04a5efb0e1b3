"""Builds and caches LangChain's chat models; one function for each vendor."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from llm_service import heap
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.credentials import fingerprint
from llm_service.providers.specs import CLAUDE_ADAPTIVE, Spec

MAX_MODELS = 64
_ANTHROPIC_TOKENS = 16_384
# Claude requires a limit, and the oldest models reject larger ones.
_ANTHROPIC_OLD = (("claude-3-5", 8192), ("claude-3-7", _ANTHROPIC_TOKENS), ("claude-3", 4096))
_ANTHROPIC_THINKING = 8_192


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


def _openai(wanted: Spec) -> BaseChatModel:
    from llm_service.providers.lc_openai import ChatOpenAI, read_events_as_dicts  # noqa: PLC0415 - takes seconds, imported on first use

    options: dict[str, Any] = {}
    if wanted.thinks:
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
    if wanted.thinks and CLAUDE_ADAPTIVE.match(wanted.model):
        options["thinking"] = {"type": "adaptive"}
        if not re.match(r"^claude-\w+-4-6", wanted.model):
            options["thinking"]["display"] = "summarized"
    elif wanted.thinks:
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
    if wanted.thinks:
        options["include_thoughts"] = True
    if wanted.short and "gemini-2.5" in wanted.model:
        from llm_service.providers.google_messages import thinking_budget  # noqa: PLC0415 - as above

        budget = thinking_budget(wanted.model.rsplit("/", 1)[-1], wanted.max_tokens)
        options |= {"thinking_budget": budget, "include_thoughts": budget != 0}
    elif wanted.short and wanted.thinks:
        options["reasoning_effort"] = "low"
    return ChatGoogleGenerativeAI(model=wanted.model, max_retries=1, **options)


_BUILDERS: dict[str, Callable[[Spec], BaseChatModel]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "vertexai": _vertexai,
}
