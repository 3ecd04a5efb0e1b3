"""Converts a conversation to Gemini's contents, and encodes provider state."""

import base64
import json
from typing import Any

from google.genai import types
from pydantic import TypeAdapter, ValidationError

from llm_service.errors import invalid
from llm_service.json_shapes import load, load_object
from llm_service.providers import states, typed
from llm_service.providers.tool_names import to_api
from llm_service.providers.tool_schemas import normalized
from llm_service.turn import Message, Turn

_STATE_MARK = b"google-native/1\n"
_PARTS: TypeAdapter[list[types.Part]] = TypeAdapter(list[types.Part])
_BUDGETS = {"gemini-2.5-pro": 32768, "gemini-2.5-flash": 24576}
_MIN_BUDGETS = {"gemini-2.5-pro": 128}
# Thinking counts as output. Below this limit it would leave no room for the answer.
SHORT_ANSWER_TOKENS = 8192
# Newer models reject an unsigned tool call; Google documents this signature for calls of other models.
_UNSIGNED = base64.urlsafe_b64decode("skip_thought_signature_validator")
_WITHOUT_THINKING = ("gemini-1", "gemini-2.0", "gemma")


def contents(turn: Turn) -> list[types.Content]:
    """Converts the conversation; the results of one turn's calls share one message."""
    found: list[types.Content] = []
    names = {call.id: call.name for m in turn.messages for call in m.tool_calls}
    for message in turn.messages:
        if message.role == "system":
            continue
        role = "model" if message.role == "assistant" else "user"
        parts = _parts(message, names)
        if not parts:
            continue
        if role == "model" and _requires_signatures(turn.config.model):
            _sign(parts)
        if found and found[-1].role == role and message.role == "tool" and _has_results(found[-1]):
            found[-1].parts = [*(found[-1].parts or []), *parts]
        else:
            found.append(types.Content(role=role, parts=parts))
    if not found:
        raise invalid("the conversation has only a system message")
    return found


def generation_config(turn: Turn, refused: frozenset[str] = frozenset()) -> types.GenerateContentConfig:
    """Builds the system text, tools, thinking, limits and the form of the answer."""
    typed_answer = bool(asks_for_form(turn, refused))
    system = "\n\n".join(m.content for m in turn.messages if m.role == "system")
    return types.GenerateContentConfig(
        system_instruction=system or None,
        max_output_tokens=turn.max_output_tokens or None,
        thinking_config=thinking(turn.config.model, turn.max_output_tokens),
        tools=list(_tools(turn)) or None,
        response_mime_type="application/json" if typed_answer else None,
        response_json_schema=typed.schema(turn.answer) if typed_answer and turn.answer else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def asks_for_form(turn: Turn, refused: frozenset[str]) -> str:
    """Returns the means by which the form of the answer is asked for; older models have none beside tools."""
    return "" if turn.tools or turn.config.native_tools else typed.means(turn, refused, typed.SCHEMA)


def thinking(model: str, limit: int = 0) -> types.ThinkingConfig | None:
    """Returns the most thinking that the model supports and that leaves room for an answer of this limit."""
    name = model.rsplit("/", 1)[-1]
    short = 0 < limit < SHORT_ANSWER_TOKENS
    if name.startswith(_WITHOUT_THINKING):
        return None
    if not name.startswith("gemini-2.5"):
        level = types.ThinkingLevel.LOW if short else types.ThinkingLevel.HIGH
        return types.ThinkingConfig(include_thoughts=True, thinking_level=level)
    budget = thinking_budget(name, limit)
    return types.ThinkingConfig(include_thoughts=budget != 0, thinking_budget=budget)


def thinking_budget(name: str, limit: int) -> int:
    """Returns the thinking tokens of a 2.5 model; -1 leaves them to the model, 0 is none."""
    if 0 < limit < SHORT_ANSWER_TOKENS:
        return _MIN_BUDGETS.get(name[: len("gemini-2.5-pro")], 0)
    for prefix, budget in _BUDGETS.items():
        if name.startswith(prefix) and "lite" not in name:
            return min(budget, limit // 2) if limit else budget
    return -1


def state(parts: list[types.Part]) -> bytes:
    """Encodes what the next turn must send back; empty if no part has a signature."""
    if not any(part.thought_signature for part in parts):
        return b""
    return _STATE_MARK + _PARTS.dump_json(_compact(parts), exclude_none=True)


def json_text(value: Any) -> str:  # noqa: ANN401 - whatever the model wrote
    """Arguments as JSON text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _requires_signatures(model: str) -> bool:
    return not model.rsplit("/", 1)[-1].startswith((*_WITHOUT_THINKING, "gemini-2"))


def _sign(parts: list[types.Part]) -> None:
    """Only the first call of a message carries a signature."""
    first = next((part for part in parts if part.function_call is not None), None)
    if first is not None and not first.thought_signature:
        first.thought_signature = _UNSIGNED


def _compact(parts: list[types.Part]) -> list[types.Part]:
    """Drops unsigned thinking, which need not be sent back, and joins plain text."""
    compact: list[types.Part] = []
    for part in parts:
        if part.thought_signature or not part.text:
            compact.append(part)
        elif not part.thought:
            last = compact[-1] if compact else None
            if last is not None and last.text and not last.thought and not last.thought_signature:
                compact[-1] = types.Part(text=last.text + part.text)
            else:
                compact.append(types.Part(text=part.text))
    return compact


def _tools(turn: Turn) -> list[types.Tool]:
    if turn.tools:
        declarations = [
            types.FunctionDeclaration(
                name=to_api(tool.name),
                description=tool.description,
                parameters_json_schema=normalized(load(tool.schema)),
            )
            for tool in turn.tools
        ]
        return [types.Tool(function_declarations=declarations)]
    native = turn.config.native_tools
    tools: list[types.Tool] = []
    if "google_search" in native:
        tools.append(types.Tool(google_search=types.GoogleSearch()))
    if "url_context" in native:
        tools.append(types.Tool(url_context=types.UrlContext()))
    if "code_execution" in native:
        tools.append(types.Tool(code_execution=types.ToolCodeExecution()))
    return tools


def _parts(message: Message, names: dict[str, str]) -> list[types.Part]:
    if message.role == "tool":
        return [_result(message, names)]
    if message.role == "assistant":
        return _restored(message) or _answer(message)
    return [types.Part(text=message.content)] if message.content else []


def _restored(message: Message) -> list[types.Part]:
    """Decodes the parts as the provider sent them; empty for another provider's state."""
    if not message.provider_state.startswith(_STATE_MARK):
        return []
    try:
        return _PARTS.validate_json(message.provider_state[len(_STATE_MARK) :])
    except ValidationError:
        return []


def _answer(message: Message) -> list[types.Part]:
    parts = [types.Part(text=message.content)] if message.content else []
    signed = {**states.signatures(message, "google"), **states.signatures(message, "vertexai")}
    for call in message.tool_calls:
        arguments = load_object(call.arguments)
        function = types.FunctionCall(id=call.id or None, name=to_api(call.name), args=arguments)
        parts.append(types.Part(function_call=function, thought_signature=_signature(signed.get(call.id, ""))))
    return parts


def _signature(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) or None
    except ValueError:
        return None


def _result(message: Message, names: dict[str, str]) -> types.Part:
    name = message.tool_name or names.get(message.tool_call_id, "tool")
    response = types.FunctionResponse(
        id=message.tool_call_id or None, name=to_api(name), response={"result": message.content}
    )
    return types.Part(function_response=response)


def _has_results(content: types.Content) -> bool:
    return any(part.function_response is not None for part in content.parts or [])
