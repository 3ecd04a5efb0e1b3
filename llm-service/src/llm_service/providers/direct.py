"""The strategy `langchain`: Chat Completions by the wire, the other protocols through LangChain's models."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from llm_service.chunks import Chunk
from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers import chat
from llm_service.providers.accepted import Accepted, to_leave_out
from llm_service.providers.base import Provider
from llm_service.providers.failures import translate
from llm_service.providers.http import Http
from llm_service.providers.specs import Spec, spec
from llm_service.providers.wire import Exchange
from llm_service.turn import Turn

# Options that one call may leave out one after the other.
_MAX_REQUESTS = 4


class DirectProvider:
    """Streams turns from whichever vendor the request names."""

    def __init__(self) -> None:
        """Starts without connections; LangChain is imported by the first turn that needs it."""
        self._http = Http()
        self._accepted = Accepted()
        self._others: Provider | None = None

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks.

        A request that is refused for an option that not every server has is sent again without it; if that works, the
        requests of the next hour omit it at once.
        """
        wanted = spec(turn)
        if wanted.provider not in ("openai", "xai") or wanted.thinks:
            async with aclosing(self._other(turn)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        known = self._accepted.refused(wanted.key)
        left_out: frozenset[str] = frozenset()
        for _ in range(_MAX_REQUESTS):
            exchange = chat.exchange(turn, replace(wanted, refused=known | left_out))
            started = False
            try:
                async with aclosing(self._stream(exchange, wanted)) as chunks:
                    async for chunk in chunks:
                        if not started:
                            self._accepted.refuse(wanted.key, left_out)
                        started = True
                        yield chunk
                return
            except ProviderError as error:
                option = "" if started else _refused_option(error, exchange)
                if not option or len(left_out) + 1 == _MAX_REQUESTS:
                    raise
                left_out |= {option}

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()
        if self._others is not None:
            await self._others.close()

    async def _stream(self, exchange: Exchange, wanted: Spec) -> AsyncGenerator[Chunk, None]:
        reader = exchange.reader
        try:
            async with aclosing(self._http.events(exchange.request)) as events:
                async for event in events:
                    for chunk in reader.read(event):
                        yield chunk
            for chunk in reader.end():
                yield chunk
        except Exception as error:
            raise translate(error, wanted.secret).with_record(reader.usage(), reader.info()) from error

    def _other(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        if self._others is None:
            from llm_service.providers.langchain import LangChainProvider  # noqa: PLC0415 - takes seconds

            self._others = LangChainProvider()
        return self._others.generate(turn)


def _refused_option(error: ProviderError, exchange: Exchange) -> str:
    if error.code is not ErrorCode.INVALID_REQUEST or error.overflow is not None:
        return ""
    return to_leave_out(error.message, exchange.options)
