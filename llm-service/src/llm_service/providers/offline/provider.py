"""The offline analyst as a provider: streams what the plan says, at a set pace."""

import asyncio
import re
from collections.abc import AsyncGenerator

from llm_service.chunks import Call, Chunk, Text, Thinking, Usage
from llm_service.providers.offline.analyst import plan
from llm_service.turn import CHARS_PER_TOKEN, Turn

MODEL = "offline-analyst"
_PIECE = re.compile(r"\S+\s*|\s+")


class OfflineProvider:
    """Answers without a model; needs no key and no network."""

    def __init__(self, tokens_per_second: float = 0.0) -> None:
        """Takes the pace; 0 is as fast as it goes."""
        self._tokens_per_second = tokens_per_second

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Streams reasoning, text, then the calls asked for."""
        answer = await asyncio.to_thread(plan, turn)
        pace = _Pace(self._tokens_per_second)
        for piece in _PIECE.findall(answer.thinking):
            await pace.wait(piece)
            yield Thinking(piece)
        for piece in _PIECE.findall(answer.text):
            await pace.wait(piece)
            yield Text(piece)
        for call_id, name, arguments in answer.calls:
            yield Call(call_id, name, arguments)
        calls = "".join(name + arguments for _, name, arguments in answer.calls)
        read = sum(len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in turn.messages)
        given = tokens(read + sum(len(t.description) + len(t.schema) for t in turn.tools))
        thought = tokens(len(answer.thinking))
        said = tokens(len(answer.text) + len(calls)) + thought
        yield Usage(input=given, output=said, total=given + said, thinking=thought)

    async def close(self) -> None:
        """Holds nothing."""


class _Pace:
    """Waits so that tokens leave at the set rate."""

    def __init__(self, tokens_per_second: float) -> None:
        self._seconds_per_char = 1 / (tokens_per_second * CHARS_PER_TOKEN) if tokens_per_second else 0.0
        self._due = asyncio.get_running_loop().time()

    async def wait(self, piece: str) -> None:
        """Waits for the piece's turn."""
        if not self._seconds_per_char:
            return
        self._due += len(piece) * self._seconds_per_char
        ahead = self._due - asyncio.get_running_loop().time()
        if ahead > 0.005:
            await asyncio.sleep(ahead)


def tokens(characters: int) -> int:
    """Tokens by the usual rule of thumb."""
    return (characters + CHARS_PER_TOKEN - 1) // CHARS_PER_TOKEN
