"""What a vendor expects back with its answer on the next turn, such as signed thinking."""

import json
from collections.abc import Sequence
from typing import Any

from llm_service.json_shapes import as_list, as_object, load
from llm_service.turn import Message

# Conversations that were stored before 2026-11 have this mark, too.
_MARK = b"langchain/1\n"


def packed(family: str, content: Sequence[dict[str, Any]]) -> bytes:
    """Encodes the parts of an answer for the vendor that wrote them."""
    stored = {"provider": family, "content": content}
    return _MARK + json.dumps(stored, ensure_ascii=False, default=str).encode(errors="surrogatepass")


def unpacked(message: Message, family: str) -> list[dict[str, Any]] | None:
    """Returns the parts as the vendor sent them; `None` if this vendor did not write the message."""
    stored = _stored(message, family)
    if stored is None:
        return None
    parts = ({"type": "text", "text": one} if isinstance(one, str) else one for one in as_list(stored["content"]))
    return [part for one in parts if (part := as_object(one))]


def signatures(message: Message, family: str) -> dict[str, str]:
    """Returns the signatures of calls by their ids, as earlier versions stored them for Gemini."""
    kept = as_object((_stored(message, family) or {}).get("kwargs"))
    found = as_object(kept.get("__gemini_function_call_thought_signatures__"))
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _stored(message: Message, family: str) -> dict[str, Any] | None:
    if not message.provider_state.startswith(_MARK):
        return None
    stored = as_object(load(message.provider_state[len(_MARK) :]))
    return stored if stored.get("provider") == family and "content" in stored else None
