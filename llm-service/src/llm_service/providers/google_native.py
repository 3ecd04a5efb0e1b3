"""Gemini through the google-genai SDK: thinking, native tools, thought signatures."""

import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Any

from google.genai import types
from google.genai.client import Client

from llm_service.chunks import (
    Call,
    Chunk,
    CodeRun,
    Finish,
    Grounding,
    Info,
    ProviderState,
    Support,
    Text,
    Thinking,
    UrlContext,
    Usage,
)
from llm_service.errors import ErrorCode, ProviderError, invalid
from llm_service.providers import google_messages
from llm_service.providers.accepted import Accepted
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.credentials import api_key, credentials_file, file_stamp, fingerprint
from llm_service.providers.endings import Ending
from llm_service.providers.failures import translate
from llm_service.providers.google_accounts import service_account
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Config, Turn

MAX_CLIENTS = 32


class GoogleNativeProvider:
    """Streams turns from Gemini; caches one SDK client for each key and address."""

    def __init__(self) -> None:
        """Starts with an empty cache."""
        self._clients: AsyncCache[tuple[str, ...], Client] = AsyncCache(MAX_CLIENTS)
        self._accepted = Accepted()

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks; a model that refuses the form of an answer is asked without it."""
        key = (turn.config.provider, turn.config.model, turn.config.base_url)
        refused = self._accepted.refused(key)
        way = google_messages.asks_for_form(turn, refused)
        started = False
        try:
            async with aclosing(self._stream(turn, refused)) as chunks:
                async for chunk in chunks:
                    started = True
                    yield chunk
        except ProviderError as error:
            if started or not way or error.code is not ErrorCode.INVALID_REQUEST:
                raise
        else:
            return
        async with aclosing(self._stream(turn, refused | {way})) as chunks:
            async for chunk in chunks:
                self._accepted.refuse(key, frozenset((way,)))
                yield chunk

    async def _stream(self, turn: Turn, refused: frozenset[str]) -> AsyncGenerator[Chunk, None]:
        secret = "" if _uses_vertex(turn.config) else api_key(turn.config)
        reader = _Reader(ToolNames(turn.tools))
        try:
            client = await self._client(turn.config, secret)
            stream = await client.aio.models.generate_content_stream(  # pyright: ignore[reportUnknownMemberType]
                model=_model(turn.config),
                contents=google_messages.contents(turn),
                config=google_messages.generation_config(turn, refused),
            )
            try:
                async for response in stream:
                    for chunk in reader.read(response):
                        yield chunk
            finally:
                close = getattr(stream, "aclose", None)
                if close is not None:
                    await close()
            for chunk in reader.end():
                yield chunk
        except Exception as error:
            raise translate(error, secret).with_record(reader.usage(), reader.info()) from error

    async def close(self) -> None:
        """Closes the SDK's connections."""
        for client in self._clients.take_all():
            await client.aio.aclose()

    async def _client(self, config: Config, secret: str) -> Client:
        path = credentials_file(config) if _uses_vertex(config) else ""
        key = (fingerprint(secret), config.base_url, config.project, config.location, path, file_stamp(path))
        return await self._clients.get(key, partial(_new_client, config, secret, path))


def _uses_vertex(config: Config) -> bool:
    return config.provider == "vertexai"


def _model(config: Config) -> str:
    if not config.model:
        raise invalid("the provider has no model")
    return config.model


def _new_client(config: Config, secret: str, path: str) -> Client:
    options = types.HttpOptions(base_url=config.base_url or None, retry_options=types.HttpRetryOptions(attempts=1))
    if not _uses_vertex(config):
        return Client(api_key=secret, vertexai=False, http_options=options)
    return Client(
        vertexai=True,
        project=config.project or None,
        location=config.location or None,
        credentials=service_account(path) if path else None,
        http_options=options,
    )


