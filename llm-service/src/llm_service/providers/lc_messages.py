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
CLAUDE = frozenset({"anthropic", "vertexai-claude"})
# As LangChain's integrations call themselves.
_MODEL_PROVIDERS = {"google": "google_genai", "vertexai": "google_genai", "vertexai-claude": "anthropic"}
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


def messages(turn: Turn, family: str) -> list[BaseMessage]:
    """The conversation."""
    return [_message(message, family) for message in turn.messages if not _is_empty(message)]


def keeps_thinking(turn: Turn, family: str) -> bool:
    """Whether thinking may be on: Claude wants back the thoughts behind its earlier calls.

    They are not there when another provider made those calls.
    """
    if family not in CLAUDE:
        return True
    return all(
        _restored(m.provider_state, family) is not None for m in turn.messages if m.role == "assistant" and m.tool_calls
    )


def family(provider: str, model: str) -> str:
    """Who can read a state: Vertex AI has two kinds of models."""
    return "vertexai-claude" if provider == "vertexai" and model.startswith("claude") else provider


def state(message: AIMessageChunk, family: str) -> bytes:
    """What the next turn must send back: content with signatures, and nothing for plain text."""
    content: Any = message.content
    kwargs: dict[str, Any] = message.additional_kwargs
    signed = any(as_object(block).get("type") in _SIGNED for block in as_list(content))
    if not signed and _SIGNATURES not in kwargs:
        return b""
    kept: dict[str, Any] = {"provider": family, "content": content}
    if _SIGNATURES in kwargs:
        kept["kwargs"] = {_SIGNATURES: kwargs[_SIGNATURES]}
    return _STATE_MARK + json.dumps(kept, ensure_ascii=False, default=str).encode(errors="surrogatepass")


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
    kept = _restored(message.provider_state, family)
    if kept is None:
        return AIMessage(message.content, tool_calls=calls)
    return AIMessage(
        content=kept["content"],
        tool_calls=calls,
        additional_kwargs=kept.get("kwargs", {}),
        response_metadata={"model_provider": _MODEL_PROVIDERS.get(family, family)},
    )


def _restored(kept: bytes, family: str) -> dict[str, Any] | None:
    """The content as the vendor sent it; another vendor's state is not to be shown to this one."""
    if not kept.startswith(_STATE_MARK):
        return None
    value = as_object(load(kept[len(_STATE_MARK) :]))
    return value if value.get("provider") == family and "content" in value else None
