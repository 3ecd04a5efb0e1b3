"""Removes keys from text that leaves the process: error messages and logs."""

import re

HIDDEN = "[hidden]"

_SHAPES = re.compile(
    r"\b(?:sk|rk|pk|xai|gsk)-[\w-]{8,}"
    r"|\bAIza[\w-]{20,}"
    r"|\bya29\.[\w.-]{10,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
)
_LABELLED = re.compile(
    r"((?:authorization|x-api-key|x-goog-api-key|api[_-]?key|access[_-]?token|secret|password)"
    r"[\"']?\s*[:=]\s*[\"']?(?:bearer\s+|basic\s+)?)([^\s\"'&,;})]{4,})",
    re.IGNORECASE,
)
_QUERY_KEY = re.compile(r"([?&]key=)[^&\s\"']+", re.IGNORECASE)
_BEARER = re.compile(r"\b(bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
_USER_INFO = re.compile(r"(\w+://)[^\s/@:]*:[^\s/@]*@")


def scrub(text: str, *secrets: str) -> str:
    """Replaces the given secrets, and everything that looks like a key."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, HIDDEN)
    text = _SHAPES.sub(HIDDEN, text)
    text = _QUERY_KEY.sub(rf"\1{HIDDEN}", text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _LABELLED.sub(rf"\1{HIDDEN}", text)
    return _USER_INFO.sub(rf"\1{HIDDEN}@", text)
