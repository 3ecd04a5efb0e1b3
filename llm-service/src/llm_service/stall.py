"""Ends a stream on which nothing comes any more."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from llm_service.chunks import Chunk
from llm_service.errors import ErrorCode, ProviderError


async def watched(source: AsyncGenerator[Chunk, None], seconds: float) -> AsyncGenerator[Chunk, None]:
    """Yields the source's chunks; a silence longer than this is a failure of the provider.

    The caller's own deadline is another matter: it bounds the turn, this bounds the silence.
    """
    async with aclosing(source) as chunks:
        while True:
            limit = asyncio.timeout(seconds)
            try:
                async with limit:
                    chunk = await anext(chunks, None)
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise ProviderError(
                    ErrorCode.PROVIDER_ERROR, f"the provider said nothing for {seconds:g} s", retryable=True
                ) from error
            if chunk is None:
                return
            yield chunk
