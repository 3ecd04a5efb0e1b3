"""OpenAI's Responses API, by which its reasoning models are asked: what they thought goes back encrypted."""

from typing import Any

from llm_service.json_shapes import as_list, as_object, object_text
from llm_service.providers import states, typed
from llm_service.providers.chat import address, asks_for_progress, headers
from llm_service.providers.http import Request
from llm_service.providers.offered import Offered
from llm_service.providers.responses_stream import ResponsesReader
from llm_service.providers.specs import Spec
from llm_service.providers.tool_names import to_api
from llm_service.providers.wire import Exchange
from llm_service.turn import Format, Message, Turn

_SENT_BACK = ("type", "id", "summary", "content", "encrypted_content")


def exchange(turn: Turn, spec: Spec) -> Exchange:
    """Builds the request of a turn."""
    offered = Offered(turn, spec.family)
    # Without them, the same model is asked by Chat Completions.
    options = {"thinking"}
    reasoning: dict[str, Any] = {"effort": "low"} if spec.short else {}
    if "reasoning_summary" not in spec.refused:
        reasoning["summary"] = "auto"
        options.add("reasoning_summary")
    body: dict[str, Any] = {"model": spec.model, "stream": True, "store": False}
    if reasoning:
        body["reasoning"] = reasoning
    if "encrypted_content" not in spec.refused:
        body["include"] = ["reasoning.encrypted_content"]
        options.add("encrypted_content")
    if asks_for_progress(spec):
        body["return_progress"] = True
        options.add("return_progress")
    if spec.max_tokens:
        body["max_output_tokens"] = spec.max_tokens
    body["input"] = [item for message in offered.messages for item in _items(message, spec.family)]
    if offered.tools:
        body["tools"] = [{"type": "function", **tool} for tool in offered.tools]
    if way := typed.means(turn, spec.refused, typed.SCHEMA, typed.TOOL, typed.OBJECT):
        options.add(way)
        body |= _format(turn.answer, way) if turn.answer else {}
    request = Request(address(spec, "responses"), headers(spec), body, spec.secret)
    return Exchange(request, ResponsesReader(offered.names, spec.family, spec.secret), frozenset(options), way)


def _format(answer: Format, way: str) -> dict[str, Any]:
    if way == typed.SCHEMA:
        return {"text": {"format": {"type": "json_schema", **typed.named(answer)}}}
    if way == typed.OBJECT:
        return {"text": {"format": {"type": "json_object"}}}
    function = {"name": answer.name, "description": "Gives the answer.", "parameters": typed.schema(answer)}
    chosen = {"type": "function", "name": answer.name}
    return {"tools": [{"type": "function", **function}], "tool_choice": chosen}


def _items(message: Message, family: str) -> list[dict[str, Any]]:
    match message.role:
        case "tool":
            return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}]
        case "assistant":
            return _answer(message, family)
        case _:
            item = {"type": "message", "role": message.role, "content": message.content}
            return [item] if message.content else []


def _answer(message: Message, family: str) -> list[dict[str, Any]]:
    """The items of an answer: as OpenAI wrote them, with the calls that were made of it."""
    calls = {call.id: _call(call.id, call.name, call.arguments) for call in message.tool_calls}
    stored = states.unpacked(message, family)
    if stored is None:
        return [*([_text({"text": message.content})] if message.content else []), *calls.values()]
    found: list[dict[str, Any]] = []
    for part in stored:
        match part.get("type"):
            case "reasoning" if part.get("encrypted_content"):
                found.append(_reasoning(part))
            case "text" | "output_text" if part.get("text"):
                found.append(_text(part))
            case "refusal" if part.get("refusal"):
                found.append(_text(part))
            case "function_call" if part.get("call_id") in calls:
                item = {"id": part["id"]} if part.get("id") else {}
                found.append({**calls.pop(str(part["call_id"])), **item})
            case _:
                pass
    return [*found, *calls.values()]


def _reasoning(part: dict[str, Any]) -> dict[str, Any]:
    kept = {name: part[name] for name in _SENT_BACK if part.get(name) is not None}
    summary = [as_object(one) for one in as_list(part.get("summary"))]
    return {**kept, "summary": [{"type": "summary_text", "text": one.get("text", "")} for one in summary]}


def _text(part: dict[str, Any]) -> dict[str, Any]:
    """A message of the model; OpenAI does not keep it, so it has no id."""
    if part.get("type") == "refusal":
        content: dict[str, Any] = {"type": "refusal", "refusal": part["refusal"]}
    else:
        content = {"type": "output_text", "text": part["text"], "annotations": []}
    phase = {"phase": part["phase"]} if part.get("phase") else {}
    return {"type": "message", "role": "assistant", "content": [content], **phase}


def _call(identifier: str, name: str, arguments: str) -> dict[str, Any]:
    return {
        "type": "function_call",
        "name": to_api(name),
        "arguments": object_text(arguments),
        "call_id": identifier,
    }
