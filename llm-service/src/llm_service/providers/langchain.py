"""OpenAI, Anthropic, xAI, Google and Vertex AI through LangChain's chat models."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from time import monotonic
from typing import Any, cast

from langchain_core.messages import AIMessageChunk

from llm_service.chunks import Chunk
from llm_service.errors import ErrorCode, ProviderError
from llm_service.logs import logger
from llm_service.providers import lc_messages
from llm_service.providers.failures import translate
from llm_service.providers.lc_models import Models
from llm_service.providers.lc_stream import Reader
from llm_service.providers.specs import Spec, spec
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Turn

# An agent's next turn begins with all of this one: Claude caches it if the request says so.
_CACHED = {"type": "ephemeral"}
_WITHOUT_THINKING_SECONDS = 3600.0
_MAX_WITHOUT_THINKING = 256


class _WithoutThinking:
    """Models that are called without thinking for a while, by provider, model and address."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str, str], float] = {}

    def __contains__(self, model: tuple[str, str, str]) -> bool:
        return self._until.get(model, 0.0) > monotonic()

    def add(self, model: tuple[str, str, str]) -> None:
        if len(self._until) >= _MAX_WITHOUT_THINKING:
            self._until.pop(next(iter(self._until)))
        self._until[model] = monotonic() + _WITHOUT_THINKING_SECONDS


class LangChainProvider:
    """Streams turns from whichever vendor the request names."""

    def __init__(self) -> None:
        """Starts without models; each vendor's package is imported on first use."""
        self._models = Models()
        self._without_thinking = _WithoutThinking()

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks.

        Thinking is requested where the model is known to support it. If the vendor rejects the request (an
        account may lack the right, a proxy the endpoint), it is called once more without thinking; if that works,
        the calls of the next hour omit thinking at once.
        """
        wanted = spec(turn)
        key = wanted.key
        thinking = (
            wanted.thinks and key not in self._without_thinking and lc_messages.keeps_thinking(turn, wanted.family)
        )
        if thinking:
            started = False
            try:
                async with aclosing(self._stream(turn, wanted)) as chunks:
                    async for chunk in chunks:
                        started = True
                        yield chunk
                return
            except ProviderError as error:
                if started or error.code is not ErrorCode.INVALID_REQUEST:
                    raise
        async with aclosing(self._stream(turn, replace(wanted, thinks=False))) as chunks:
            async for chunk in chunks:
                if thinking and key not in self._without_thinking:
                    self._without_thinking.add(key)
                    logger().warning("a model is called without thinking", model=wanted.model)
                yield chunk

    async def close(self) -> None:
        """Clears the cached models."""
        self._models.clear()

    async def _stream(self, turn: Turn, wanted: Spec) -> AsyncGenerator[Chunk, None]:
        reader = Reader(ToolNames(turn.tools), wanted.family)
        try:
            model = await self._models.get(wanted)
            runnable = model.bind_tools(lc_messages.tools(turn, wanted.family)) if turn.tools else model
            options: dict[str, Any] = (
                {"cache_control": _CACHED} if turn.tools and wanted.family in lc_messages.CLAUDE else {}
            )
            messages = cast(
                "AsyncGenerator[AIMessageChunk, None]",
                runnable.astream(lc_messages.messages(turn, wanted.family), **options),
            )
            async with aclosing(messages) as stream:
                async for message in stream:
                    for chunk in reader.read(message):
                        yield chunk
            for chunk in reader.end():
                yield chunk
        except Exception as error:
            raise translate(error, wanted.secret).with_record(reader.usage(), reader.info()) from error
