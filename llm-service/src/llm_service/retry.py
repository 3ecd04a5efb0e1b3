"""Tries a call again while nothing of its answer has been seen."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from llm_service import metrics
from llm_service.chunks import Chunk, Usage, together
from llm_service.errors import ErrorCode, ProviderError, partial_stream
from llm_service.logs import logger


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how long between."""

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0

    def wait(self, attempt: int, error: ProviderError) -> float | None:
        """Seconds before the next attempt; `None` if the provider asks for more than we wait."""
        asked = error.retry_after_ms / 1000
        if asked > self.longest_wait:
            return None
        backoff = min(self.longest_wait, self.first_wait * 2 ** (attempt - 1))
        return asked + backoff * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret


async def with_retries(
    start: Callable[[], AsyncGenerator[Chunk, None]], policy: RetryPolicy
) -> AsyncGenerator[Chunk, None]:
    """Yields one call's chunks; a call that fails before its first chunk is started again.

    The tokens of attempts that failed are told with those of the last one.
    """
    spent: Usage | None = None
    for attempt in range(1, policy.attempts + 1):
        seen = False
        try:
            async with aclosing(start()) as chunks:
                async for chunk in chunks:
                    seen = True
                    if isinstance(chunk, Usage):
                        spent = together(spent, chunk)
                    else:
                        yield chunk
            if spent is not None:
                yield spent
            return
        except ProviderError as error:
            spent = together(spent, error.spent)
            if seen:
                raise _interrupted(error).after(spent) from error
            if not error.retryable:
                raise error.after(spent) from error.__cause__
            wait = policy.wait(attempt, error) if attempt < policy.attempts else None
            if wait is None:
                raise _given_up(error, attempt).after(spent) from error
            metrics.retries.labels(error.code.value).inc()
            logger().warning(
                "a provider call is tried again",
                attempt=attempt,
                code=error.code.value,
                wait_ms=int(wait * 1000),
            )
            await asyncio.sleep(wait)


def _interrupted(error: ProviderError) -> ProviderError:
    if error.code is ErrorCode.PARTIAL_STREAM:
        return error
    return partial_stream(f"the answer broke off: {error.message}", retryable=error.retryable)


def _given_up(error: ProviderError, attempts: int) -> ProviderError:
    if error.code is ErrorCode.RATE_LIMITED or attempts == 1:
        return error
    message = f"failed {attempts} times: {error.message}"
    return ProviderError(ErrorCode.MAX_RETRIES, message, retryable=error.passing, retry_after_ms=error.retry_after_ms)
