"""The Messages form: the protocol of Anthropic, of Claude on Vertex AI, and of servers that imitate it."""

import hashlib
import re
from typing import Any
from urllib.parse import quote

from llm_service.errors import ErrorCode, ProviderError, invalid
from llm_service.json_shapes import load_object
from llm_service.providers import states, typed
from llm_service.providers.claude_stream import ClaudeReader
from llm_service.providers.http import Request
from llm_service.providers.offered import Offered
from llm_service.providers.specs import CLAUDE_ADAPTIVE, Spec
from llm_service.providers.tool_names import to_api
from llm_service.providers.wire import Exchange
from llm_service.turn import Format, Message, Turn

_ADDRESS = "https://api.anthropic.com"
_VERSION, _OLDER_VERSION = "2026-10-21", "2023-06-01"
_VERTEX_VERSION = "vertex-2023-10-16"
_LIMIT = 16_384
# Claude requires a limit, and the oldest models reject larger ones.
_OLD_LIMITS = (("claude-3-5", 8192), ("claude-3-7", _LIMIT), ("claude-3", 4096))
_THINKING_TOKENS = 8_192
# An agent's next turn begins with all of this one: Claude caches it if the request says so.
_CACHED = {"type": "ephemeral"}
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_SENT_BACK = {
    "text": ("type", "text", "citations"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
}
_ID = re.compile(r"[^a-zA-Z0-9_-]")
# Vertex AI's places that are no regions.
_PLACES = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}


def exchange(turn: Turn, spec: Spec) -> Exchange:
    """Builds the request of a turn."""
    offered = Offered(turn, spec.family)
    options: set[str] = set()
    body: dict[str, Any] = {"model": spec.model, "max_tokens": spec.max_tokens or _limit(spec.model), "stream": True}
    if system := "\n\n".join(one.content for one in offered.messages if one.role == "system" and one.content):
        body["system"] = system
    body["messages"] = _messages(offered.messages, spec.family)
    if (thinking := _thinking(turn, spec, body["max_tokens"])) is not None:
        body["thinking"] = thinking
        options.add("thinking")
    if offered.tools:
        body["tools"] = [_tool(tool) for tool in offered.tools]
        if "cache_control" not in spec.refused and _mark(body["messages"]):
            options.add("cache_control")
    if way := typed.means(turn, spec.refused, typed.SCHEMA, typed.TOOL):
        options.add(way)
        _ask_for(turn.answer, way, body, options)
    for message in body["messages"]:
        message["content"] = _shortened(message["content"])
    if spec.provider == "vertexai":
        request = _vertex(spec, body, options)
    else:
        request = Request(f"{_base(spec)}/v1/messages", _headers(spec, options), body, spec.secret)
    return Exchange(request, ClaudeReader(offered.names, spec.family, spec.secret), frozenset(options), way)


def _ask_for(answer: Format | None, way: str, body: dict[str, Any], options: set[str]) -> None:
    if answer is None:
        return
    if way == typed.SCHEMA:
        body["output_config"] = {"format": {"type": "json_schema", "schema": typed.schema(answer, closed=True)}}
        return
    body["tools"] = [{"name": answer.name, "description": "Gives the answer.", "input_schema": typed.schema(answer)}]
    body["tool_choice"] = {"type": "tool", "name": answer.name}
    # Whoever must call a tool may not think before.
    body.pop("thinking", None)
    options.discard("thinking")


def _base(spec: Spec) -> str:
    return (spec.base_url or _ADDRESS).rstrip("/").removesuffix("/v1")


def _headers(spec: Spec, options: set[str]) -> dict[str, str]:
    older = "anthropic_version" in spec.refused
    if not older:
        options.add("anthropic_version")
    # Servers of others look for the key where it was until 2026.
    key = {"x-api-key": spec.secret} if spec.base_url else {}
    return {
        "authorization": f"Bearer {spec.secret}",
        **key,
        "anthropic-version": _OLDER_VERSION if older else _VERSION,
        "content-type": "application/json",
        "accept": "text/event-stream, application/json",
        "user-agent": "tarsy-llm-service",
    }


