"""The strategy `langchain`, which has its name from earlier versions: every vendor, most of them by the wire."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from llm_service.chunks import Chunk
from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers import chat, claude, responses
from llm_service.providers.accepted import Accepted, to_leave_out
from llm_service.providers.base import Provider
from llm_service.providers.failures import translate
from llm_service.providers.http import Http
from llm_service.providers.markup import Markup, OpensInReasoningError, opened_in_reasoning
from llm_service.providers.progress import Progress
from llm_service.providers.specs import Spec, spec
from llm_service.providers.typed import Answer
from llm_service.providers.wire import Exchange
from llm_service.turn import Turn

# Options that one call may leave out one after the other.
_MAX_REQUESTS = 6
# Of models of which servers send only the end of their reasoning.
_OPENS_IN_REASONING = "opens_in_reasoning"


class DirectProvider:
    """Streams turns from whichever vendor the request names."""

    def __init__(self) -> None:
        """Starts without connections; Google's packages are imported by the first turn that needs them."""
        self._http = Http()
        self._accepted = Accepted()
        self._gemini: Provider | None = None
        self._accounts: Any = None

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks.

        A request that is refused for an option that not every server has is sent again without it; if that works, the
        requests of the next hour omit it at once.
        """
        wanted = spec(turn)
        if wanted.provider in ("google", "vertexai") and not wanted.is_claude:
            async with aclosing(self._by_google(turn)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        if wanted.provider == "vertexai":
            wanted = await self._signed(wanted)
        known = self._accepted.refused(wanted.key)
        left_out: frozenset[str] = frozenset()
        for _ in range(_MAX_REQUESTS):
            exchange = _exchange(turn, wanted, known | left_out)
            started = False
            try:
                async with aclosing(self._stream(exchange, wanted, turn)) as chunks:
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
        if self._gemini is not None:
            await self._gemini.close()

    async def _stream(self, exchange: Exchange, wanted: Spec, turn: Turn) -> AsyncGenerator[Chunk, None]:
        reader = exchange.reader
        opens_in_reasoning = _OPENS_IN_REASONING in self._accepted.refused(wanted.key)
        markup = Markup(turn.tools, opens_in_reasoning=opens_in_reasoning)
        progress = Progress()
        answer = Answer(exchange.answer, turn.answer)
        try:
            async with aclosing(self._http.events(exchange.request)) as events:
                async for event in events:
                    if (report := progress.read(event)) is not None:
                        yield report
                    for read in reader.read(event):
                        for chunk in markup.feed(read):
                            yield answer.read(chunk) if exchange.answer else chunk
            for chunk in markup.end(reader.end()):
                yield answer.read(chunk)
            if ignored := answer.was_ignored():
                self._accepted.refuse(wanted.key, frozenset((ignored,)))
        except OpensInReasoningError as error:
            self._accepted.note(wanted.key, _OPENS_IN_REASONING)
            raise opened_in_reasoning().with_record(reader.usage(), reader.info()) from error
        except Exception as error:
            raise translate(error, wanted.secret).with_record(reader.usage(), reader.info()) from error

    def _by_google(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Asks Gemini as `google-native` does, without the tools that only that strategy has."""
        if self._gemini is None:
            from llm_service.providers.google_native import GoogleNativeProvider  # noqa: PLC0415 - takes seconds

            self._gemini = GoogleNativeProvider()
        return self._gemini.generate(replace(turn, config=replace(turn.config, native_tools=frozenset())))

    async def _signed(self, wanted: Spec) -> Spec:
        if self._accounts is None:
            from llm_service.providers.google_accounts import Accounts  # noqa: PLC0415 - as above

            self._accounts = Accounts()
        try:
            return await self._accounts.signed(wanted)
        except Exception as error:
            raise translate(error) from error


def _exchange(turn: Turn, wanted: Spec, refused: frozenset[str]) -> Exchange:
    thinks = wanted.thinks and "thinking" not in refused
    model = replace(wanted, refused=refused, thinks=thinks)
    if wanted.is_claude:
        return claude.exchange(turn, model)
    return responses.exchange(turn, model) if thinks else chat.exchange(turn, model)


def _refused_option(error: ProviderError, exchange: Exchange) -> str:
    if error.code is not ErrorCode.INVALID_REQUEST or error.overflow is not None:
        return ""
    return to_leave_out(error.message, exchange.options)
