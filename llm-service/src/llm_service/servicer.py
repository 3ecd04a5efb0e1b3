"""llm.v1.LLMService: request in, chunks out. Knows no provider's name."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import grpc

from llm_service import chunks, turn
from llm_service.coalesce import coalesced
from llm_service.errors import ErrorCode, ProviderError
from llm_service.gen.llm.v1 import llm_pb2, llm_pb2_grpc
from llm_service.logs import logger
from llm_service.providers.registry import Registry
from llm_service.retry import RetryPolicy, with_retries

DEADLINE = "the deadline of the call has passed"


class Servicer(llm_pb2_grpc.LLMServiceServicer):
    """Streams turns; holds no state between them."""

    def __init__(self, registry: Registry, retries: RetryPolicy | None = None) -> None:
        """Takes the providers to choose from."""
        self._registry = registry
        self._retries = retries or RetryPolicy()

    async def Generate(  # noqa: N802 - the contract's name
        self, request: llm_pb2.GenerateRequest, context: grpc.ServicerContext
    ) -> AsyncIterator[llm_pb2.GenerateResponse]:
        """Streams one turn and ends with a final chunk."""
        call = _CallLog(request)
        outcome = "cancelled"
        try:
            async with aclosing(self._chunks(request)) as stream:
                async for chunk in stream:
                    call.count(chunk)
                    yield chunks.response(chunk)
            outcome = "ok"
            yield chunks.finished()
        except ProviderError as error:
            outcome = error.code.value
            yield chunks.failed(error)
        except TimeoutError:
            outcome = "deadline"
            await _abort(context)
        except Exception as error:  # noqa: BLE001 - the caller gets a typed answer, the log the type
            outcome = "internal"
            logger().error("a turn failed unexpectedly", error=type(error).__name__)
            yield chunks.failed(_unexpected(error))
        finally:
            call.write(outcome)

    async def _chunks(self, request: llm_pb2.GenerateRequest) -> AsyncGenerator[chunks.Chunk, None]:
        given = turn.from_request(request)
        deadline = None
        if request.deadline_ms > 0:
            deadline = asyncio.get_running_loop().time() + request.deadline_ms / 1000
        provider = await self._registry.find(given.config)
        source = with_retries(lambda: provider.generate(given), self._retries)
        async with aclosing(coalesced(source, deadline)) as stream:
            async for chunk in stream:
                yield chunk


class _CallLog:
    """One line a turn: who asked, how long, how much; never what was said."""

    def __init__(self, request: llm_pb2.GenerateRequest) -> None:
        self.started = time.monotonic()
        self.first_chunk: float | None = None
        self.usage = chunks.Usage(0, 0, 0)
        self.calls = 0
        self.fields = {
            "session.id": request.session_id,
            "execution.id": request.execution_id,
            "llm.backend": request.llm_config.backend,
            "llm.provider": request.llm_config.provider,
            "llm.model": request.llm_config.model,
            "messages": len(request.messages),
            "tools": len(request.tools),
        }

    def count(self, chunk: chunks.Chunk) -> None:
        """Takes note of a chunk's size, not of its content."""
        if self.first_chunk is None:
            self.first_chunk = time.monotonic()
        if isinstance(chunk, chunks.Usage):
            self.usage = chunk
        elif isinstance(chunk, chunks.Call):
            self.calls += 1

    def write(self, outcome: str) -> None:
        """Logs the turn."""
        first = None if self.first_chunk is None else self.first_chunk - self.started
        logger().info(
            "turn finished",
            outcome=outcome,
            duration_ms=int((time.monotonic() - self.started) * 1000),
            first_chunk_ms=None if first is None else int(first * 1000),
            tool_calls=self.calls,
            input_tokens=self.usage.input,
            output_tokens=self.usage.output,
            **self.fields,
        )


async def _abort(context: grpc.ServicerContext) -> None:
    await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, DEADLINE)  # pyright: ignore


def _unexpected(error: Exception) -> ProviderError:
    return ProviderError(ErrorCode.PROVIDER_ERROR, f"the service failed unexpectedly ({type(error).__name__})")
