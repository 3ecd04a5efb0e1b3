"""Reads the context window that a server states when a request does not fit it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from llm_service.json_shapes import as_object

_SIGNS = re.compile(
    r"context[ _-](?:length|size|window|limit)|context_length_exceeded|exceed_context_size|maximum model length"
    r"|maximum (?:prompt|input|sequence) length|(?:prompt|input|request|message|conversation)s?"
    r" (?:is|are) too (?:long|large)"
    r"|request too large|too many (?:input |prompt )?tokens|token count.{0,40}exceeds|tokens?.{0,60}must be <="
    r"|max(?:imum)?[ _]model[ _]len"
    r"|maximum number of (?:input )?tokens|reduce the length of (?:the|your) (?:messages|prompt|input)"
    r"|exceeds? the (?:available|maximum) context|n_ctx|when context the overflows|input length.{0,60}exceed",
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,._]*\d)(?![\d.]*[a-z])"
# The most specific form first: the window is the number that follows.
_WINDOWS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:<=|>)\s*{_NUMBER}",
        (
            rf"(?:context (?:length|size|window|limit)|(?:model|prompt|input|sequence) length|model[ _]len|n_ctx)"
            rf"(?: of the model)?\W*(?:is|of|limit)?\W*(?:only|loaded with|set to|:|=)?\W*{_NUMBER}"
        ),
        rf"maximum number of (?:input )?tokens(?: allowed| supported)?\W*{_NUMBER}",
        rf"{_NUMBER}\s*maximum",
        rf"(?:limit|maximum|max|window)\D{{0,30}}{_NUMBER}",
    )
)
_THOUSANDS = re.compile(r"(\d{1,4})[ -]?k\b(?:[ -]?tokens?)?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d[\d,._]*\d|\d")
_WINDOW_FIELDS = ("n_ctx", "context_length", "max_context_length", "max_model_len", "context_window", "n_ctx_slot")
_PROMPT_FIELDS = ("n_prompt_tokens", "prompt_tokens", "input_tokens", "num_tokens")
_LEAST = 128
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request that does not fit; 0 stands for what the server did not state. Both in tokens."""

    window: int = 0
    prompt: int = 0


def overflow(message: str, document: Mapping[str, Any]) -> Overflow | None:
    """Returns what a refusal states of the context window; `None` if it is not about that."""
    fields = {**document, **as_object(document.get("error"))}
    window, prompt = _field(fields, _WINDOW_FIELDS), _field(fields, _PROMPT_FIELDS)
    if not (window or _SIGNS.search(message)):
        return None
    window = window or next((size for form in _WINDOWS if (m := form.search(message)) and (size := _size(m[1]))), 0)
    if not window and (thousands := _THOUSANDS.search(message)):
        window = int(thousands[1]) * 1000
    if not prompt and window:
        prompt = max((size for text in _NUMBERS.findall(message) if (size := _size(text)) > window), default=0)
    return Overflow(window, prompt)


def _field(fields: Mapping[str, Any], names: tuple[str, ...]) -> int:
    found = (fields.get(name) for name in names)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and 0 < n <= _MOST), 0)


def _size(text: str) -> int:
    digits = re.sub(r"[,._]", "", text)
    size = int(digits) if digits.isdigit() and len(digits) <= 10 else 0
    return size if _LEAST <= size <= _MOST else 0
