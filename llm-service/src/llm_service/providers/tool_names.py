"""Tool names on both sides: ours are `server.tool`, most vendors forbid the dot."""

import hashlib
import re
from typing import Any

from llm_service.json_shapes import as_object, load
from llm_service.turn import Tool

LONGEST = 64
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_-]")


def to_api(name: str) -> str:
    """`server.tool` becomes `server__tool`; over-long names are cut and made unique by a hash."""
    encoded = _FORBIDDEN.sub("_", name.replace(".", "__", 1))
    if len(encoded) <= LONGEST:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{encoded[: LONGEST - 9]}_{digest}"


class ToolNames:
    """The names of one request's tools, so that each answer finds its way back exactly."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        """Remembers what was offered."""
        self._known = {to_api(tool.name): tool.name for tool in tools}

    def from_api(self, name: str) -> str:
        """`server__tool` becomes `server.tool`; a name that was never offered is split at its first `__`."""
        return self._known.get(name) or name.replace("__", ".", 1)


def parameters(tool: Tool) -> dict[str, Any]:
    """A tool's parameters as JSON Schema; a broken definition takes no arguments and hides no other."""
    schema = {name: value for name, value in as_object(load(tool.schema)).items() if name != "$schema"}
    return {**schema, "type": "object", "properties": schema.get("properties") or {}}
