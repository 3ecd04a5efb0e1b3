"""llm.v1.LLMService: request in, chunks out. Knows no provider's name."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import grpc

from llm_service import chunks, metrics, turn
from llm_service.admission import Admission, Full
from llm_service.coalesce import coalesced
from llm_service.errors import ErrorCode, ProviderError
from llm_service.gen.llm.v1 import llm_pb2, llm_pb2_grpc
from llm_service.logs import logger
from llm_service.providers.registry import Registry
from llm_service.retry import RetryPolicy, with_retries
from llm_service.stall import watched

DEADLINE = "the deadline of the call has passed"
FULL = "too many turns run at once: ask again later, or another replica"
MOST_TURNS = 128
STALL_SECONDS = 300.0
RETRY_AFTER_MS = 2000
_TRACE = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


class Servicer(llm_pb2_grpc.LLMServiceServicer):
    """Streams turns; holds no state between them."""

    def __init__(
        self,
        registry: Registry,
        retries: RetryPolicy | None = None,
        admission: Admission | None = None,
        stall_seconds: float = STALL_SECONDS,
    ) -> None:
        """Takes the providers to choose from, and the bounds of a turn."""
        self._registry = registry
        self._retries = retries or RetryPolicy()
        self._admission = admission or Admission(MOST_TURNS)
        self._stall_seconds = stall_seconds

    async def Generate(  # noqa: N802 - the contract's name
        self, request: llm_pb2.GenerateRequest, context: grpc.ServicerContext
    ) -> AsyncIterator[llm_pb2.GenerateResponse]:
        """Streams one turn and ends with a final chunk."""
        call = _CallLog(request, _trace_id(context))
        try:
            with self._admission.turn():
                async with aclosing(self._answer(request, call)) as answer:
                    async for message in answer:
                        yield message
        except TimeoutError:
            call.outcome = "deadline"
            await _abort(context, grpc.StatusCode.DEADLINE_EXCEEDED, DEADLINE)
        except Full:
            call.outcome = "full"
            pushback = (("grpc-retry-pushback-ms", str(RETRY_AFTER_MS)),)
            await _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, FULL, pushback)
        finally:
            call.write()

    async def _answer(
        self, request: llm_pb2.GenerateRequest, call: "_CallLog"
    ) -> AsyncGenerator[llm_pb2.GenerateResponse, None]:
        """One turn as messages; only a passed deadline leaves as an exception."""
        try:
            async with aclosing(self._chunks(request)) as stream:
                async for chunk in stream:
                    call.count(chunk)
                    yield chunks.response(chunk)
            call.outcome = "ok"
            yield chunks.finished()
        except ProviderError as error:
            call.outcome = error.code.value
            if error.spent is not None:
                call.usage = error.spent
                yield chunks.response(error.spent)
            yield chunks.failed(error)
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001 - the caller gets a typed answer, the log the type
            call.outcome = "internal"
            logger().error("a turn failed unexpectedly", error=type(error).__name__)
            yield chunks.failed(_unexpected(error))

    async def _chunks(self, request: llm_pb2.GenerateRequest) -> AsyncGenerator[chunks.Chunk, None]:
        given = turn.from_request(request)
        deadline = None
        if request.deadline_ms > 0:
            deadline = asyncio.get_running_loop().time() + request.deadline_ms / 1000
        async with asyncio.timeout_at(deadline):
            provider = await self._registry.find(given.config)
        source = with_retries(lambda: watched(provider.generate(given), self._stall_seconds), self._retries)
        async with aclosing(coalesced(source, deadline)) as stream:
            async for chunk in stream:
                yield chunk


class _CallLog:
    """One line a turn, and its metrics: who asked, how long, how much; never what was said."""

    def __init__(self, request: llm_pb2.GenerateRequest, trace_id: str) -> None:
        self.outcome = "cancelled"
        self.started = time.monotonic()
        self.first_chunk: float | None = None
        self.usage = chunks.Usage(0, 0, 0)
        self.calls = 0
        self.messages = 0
        config = request.llm_config
        self.who = metrics.labels(turn.Config(backend=config.backend, provider=config.provider))
        self.fields = {
            "session.id": request.session_id,
            "execution.id": request.execution_id,
            "llm.backend": config.backend,
            "llm.provider": config.provider,
            "llm.model": config.model,
            "messages": len(request.messages),
            "tools": len(request.tools),
        }
        if trace_id:
            self.fields["trace.id"] = trace_id

    def count(self, chunk: chunks.Chunk) -> None:
        """Takes note of a chunk's size, not of its content."""
        self.messages += 1
        if self.first_chunk is None:
            self.first_chunk = time.monotonic()
        if isinstance(chunk, chunks.Usage):
            self.usage = chunk
        elif isinstance(chunk, chunks.Call):
            self.calls += 1

    def write(self) -> None:
        """Logs the turn, and adds it to the metrics."""
        took = time.monotonic() - self.started
        first = None if self.first_chunk is None else self.first_chunk - self.started
        metrics.turns.labels(*self.who, self.outcome).inc()
        metrics.turn_seconds.labels(*self.who).observe(took)
        metrics.messages.inc(self.messages)
        if first is not None:
            metrics.first_chunk_seconds.labels(*self.who).observe(first)
        for kind, count in self._tokens():
            if count > 0:
                metrics.tokens.labels(*self.who, kind).inc(count)
        logger().info(
            "turn finished",
            outcome=self.outcome,
            duration_ms=int(took * 1000),
            first_chunk_ms=None if first is None else int(first * 1000),
            tool_calls=self.calls,
            input_tokens=self.usage.input,
            output_tokens=self.usage.output,
            **self.fields,
        )

    def _tokens(self) -> tuple[tuple[str, int], ...]:
        usage = self.usage
        return (
            ("input", usage.input),
            ("output", usage.output),
            ("thinking", usage.thinking),
            ("cached", usage.cached),
        )


def _trace_id(context: grpc.ServicerContext) -> str:
    """The caller's trace, so that its log lines and this one find each other."""
    for name, value in context.invocation_metadata() or ():
        if name == "traceparent" and (match := _TRACE.fullmatch(str(value))):
            return match.group(1)
    return ""


async def _abort(
    context: grpc.ServicerContext, code: grpc.StatusCode, why: str, trailers: tuple[tuple[str, str], ...] = ()
) -> None:
    await context.abort(code, why, trailers)  # pyright: ignore


def _unexpected(error: Exception) -> ProviderError:
    return ProviderError(ErrorCode.PROVIDER_ERROR, f"the service failed unexpectedly ({type(error).__name__})")
