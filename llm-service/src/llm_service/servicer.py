"""llm.v1.LLMService: a request in, chunks out. Independent of any provider."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import NoReturn

import grpc

from llm_service import chunks, metrics, responses, turn
from llm_service.admission import Admission, AtCapacity
from llm_service.coalesce import coalesced
from llm_service.definitions import Definitions, UnknownProviderError
from llm_service.errors import ErrorCode, ProviderError
from llm_service.gen.llm.v1 import llm_pb2, llm_pb2_grpc
from llm_service.logs import logger
from llm_service.providers.registry import Registry
from llm_service.spans import Spans, TurnSpans
from llm_service.stall import watched

DEADLINE = "the deadline of the call has passed"
AT_CAPACITY = "too many turns run at once: try again later, or another replica"
MAX_TURNS = 128
STALL_SECONDS = 3600.0
RETRY_AFTER_MS = 2000
_TRACE = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


class Servicer(llm_pb2_grpc.LLMServiceServicer):
    """Streams turns; holds no state between them."""

    def __init__(
        self,
        definitions: Definitions,
        registry: Registry,
        admission: Admission | None = None,
        stall_seconds: float = STALL_SECONDS,
        spans: Spans | None = None,
    ) -> None:
        """`stall_seconds` is the longest pause in a provider's stream."""
        self._definitions = definitions
        self._registry = registry
        self._admission = admission or Admission(MAX_TURNS)
        self._stall_seconds = stall_seconds
        self._spans = spans or Spans()

    async def Generate(  # noqa: N802 - named by the contract
        self, request: llm_pb2.GenerateRequest, context: grpc.ServicerContext
    ) -> AsyncIterator[llm_pb2.GenerateResponse]:
        """Streams one turn; its last message has `is_final`."""
        definition = self._definitions.get(request.llm_config.provider)
        spans = self._spans.turn(request, definition, context.invocation_metadata() or ())
        call = _CallLog(request, definition.type if definition else "", _trace_id(context), spans)
        async with self._admitted(call, context), aclosing(self._answer(request, call)) as answer:
            async for message in answer:
                yield message

    async def ListProviders(  # noqa: N802 - named by the contract
        self, request: llm_pb2.ListProvidersRequest, context: grpc.ServicerContext
    ) -> llm_pb2.ListProvidersResponse:
        """Lists the providers of the configuration, and what each of them lacks."""
        _ = (request, context)
        providers = (
            llm_pb2.ProviderStatus(name=one.name, missing_variables=one.missing()) for one in self._definitions.all()
        )
        return llm_pb2.ListProvidersResponse(providers=providers)

    async def Embed(  # noqa: N802 - named by the contract
        self, request: llm_pb2.EmbedRequest, context: grpc.ServicerContext
    ) -> llm_pb2.EmbedResponse:
        """Returns the vectors of some texts, or why there are none."""
        definition = self._definitions.get(request.provider)
        call = _EmbedLog(request, definition.type if definition else "", _trace_id(context))
        async with self._admitted(call, context):
            return await self._vectors(request, call)

    @asynccontextmanager
    async def _admitted(self, call: "_CallLog | _EmbedLog", context: grpc.ServicerContext) -> AsyncGenerator[None]:
        """Counts a call while it runs, ends it with a status where it has no answer, and writes its log."""
        try:
            with self._admission.turn():
                yield
        except TimeoutError:
            call.outcome = "deadline"
            await _abort(context, grpc.StatusCode.DEADLINE_EXCEEDED, DEADLINE)
        except UnknownProviderError as error:
            call.outcome = "unknown_provider"
            await _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
        except AtCapacity:
            call.outcome = "full"
            pushback = (("grpc-retry-pushback-ms", str(RETRY_AFTER_MS)),)
            await _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, AT_CAPACITY, pushback)
        finally:
            call.write()

    async def _vectors(self, request: llm_pb2.EmbedRequest, call: "_EmbedLog") -> llm_pb2.EmbedResponse:
        definition = self._definitions.find(request.provider)
        try:
            async with asyncio.timeout(request.deadline_ms / 1000 if request.deadline_ms > 0 else self._stall_seconds):
                embeddings = await self._registry.embeddings()
                found = await embeddings.embed(request, definition)
        except ProviderError as error:
            call.outcome = error.code.value
            named = error.with_variable(definition.api_key_env)
            return llm_pb2.EmbedResponse(error=responses.error_info(named))
        call.outcome, call.tokens = "ok", found.tokens
        vectors = [llm_pb2.Vector(values=values) for values in found.values]
        return llm_pb2.EmbedResponse(vectors=vectors, input_tokens=found.tokens)

    async def _answer(
        self, request: llm_pb2.GenerateRequest, call: "_CallLog"
    ) -> AsyncGenerator[llm_pb2.GenerateResponse, None]:
        """Yields one turn's messages; raises `UnknownProviderError`, and `TimeoutError` when the deadline passed."""
        try:
            async with aclosing(self._chunks(request)) as stream:
                async for chunk in stream:
                    call.count(chunk)
                    yield responses.response(chunk)
        except ProviderError as error:
            call.outcome = error.code.value
            if error.info is not None:
                yield responses.response(error.info)
            if error.usage is not None:
                call.usage = error.usage
                yield responses.response(error.usage)
            yield responses.failed(error.with_variable(self._variable(request)))
        except (TimeoutError, UnknownProviderError):
            raise
        except Exception as error:  # noqa: BLE001 - the caller gets a typed error, the log the exception's type
            call.outcome = "internal"
            logger().error("a turn failed unexpectedly", error=type(error).__name__)
            yield responses.failed(_unexpected(error))

    def _variable(self, request: llm_pb2.GenerateRequest) -> str:
        """Names the variable with the key, or the credentials file, of the request's provider; empty without one."""
        definition = self._definitions.get(request.llm_config.provider)
        return (definition.api_key_env or definition.credentials_env) if definition else ""

    async def _chunks(self, request: llm_pb2.GenerateRequest) -> AsyncGenerator[chunks.Chunk, None]:
        wanted = turn.from_request(request, self._definitions.find(request.llm_config.provider))
        deadline = None
        if request.deadline_ms > 0:
            deadline = asyncio.get_running_loop().time() + request.deadline_ms / 1000
        async with asyncio.timeout_at(deadline):
            provider = await self._registry.find(wanted.config)
        source = watched(provider.generate(wanted), self._stall_seconds)
        async with aclosing(coalesced(source, deadline)) as stream:
            async for chunk in stream:
                yield chunk


