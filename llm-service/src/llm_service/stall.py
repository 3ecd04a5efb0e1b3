"""Watches one call of a provider: its pauses, and whether a failure interrupts an answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from llm_service.chunks import Chunk, Info
from llm_service.errors import ErrorCode, ProviderError


async def watched(source: AsyncGenerator[Chunk, None], seconds: float) -> AsyncGenerator[Chunk, None]:
    """Yields the source's chunks; a pause longer than `seconds` is a failure of the provider.

    A failure after the first chunk is a `partial_stream_error`. The caller's deadline is not handled here: it
    bounds the whole turn.
    """
    started = False
    async with aclosing(_with_idle_timeout(source, seconds)) as chunks:
        try:
            async for chunk in chunks:
                # Progress of the prompt is a sign of life, and no answer yet.
                started |= not isinstance(chunk, Info)
                yield chunk
        except ProviderError as error:
            if not started:
                raise
            raise _interrupted(error) from error


async def _with_idle_timeout(source: AsyncGenerator[Chunk, None], seconds: float) -> AsyncGenerator[Chunk, None]:
    loop = asyncio.get_running_loop()
    async with aclosing(source) as chunks:
        # One timeout that is moved: to begin one for each token costs more than all the rest here.
        limit = asyncio.timeout_at(loop.time() + seconds)
        try:
            async with limit:
                async for chunk in chunks:
                    limit.reschedule(None)
                    yield chunk
                    limit.reschedule(loop.time() + seconds)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ProviderError(
                ErrorCode.PROVIDER_ERROR, f"the provider sent nothing for {seconds:g} s", retryable=True
            ) from error


def _interrupted(error: ProviderError) -> ProviderError:
    if error.code is ErrorCode.PARTIAL_STREAM:
        return error
    return ProviderError(
        ErrorCode.PARTIAL_STREAM,
        f"the answer was interrupted: {error.message}",
        retryable=error.retryable,
        retry_after_ms=error.retry_after_ms,
        finish_reason=error.finish_reason,
    ).with_record(error.usage, error.info)
