"""Our conversation as LangChain wants it, and the state its vendors want back."""

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
from llm_service.providers.tool_names import parameters, to_api
from llm_service.turn import Message, Turn

_STATE_MARK = b"langchain/1\n"
_SIGNED = frozenset({"thinking", "redacted_thinking", "reasoning"})
_SIGNATURES = "__gemini_function_call_thought_signatures__"


def tools(turn: Turn) -> list[dict[str, Any]]:
    """The tools in the form that every integration takes."""
    return [
        {
            "type": "function",
            "function": {
                "name": to_api(tool.name),
                "description": tool.description,
                "parameters": parameters(tool),
            },
        }
        for tool in turn.tools
    ]


def messages(turn: Turn, provider: str) -> list[BaseMessage]:
    """The conversation."""
    return [_message(message, provider) for message in turn.messages if not _is_empty(message)]


def keeps_thinking(turn: Turn) -> bool:
    """Whether thinking may be on: a vendor that thinks wants back the thoughts behind its earlier calls."""
    return all(m.provider_state for m in turn.messages if m.role == "assistant" and m.tool_calls)


def state(message: AIMessageChunk, provider: str) -> bytes:
    """What the next turn must send back: content with signatures, and nothing for plain text."""
    content: Any = message.content
    kwargs: dict[str, Any] = message.additional_kwargs
    signed = any(as_object(block).get("type") in _SIGNED for block in as_list(content))
    if not signed and _SIGNATURES not in kwargs:
        return b""
    kept: dict[str, Any] = {"provider": provider, "content": content}
    if _SIGNATURES in kwargs:
        kept["kwargs"] = {_SIGNATURES: kwargs[_SIGNATURES]}
    return _STATE_MARK + json.dumps(kept, ensure_ascii=False, default=str).encode()


def _is_empty(message: Message) -> bool:
    return message.role != "tool" and not message.content and not message.tool_calls


def _message(message: Message, provider: str) -> BaseMessage:
    match message.role:
        case "system":
            return SystemMessage(message.content)
        case "user":
            return HumanMessage(message.content)
        case "tool":
            return ToolMessage(message.content, tool_call_id=message.tool_call_id, name=to_api(message.tool_name))
        case _:
            return _answer(message, provider)


def _answer(message: Message, provider: str) -> AIMessage:
    calls: list[Any] = [
        {"type": "tool_call", "id": call.id, "name": to_api(call.name), "args": load_object(call.arguments)}
        for call in message.tool_calls
    ]
    kept = _restored(message.provider_state, provider)
    if kept is None:
        return AIMessage(message.content, tool_calls=calls)
    return AIMessage(
        content=kept["content"],
        tool_calls=calls,
        additional_kwargs=kept.get("kwargs", {}),
        response_metadata={"model_provider": _FAMILIES.get(provider, provider)},
    )


_FAMILIES = {"google": "google_genai", "vertexai": "google_vertexai"}


def _restored(kept: bytes, provider: str) -> dict[str, Any] | None:
    """The content as the vendor sent it; another vendor's state is not to be shown to this one."""
    if not kept.startswith(_STATE_MARK):
        return None
    value = as_object(load(kept[len(_STATE_MARK) :]))
    return value if value.get("provider") == provider and "content" in value else None
