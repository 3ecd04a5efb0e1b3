"""Maps tool names: ours are `server.tool`, most vendors forbid the dot."""

import hashlib
import re

from llm_service.turn import Tool

MAX_LENGTH = 64
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_-]")


def to_api(name: str) -> str:
    """`server.tool` becomes `server__tool`.

    Names that are too long, or that another name could become, are cut and made unique by a hash.
    """
    server, _, tool = name.partition(".")
    encoded = _FORBIDDEN.sub("_", name.replace(".", "__", 1))
    is_unique = not _FORBIDDEN.search(server + tool) and "__" not in server and not server.endswith("_")
    if is_unique and len(encoded) <= MAX_LENGTH:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{encoded[: MAX_LENGTH - 9]}_{digest}"


class ToolNames:
    """Maps the tool names of one request to the vendor's and back without loss."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        """Indexes the offered tools."""
        self._known = {to_api(tool.name): tool.name for tool in tools}

    def offered(self) -> frozenset[str]:
        """The names of the tools as the vendor knows them."""
        return frozenset(self._known)

    def from_api(self, name: str) -> str:
        """`server__tool` becomes `server.tool`; a name that was never offered is split at its first `__`."""
        return self._known.get(name) or name.replace("__", ".", 1)