def _vertex(spec: Spec, body: dict[str, Any], options: set[str]) -> Request:
    if not spec.project:
        raise ProviderError(ErrorCode.CREDENTIALS, "the provider has no project: name a variable in project_env")
    place = spec.location or "global"
    base = spec.base_url or f"https://{_PLACES.get(place, f'{place}-aiplatform.googleapis.com')}/v1"
    older = "anthropic_version" in spec.refused
    if not older:
        options.add("anthropic_version")
    body = {"anthropic_version": _VERTEX_VERSION if older else _VERSION, **body}
    del body["model"]
    model = quote(spec.model, safe="@")
    path = f"projects/{quote(spec.project)}/locations/{quote(place)}/publishers/anthropic/models/{model}"
    headers = {"authorization": f"Bearer {spec.secret}", "content-type": "application/json"}
    return Request(f"{base.rstrip('/')}/{path}:streamRawPredict", headers, body, spec.secret)


def _limit(model: str) -> int:
    return next((limit for name, limit in _OLD_LIMITS if model.startswith(name)), _LIMIT)


def _thinking(turn: Turn, spec: Spec, limit: int) -> dict[str, Any] | None:
    """How the model thinks; `None` if it does not, which leaves a short limit to the answer."""
    if not spec.thinks or spec.short or not keeps_thinking(turn, spec.family):
        return None
    if not CLAUDE_ADAPTIVE.match(spec.model):
        return {"type": "enabled", "budget_tokens": min(_THINKING_TOKENS, limit // 2)}
    is_first = re.match(r"^claude-\w+-4-6", spec.model)
    return {"type": "adaptive", **({} if is_first else {"display": "summarized"})}


def keeps_thinking(turn: Turn, family: str) -> bool:
    """Whether thinking may be on: Claude requires the thinking behind its earlier tool calls.

    There is none if another provider made those calls.
    """
    called = (one for one in turn.messages if one.role == "assistant" and one.tool_calls)
    return all(states.unpacked(one, family) is not None for one in called)


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    described = {"description": tool["description"]} if tool["description"] else {}
    return {"name": tool["name"], **described, "input_schema": tool["parameters"]}


def _messages(messages: tuple[Message, ...], family: str) -> list[dict[str, Any]]:
    """Converts the conversation; what follows each other with one role is one message."""
    found: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _answer(message, family) if role == "assistant" else _user_blocks(message)
        if not blocks:
            continue
        if found and found[-1]["role"] == role:
            found[-1]["content"] += blocks
        else:
            found.append({"role": role, "content": blocks})
    if not found:
        raise invalid("the conversation has only a system message")
    if found[-1]["role"] == "assistant" and found[-1]["content"][-1]["type"] == "text":
        # An answer that is to be gone on with must not end with a space.
        found[-1]["content"][-1]["text"] = found[-1]["content"][-1]["text"].rstrip()
    return found


def _user_blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": _id(message.tool_call_id), "content": message.content}]
    return [{"type": "text", "text": message.content}] if message.content.strip() else []


def _answer(message: Message, family: str) -> list[dict[str, Any]]:
    """The blocks of an answer: as Claude wrote them, with the calls that were made of it."""
    calls = {call.id: _call(call.id, call.name, call.arguments) for call in message.tool_calls}
    stored = states.unpacked(message, family)
    if stored is None:
        text = [{"type": "text", "text": message.content}] if message.content.strip() else []
        return [*text, *calls.values()]
    found: list[dict[str, Any]] = []
    for block in stored:
        kind = block.get("type")
        if kind == "tool_use":
            found += [calls.pop(str(block.get("id")))] if block.get("id") in calls else []
        elif kind in _SENT_BACK:
            kept = {name: block[name] for name in _SENT_BACK[kind] if block.get(name) is not None}
            if kind != "text" or str(kept.get("text", "")).strip():
                found.append({"thinking": "", **kept} if kind == "thinking" else kept)
        elif kind:
            found.append({name: value for name, value in block.items() if name != "index"})
    return [*found, *calls.values()]


def _call(identifier: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": _id(identifier), "name": to_api(name), "input": load_object(arguments)}


def _id(identifier: str) -> str:
    """An id in the letters that Anthropic takes; other vendors use more."""
    if not _ID.search(identifier):
        return identifier
    return f"{_ID.sub('_', identifier)[:48]}_{hashlib.sha256(identifier.encode()).hexdigest()[:8]}"


def _mark(messages: list[dict[str, Any]]) -> bool:
    """Marks the last block that may be cached; says whether there is one."""
    for message in reversed(messages):
        for block in reversed(message["content"]):
            if block["type"] not in _THOUGHTS:
                block["cache_control"] = _CACHED
                return True
    return False


def _shortened(blocks: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A text alone is a text, as every server takes it."""
    plain = len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["type"] == "text"
    return blocks[0]["text"] if plain else blocks
