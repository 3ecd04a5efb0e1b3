"""OpenAI, Anthropic, xAI, Google and Vertex AI through LangChain's chat models."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from time import monotonic
from typing import Any, cast

from langchain_core.messages import AIMessageChunk

from llm_service.chunks import Chunk
from llm_service.errors import ErrorCode, ProviderError
from llm_service.logs import logger
from llm_service.providers import lc_messages
from llm_service.providers.failures import translate
from llm_service.providers.lc_models import Models, Spec, spec
from llm_service.providers.lc_stream import Reader
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Turn

# An agent's next turn begins with all of this one: Claude reads it from its cache if it is told to keep it.
_CACHED = {"type": "ephemeral"}
_PLAIN_SECONDS = 3600.0
_MOST_PLAIN = 256


class _Plain:
    """Models that do without thinking for a while."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str, str], float] = {}

    def __contains__(self, place: tuple[str, str, str]) -> bool:
        return self._until.get(place, 0.0) > monotonic()

    def add(self, place: tuple[str, str, str]) -> None:
        if len(self._until) >= _MOST_PLAIN:
            self._until.pop(next(iter(self._until)))
        self._until[place] = monotonic() + _PLAIN_SECONDS


class LangChainProvider:
    """Streams turns from whichever vendor the request names."""

    def __init__(self) -> None:
        """Starts without models; each vendor's package is imported on first use."""
        self._models = Models()
        self._plain = _Plain()

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks.

        Thinking is asked for where the model is known to have it. A vendor that refuses the call is asked
        once more without (an account may lack the right, a proxy the endpoint); if that works, its calls of
        the next hour go without at once.
        """
        wanted = spec(turn)
        place = (wanted.provider, wanted.model, wanted.base_url)
        thinking = wanted.thinking and place not in self._plain and lc_messages.keeps_thinking(turn, wanted.family)
        if thinking:
            seen = False
            try:
                async with aclosing(self._stream(turn, wanted)) as chunks:
                    async for chunk in chunks:
                        seen = True
                        yield chunk
                return
            except ProviderError as error:
                if seen or error.code is not ErrorCode.INVALID_REQUEST:
                    raise
        async with aclosing(self._stream(turn, wanted.without_thinking())) as chunks:
            async for chunk in chunks:
                if thinking and place not in self._plain:
                    self._plain.add(place)
                    logger().warning("a model is called without thinking", model=wanted.model)
                yield chunk

    async def close(self) -> None:
        """Lets go of the models."""
        self._models.clear()

    async def _stream(self, turn: Turn, wanted: Spec) -> AsyncGenerator[Chunk, None]:
        reader = Reader(ToolNames(turn.tools), wanted.family)
        try:
            model = await self._models.get(wanted)
            runnable = model.bind_tools(lc_messages.tools(turn)) if turn.tools else model
            options: dict[str, Any] = (
                {"cache_control": _CACHED} if turn.tools and wanted.family in lc_messages.CLAUDE else {}
            )
            pieces = cast(
                "AsyncGenerator[AIMessageChunk, None]",
                runnable.astream(lc_messages.messages(turn, wanted.family), **options),
            )
            async with aclosing(pieces) as stream:
                async for piece in stream:
                    for chunk in reader.read(piece):
                        yield chunk
            for chunk in reader.end():
                yield chunk
        except Exception as error:
            raise translate(error, wanted.secret).with_usage(reader.usage()) from error
