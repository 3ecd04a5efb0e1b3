"""Three adjustments of LangChain's OpenAI model: streamed reasoning, events and requests as dictionaries."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import cache
from types import SimpleNamespace
from typing import Any, get_args

import langchain_openai
import openai
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai.chat_models.base import BaseChatOpenAI
from openai.types.responses import ResponseStreamEvent

from llm_service.json_shapes import as_list, as_object

# How long a vendor may take to end a response after its last event.
_END_SECONDS = 1.0
_REASONING_FIELDS = ("reasoning_content", "reasoning")


class ChatOpenAI(langchain_openai.ChatOpenAI):
    """Keeps the response id, and the reasoning of llama.cpp, vLLM, Ollama and other servers of Chat Completions."""

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(  # pyright: ignore[reportUnknownMemberType]
            chunk, default_chunk_class, base_generation_info
        )
        if made is None:
            return None
        if isinstance(identifier := chunk.get("id"), str) and identifier:
            made.message.id = identifier
        for choice in as_list(chunk.get("choices"))[:1]:
            delta = as_object(as_object(choice).get("delta"))
            reasoning = next(
                (text for name in _REASONING_FIELDS if isinstance(text := delta.get(name), str) and text), None
            )
            if reasoning is not None:
                made.message.additional_kwargs["reasoning_content"] = reasoning
        return made


def read_events_as_dicts(model: BaseChatOpenAI) -> None:
    """Makes a model read its events without the SDK's typed objects.

    The SDK builds them field by field, which is most of what a token costs, and LangChain takes them apart
    again. Here its own client sends the same request and reads the same stream, by its public `post`, and passes
    the events on as dictionaries.
    """
    client: openai.AsyncOpenAI = model.root_async_client
    model.async_client = _Endpoint(client, "/chat/completions", Completions)
    model.root_async_client = SimpleNamespace(responses=_Endpoint(client, "/responses", Responses))


class _Events(openai.AsyncStream[Any]):
    """The SDK's stream without its validation of each event, which is a fifth of what a token costs."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        """Yields the events as LangChain reads them; raises what the SDK raises."""
        events = self._iter_events()
        try:
            async for event in events:
                if event.data.startswith("[DONE]"):
                    break
                fields = as_object(event.json())
                if error := fields.get("error"):
                    raise openai.APIError(_message(error), self.response.request, body=error)
                yield self.read(fields)
            # A connection is used again once its response was read to the end.
            with suppress(TimeoutError, openai.APIConnectionError):
                async with asyncio.timeout(_END_SECONDS):
                    async for _ in events:
                        pass
        finally:
            await self.response.aclose()

    def read(self, event: dict[str, Any]) -> Any:  # noqa: ANN401 - one of many classes
        """Returns one event as LangChain reads it."""
        raise NotImplementedError


class Completions(_Events):
    """Chat completions as dictionaries with every key that LangChain reads unconditionally."""

    def read(self, event: dict[str, Any]) -> dict[str, Any]:
        """Returns one event as LangChain reads it."""
        return completion(event)


class Responses(_Events):
    """Events of the Responses API: deltas as plain objects, the others as the SDK's objects."""

    def read(self, event: dict[str, Any]) -> Any:  # noqa: ANN401 - one of many classes
        """Returns one event as LangChain reads it."""
        return response_event(event)


def _message(error: object) -> str:
    message = as_object(error).get("message")
    return message if isinstance(message, str) and message else "An error occurred during streaming"


class _Endpoint:
    """Implements the one method of the SDK's resources that LangChain streams with."""

    def __init__(self, client: openai.AsyncOpenAI, path: str, stream: type[openai.AsyncStream[Any]]) -> None:
        self._client = client
        self._path = path
        self._stream = stream

    async def create(self, **payload: Any) -> openai.AsyncStream[Any]:  # noqa: ANN401 - as LangChain builds it
        return await self._client.post(
            self._path,
            cast_to=object,
            body=payload,
            options={"security": {"bearer_auth": True}},
            stream=True,
            stream_cls=self._stream,
        )


def completion(event: object) -> dict[str, Any]:
    """Returns one event of a chat completion; keys that LangChain reads unconditionally exist, if empty."""
    fields = as_object(event)
    return {**fields, "choices": [_choice(as_object(choice)) for choice in as_list(fields.get("choices"))]}


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    delta = as_object(choice.get("delta"))
    if "tool_calls" in delta:
        delta["tool_calls"] = [_call(as_object(call)) for call in as_list(delta["tool_calls"])]
    return {**choice, "delta": delta}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return {"index": None, **call, "function": as_object(call.get("function"))}


# They have no nested objects, and there is one for each token.
_DELTAS = frozenset({
    "response.output_text.delta", "response.reasoning_summary_text.delta", "response.function_call_arguments.delta",
})  # fmt: skip
_EMPTY = {"item_id": None, "output_index": None, "content_index": None, "summary_index": None, "delta": ""}


def response_event(event: dict[str, Any]) -> Any:  # noqa: ANN401 - one of many classes
    """One event of the Responses API, with the attributes that LangChain reads."""
    kind = event.get("type")
    made = None if kind in _DELTAS else _event_types().get(str(kind))
    return SimpleNamespace(**{**_EMPTY, **event, "type": kind}) if made is None else made(**event)


@cache
def _event_types() -> dict[str, Callable[..., Any]]:
    """The SDK's own classes by the type of their event."""
    union = get_args(ResponseStreamEvent)[0]
    return {kind: one.construct for one in get_args(union) for kind in get_args(one.model_fields["type"].annotation)}