class _CallLog:
    """A turn's log line, metrics and spans: ids, durations, counts; never content."""

    def __init__(
        self, request: llm_pb2.GenerateRequest, kind: str, trace_id: str, spans: TurnSpans | None = None
    ) -> None:
        self.spans = spans
        self.outcome = "cancelled"
        self.started = time.monotonic()
        self.first_chunk: float | None = None
        self.usage = chunks.Usage(0, 0, 0)
        self.calls = 0
        self.messages = 0
        config = request.llm_config
        self.labels = metrics.labels(turn.Config(backend=config.backend, provider=kind))
        self.fields = {
            "session.id": request.session_id,
            "execution.id": request.execution_id,
            "llm.backend": config.backend,
            "llm.provider": kind,
            "llm.provider.name": config.provider[:80],
            "llm.model": config.model,
            "messages": len(request.messages),
            "tools": len(request.tools),
        }
        if trace_id:
            self.fields["trace.id"] = trace_id

    def count(self, chunk: chunks.Chunk) -> None:
        """Counts a chunk; the last one is the turn's success."""
        if self.spans is not None:
            self.spans.count(chunk)
        if isinstance(chunk, chunks.Finish):
            self.outcome = "ok"
            return
        self.messages += 1
        if self.first_chunk is None and not isinstance(chunk, chunks.Info):
            self.first_chunk = time.monotonic()
        if isinstance(chunk, chunks.Usage):
            self.usage = chunk
        elif isinstance(chunk, chunks.Call):
            self.calls += 1

    def write(self) -> None:
        """Logs the turn, records its metrics and ends its spans."""
        if self.spans is not None:
            self.spans.end(self.outcome, self.usage)
        took = time.monotonic() - self.started
        first = None if self.first_chunk is None else self.first_chunk - self.started
        metrics.turns.labels(*self.labels, self.outcome).inc()
        metrics.turn_seconds.labels(*self.labels).observe(took)
        metrics.messages.inc(self.messages)
        if first is not None:
            metrics.first_chunk_seconds.labels(*self.labels).observe(first)
        for kind, count in self._tokens():
            if count > 0:
                metrics.tokens.labels(*self.labels, kind).inc(count)
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


class _EmbedLog:
    """The log line and the metrics of a request for vectors; never a text."""

    def __init__(self, request: llm_pb2.EmbedRequest, kind: str, trace_id: str) -> None:
        self.outcome = "cancelled"
        self.tokens = 0
        self.started = time.monotonic()
        self.kind = kind
        self.fields = {
            "llm.provider": kind,
            "llm.provider.name": request.provider[:80],
            "llm.model": request.model[:80],
            "texts": len(request.texts),
        }
        if trace_id:
            self.fields["trace.id"] = trace_id

    def write(self) -> None:
        metrics.embeddings.labels(metrics.kind(self.kind), self.outcome).inc()
        took = int((time.monotonic() - self.started) * 1000)
        logger().info("vectors made", outcome=self.outcome, duration_ms=took, input_tokens=self.tokens, **self.fields)


def _trace_id(context: grpc.ServicerContext) -> str:
    """The trace id of the caller's `traceparent`; empty without a valid one."""
    for name, value in context.invocation_metadata() or ():
        if name == "traceparent" and (match := _TRACE.fullmatch(str(value))):
            return match.group(1)
    return ""


async def _abort(
    context: grpc.ServicerContext, code: grpc.StatusCode, details: str, trailers: tuple[tuple[str, str], ...] = ()
) -> NoReturn:
    await context.abort(code, details, trailers)  # pyright: ignore


def _unexpected(error: Exception) -> ProviderError:
    return ProviderError(ErrorCode.PROVIDER_ERROR, f"the service failed unexpectedly ({type(error).__name__})")
