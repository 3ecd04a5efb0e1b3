"""Chat Completions: the protocol of OpenAI, xAI and most servers that run models."""

from typing import Any

from llm_service.json_shapes import object_text
from llm_service.providers import typed
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.http import Request
from llm_service.providers.offered import Offered
from llm_service.providers.specs import Spec
from llm_service.providers.tool_names import to_api
from llm_service.providers.wire import Exchange
from llm_service.turn import Format, Message, Turn

_ADDRESSES = {"openai": "https://api.openai.com/v1", "xai": "https://api.x.ai/v1"}


def address(spec: Spec, path: str) -> str:
    """Returns the address of a path below the server's."""
    return f"{(spec.base_url or _ADDRESSES[spec.provider]).rstrip('/')}/{path}"


def headers(spec: Spec) -> dict[str, str]:
    """Returns the headers of a request to OpenAI, or to a server that speaks one of its protocols."""
    return {
        "authorization": f"Bearer {spec.secret}",
        "content-type": "application/json",
        "accept": "text/event-stream, application/json",
        "user-agent": "tarsy-llm-service",
    }


def asks_for_progress(spec: Spec) -> bool:
    """Whether a server is asked to report how it reads the prompt: vendors do not know the option."""
    return bool(spec.base_url) and "return_progress" not in spec.refused


def exchange(turn: Turn, spec: Spec) -> Exchange:
    """Builds the request of a turn."""
    offered = Offered(turn, spec.family)
    body: dict[str, Any] = {
        "model": spec.model,
        "messages": [message for one in offered.messages if (message := _message(one)) is not None],
        "stream": True,
    }
    options: set[str] = set()
    if "stream_options" not in spec.refused:
        body["stream_options"] = {"include_usage": True}
        options.add("stream_options")
    if asks_for_progress(spec):
        body["return_progress"] = True
        options.add("return_progress")
    if spec.max_tokens:
        # The newer name is the only one that OpenAI's newer models take.
        newer = spec.provider == "openai" and "max_completion_tokens" not in spec.refused
        body["max_completion_tokens" if newer else "max_tokens"] = spec.max_tokens
        options |= {"max_completion_tokens"} if newer else set()
    if offered.tools:
        body["tools"] = [{"type": "function", "function": tool} for tool in offered.tools]
    if way := typed.means(turn, spec.refused, typed.SCHEMA, typed.TOOL, typed.OBJECT):
        options.add(way)
        body |= _format(turn.answer, way) if turn.answer else {}
    request = Request(address(spec, "chat/completions"), headers(spec), body, spec.secret)
    return Exchange(request, ChatReader(offered.names, spec.secret), frozenset(options), way)


def _format(answer: Format, way: str) -> dict[str, Any]:
    if way == typed.SCHEMA:
        return {"response_format": {"type": "json_schema", "json_schema": typed.named(answer)}}
    if way == typed.OBJECT:
        return {"response_format": {"type": "json_object"}}
    function = {"name": answer.name, "description": "Gives the answer.", "parameters": typed.schema(answer)}
    chosen = {"type": "function", "function": {"name": answer.name}}
    return {"tools": [{"type": "function", "function": function}], "tool_choice": chosen}


def _message(message: Message) -> dict[str, Any] | None:
    if message.role == "tool":
        return {"role": "tool", "content": message.content, "tool_call_id": message.tool_call_id}
    calls = [
        {
            "type": "function",
            "id": call.id,
            "function": {"name": to_api(call.name), "arguments": object_text(call.arguments)},
        }
        for call in message.tool_calls
    ]
    if not message.content and not calls:
        return None
    content = message.content or (None if calls else "")
    found: dict[str, Any] = {"role": message.role, "content": content}
    return {**found, "tool_calls": calls} if calls else found
