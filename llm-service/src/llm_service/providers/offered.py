"""The tools of a turn as a vendor takes them: names, schemas, and at most as many as it accepts."""

from dataclasses import replace
from typing import Any

from llm_service.json_shapes import load
from llm_service.logs import logger
from llm_service.providers.tool_names import ToolNames, to_api
from llm_service.providers.tool_schemas import normalized
from llm_service.turn import Message, Tool, Turn

# How many tools a vendor takes in one request; each refuses the whole request for one more.
_MOST = {"openai": 128, "xai": 128, "google": 512, "vertexai": 512}
_CLAUDE = frozenset({"anthropic", "vertexai-claude"})
# Of the names in the note to the model.
_MAX_NOTE = 4_000


class Offered:
    """What of a turn's tools is offered, and the conversation that says what is not."""

    def __init__(self, turn: Turn, family: str) -> None:
        """Chooses the tools for a vendor."""
        self.tools: list[dict[str, Any]] = []
        """Each with name, description and parameters."""
        kept, left_out = chosen(turn, family)
        for tool in kept:
            schema = normalized(load(tool.schema), plain_names=family in _CLAUDE)
            if schema is None:
                logger().warning("a tool is not offered: the vendor refuses a name of its parameters", tool=tool.name)
                continue
            self.tools.append({"name": to_api(tool.name), "description": tool.description, "parameters": schema})
        self.names = ToolNames(turn.tools)
        self.messages = with_note(turn.messages, left_out, len(kept))


def chosen(turn: Turn, family: str) -> tuple[list[Tool], list[Tool]]:
    """Splits the tools into those that the vendor takes and the others.

    Those stay that the conversation has used; then come the others in the order in which they are offered.
    """
    most = _MOST.get(family, len(turn.tools))
    if len(turn.tools) <= most:
        return list(turn.tools), []
    used = {call.name for message in turn.messages for call in message.tool_calls}
    first = [tool for tool in turn.tools if tool.name in used]
    ranked = [*first, *(tool for tool in turn.tools if tool.name not in used)][:most]
    names = {tool.name for tool in ranked}
    left_out = [tool for tool in turn.tools if tool.name not in names]
    logger().warning("tools are not offered: the vendor takes no more", limit=most, left_out=len(left_out))
    return [tool for tool in turn.tools if tool.name in names], left_out


def with_note(messages: tuple[Message, ...], left_out: list[Tool], limit: int) -> tuple[Message, ...]:
    """Adds to the first system message which tools are not offered."""
    if not left_out:
        return messages
    names = ", ".join(tool.name for tool in left_out)
    names = names if len(names) <= _MAX_NOTE else f"{names[:_MAX_NOTE]}…"
    note = (
        f"{len(left_out)} more tools exist, but this model takes at most {limit} at a time, so they cannot be called "
        f"here: {names}. If one of them is needed, name it in your answer."
    )
    if messages and messages[0].role == "system":
        return (replace(messages[0], content=f"{messages[0].content}\n\n{note}"), *messages[1:])
    return (Message("system", note), *messages)