class _Reader:
    """Turns the SDK's responses into chunks, and collects those that come at the end."""

    def __init__(self, names: ToolNames) -> None:
        self._names = names
        self._parts: list[types.Part] = []
        self._usage: types.GenerateContentResponseUsageMetadata | None = None
        self._grounding: types.GroundingMetadata | None = None
        self._finish: types.FinishReason | None = None
        self._url_context: types.UrlContextMetadata | None = None
        self._response_id = self._model_version = ""
        self._announced = False
        self._code: str | None = None
        self._has_text = False
        self._calls: list[str] = []

    def read(self, response: types.GenerateContentResponse) -> list[Chunk]:
        """Returns the chunks of one response."""
        self._response_id = response.response_id or self._response_id
        self._model_version = response.model_version or self._model_version
        if response.usage_metadata is not None:
            self._usage = response.usage_metadata
        feedback = response.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            raise invalid(f"the provider refused the prompt ({feedback.block_reason.value})")
        if not response.candidates:
            return []
        candidate = response.candidates[0]
        self._finish = candidate.finish_reason or self._finish
        self._grounding = candidate.grounding_metadata or self._grounding
        self._url_context = candidate.url_context_metadata or self._url_context
        parts = candidate.content.parts if candidate.content and candidate.content.parts else []
        found = [chunk for part in parts for chunk in self._part(part)]
        # An attempt that the caller cuts off has no end: what is known so far goes with the first chunk.
        if found and not self._announced and (info := self.info()):
            self._announced = True
            found.append(info)
        return found

    def end(self) -> list[Chunk]:
        """Returns the chunks that end the turn; raises if the stream is no usable answer."""
        reason = "" if self._finish is None else self._finish.value
        finish = Ending(reason, self._has_text or self._code is not None, tuple(self._calls)).finish_reason()
        found: list[Chunk] = []
        if self._code is not None:
            found.append(CodeRun(self._code, ""))
        if grounding := _grounding(self._grounding or types.GroundingMetadata()):
            found.append(grounding)
        if pages := _pages(self._url_context):
            found.append(UrlContext(pages))
        found.append(Info(self._response_id, self._model_version, reason))
        if state := google_messages.state(self._parts):
            found.append(ProviderState(state))
        if usage := self.usage():
            found.append(usage)
        found.append(Finish(finish))
        return found

    def info(self) -> Info | None:
        """Returns what the provider has reported about its answer so far."""
        reason = "" if self._finish is None else self._finish.value
        info = Info(self._response_id, self._model_version, reason)
        return None if info == Info() else info

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn as last reported."""
        return None if self._usage is None else _usage(self._usage)

    def _part(self, part: types.Part) -> list[Chunk]:
        self._parts.append(part)
        if part.function_call is not None:
            call = part.function_call
            if not call.id:
                call.id = f"call_{uuid.uuid4().hex[:16]}"
            arguments = google_messages.json_text(call.args or {})
            self._calls.append(arguments)
            return [Call(call.id, self._names.from_api(call.name or ""), arguments)]
        if part.executable_code is not None:
            previous, self._code = self._code, part.executable_code.code or ""
            return [CodeRun(previous, "")] if previous is not None else []
        if part.code_execution_result is not None:
            code, self._code, self._has_text = self._code or "", None, True
            return [CodeRun(code, part.code_execution_result.output or "")]
        if not part.text:
            return []
        if part.thought:
            return [Thinking(part.text)]
        self._has_text = True
        return [Text(part.text)]


def _usage(usage: types.GenerateContentResponseUsageMetadata) -> Usage:
    thinking = usage.thoughts_token_count or 0
    prompt = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
    output = (usage.candidates_token_count or 0) + thinking
    return Usage(
        input=prompt,
        output=output,
        total=usage.total_token_count or prompt + output,
        thinking=thinking,
        cached=usage.cached_content_token_count or 0,
    )


def _grounding(metadata: types.GroundingMetadata) -> Grounding | None:
    """Builds what a search found; supports refer to sources by index, so none may be omitted."""
    sources = tuple(_source(chunk) for chunk in metadata.grounding_chunks or [])
    queries = tuple(metadata.web_search_queries or [])
    if not sources and not queries:
        return None
    entry: Any = metadata.search_entry_point
    return Grounding(
        queries=queries,
        sources=sources,
        supports=tuple(_support(one) for one in metadata.grounding_supports or [] if one.segment),
        search_entry_point=(entry.rendered_content or "") if entry else "",
    )


def _pages(read: types.UrlContextMetadata | None) -> tuple[tuple[str, str], ...]:
    """Returns the pages that were read, each once, with what came of it."""
    pages: dict[str, str] = {}
    for page in (read.url_metadata or []) if read is not None else []:
        status = "" if page.url_retrieval_status is None else page.url_retrieval_status.value
        status = status.removeprefix("URL_RETRIEVAL_STATUS_").lower().replace("unspecified", "")
        if page.retrieved_url:
            pages.setdefault(page.retrieved_url, status)
    return tuple(pages.items())


def _source(chunk: types.GroundingChunk) -> tuple[str, str]:
    found = chunk.web or chunk.retrieved_context or chunk.maps
    return (found.uri or "", found.title or "") if found is not None else ("", "")


def _support(support: types.GroundingSupport) -> Support:
    segment = support.segment or types.Segment()
    return Support(
        start=segment.start_index or 0,
        end=segment.end_index or 0,
        text=segment.text or "",
        sources=tuple(support.grounding_chunk_indices or []),
        confidence=tuple(support.confidence_scores or ()),
    )
