"""The offline analyst as a provider: streams its plan at a configured rate."""

import asyncio
import re
from collections.abc import AsyncGenerator

from llm_service.chunks import Call, Chunk, Finish, Text, Thinking, Usage
from llm_service.finish_reason import FinishReason
from llm_service.providers.offline.analyst import plan
from llm_service.turn import CHARS_PER_TOKEN, Turn

MODEL = "offline-analyst"
_WORD = re.compile(r"\S+\s*|\s+")


class OfflineProvider:
    """Answers without a model; needs no key and no network."""

    def __init__(self, tokens_per_second: float = 0.0) -> None:
        """A rate of 0 is unlimited."""
        self._tokens_per_second = tokens_per_second

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Streams reasoning, text, then tool calls."""
        answer = await asyncio.to_thread(plan, turn)
        pace = _Pace(self._tokens_per_second)
        for word in _WORD.findall(answer.thinking):
            await pace.wait(word)
            yield Thinking(word)
        for word in _WORD.findall(answer.text):
            await pace.wait(word)
            yield Text(word)
        for call_id, name, arguments in answer.calls:
            yield Call(call_id, name, arguments)
        calls = "".join(name + arguments for _, name, arguments in answer.calls)
        read = sum(len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in turn.messages)
        prompt = tokens(read + sum(len(t.description) + len(t.schema) for t in turn.tools))
        thinking = tokens(len(answer.thinking))
        output = tokens(len(answer.text) + len(calls)) + thinking
        yield Usage(input=prompt, output=output, total=prompt + output, thinking=thinking)
        yield Finish(FinishReason.TOOL_CALLS if answer.calls else FinishReason.STOP)

    async def close(self) -> None:
        """Does nothing: it holds no resources."""


class _Pace:
    """Delays words so that tokens leave at the configured rate."""

    def __init__(self, tokens_per_second: float) -> None:
        self._seconds_per_char = 1 / (tokens_per_second * CHARS_PER_TOKEN) if tokens_per_second else 0.0
        self._due = asyncio.get_running_loop().time()

    async def wait(self, word: str) -> None:
        """Waits until the word is due."""
        if not self._seconds_per_char:
            return
        self._due += len(word) * self._seconds_per_char
        ahead = self._due - asyncio.get_running_loop().time()
        if ahead > 0.005:
            await asyncio.sleep(ahead)


def tokens(characters: int) -> int:
    """Estimates tokens from characters."""
    return (characters + CHARS_PER_TOKEN - 1) // CHARS_PER_TOKEN
