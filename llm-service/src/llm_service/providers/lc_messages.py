"""Converts a conversation to LangChain's messages, and encodes provider state."""

import json
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from llm_service.json_shapes import as_list, as_object, load, load_object
from llm_service.logs import logger
from llm_service.providers.tool_names import to_api
from llm_service.providers.tool_schemas import normalized
from llm_service.turn import Message, Turn

_STATE_MARK = b"langchain/1\n"
_SIGNED = frozenset({"thinking", "redacted_thinking", "reasoning"})
CLAUDE = frozenset({"anthropic", "vertexai-claude"})
# The names of LangChain's integrations.
_MODEL_PROVIDERS = {"google": "google_genai", "vertexai": "google_genai", "vertexai-claude": "anthropic"}
_SIGNATURES = "__gemini_function_call_thought_signatures__"


def tools(turn: Turn, family: str) -> list[dict[str, Any]]:
    """Converts the tools to the form that every integration accepts; a tool that cannot be sent is left out."""
    converted: list[dict[str, Any]] = []
    for tool in turn.tools:
        schema = normalized(load(tool.schema), plain_names=family in CLAUDE)
        if schema is None:
            logger().warning("a tool is not offered: the vendor refuses a name of its parameters", tool=tool.name)
            continue
        function = {"name": to_api(tool.name), "description": tool.description, "parameters": schema}
        converted.append({"type": "function", "function": function})
    return converted


def messages(turn: Turn, family: str) -> list[BaseMessage]:
    """Converts the conversation; empty messages are omitted."""
    return [_message(message, family) for message in turn.messages if not _is_empty(message)]


def keeps_thinking(turn: Turn, family: str) -> bool:
    """Whether thinking may be on: Claude requires the thinking behind its earlier tool calls.

    There is none if another provider made those calls.
    """
    if family not in CLAUDE:
        return True
    return all(
        _restored(m.provider_state, family) is not None for m in turn.messages if m.role == "assistant" and m.tool_calls
    )


def state(message: AIMessageChunk, family: str) -> bytes:
    """Encodes what the next turn must send back: signed content; empty for plain text."""
    content: Any = message.content
    kwargs: dict[str, Any] = message.additional_kwargs
    signed = any(as_object(block).get("type") in _SIGNED for block in as_list(content))
    if not signed and _SIGNATURES not in kwargs:
        return b""
    stored: dict[str, Any] = {"provider": family, "content": content}
    if _SIGNATURES in kwargs:
        stored["kwargs"] = {_SIGNATURES: kwargs[_SIGNATURES]}
    return _STATE_MARK + json.dumps(stored, ensure_ascii=False, default=str).encode(errors="surrogatepass")


def _is_empty(message: Message) -> bool:
    return message.role != "tool" and not message.content and not message.tool_calls


def _message(message: Message, family: str) -> BaseMessage:
    match message.role:
        case "system":
            return SystemMessage(message.content)
        case "user":
            return HumanMessage(message.content)
        case "tool":
            return ToolMessage(message.content, tool_call_id=message.tool_call_id, name=to_api(message.tool_name))
        case _:
            return _answer(message, family)


def _answer(message: Message, family: str) -> AIMessage:
    calls: list[Any] = [
        {"type": "tool_call", "id": call.id, "name": to_api(call.name), "args": load_object(call.arguments)}
        for call in message.tool_calls
    ]
    stored = _restored(message.provider_state, family)
    if stored is None:
        return AIMessage(message.content, tool_calls=calls)
    return AIMessage(
        content=stored["content"],
        tool_calls=calls,
        additional_kwargs=stored.get("kwargs", {}),
        response_metadata={"model_provider": _MODEL_PROVIDERS.get(family, family)},
    )


def _restored(state: bytes, family: str) -> dict[str, Any] | None:
    """Decodes the content as the vendor sent it; `None` for another vendor's state."""
    if not state.startswith(_STATE_MARK):
        return None
    value = as_object(load(state[len(_STATE_MARK) :]))
    return value if value.get("provider") == family and "content" in value else None
