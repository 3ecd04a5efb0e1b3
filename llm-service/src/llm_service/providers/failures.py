"""Classifies a vendor's failure without importing the vendor's SDK."""

import json
import re
from collections.abc import Iterator
from typing import Any

from llm_service.errors import ErrorCode, ProviderError
from llm_service.json_shapes import as_object
from llm_service.providers.waits import retry_after, stated
from llm_service.scrub import scrub

MAX_MESSAGE = 400
_NETWORK = frozenset({"httpx", "httpcore", "aiohttp", "anyio", "ssl", "socket"})
_NETWORK_NAMES = ("Connection", "Timeout", "Protocol", "Network", "Disconnected", "Payload")
# HTTP statuses of the error types that vendors send inside a stream.
_KINDS = {
    "overloaded_error": 529, "api_error": 500, "rate_limit_error": 429, "authentication_error": 401,
    "permission_error": 403, "invalid_request_error": 400, "not_found_error": 404, "timeout_error": 504,
    "rate_limit_exceeded": 429, "server_error": 500, "insufficient_quota": 402,
    "billing_error": 402,
}  # fmt: skip


def translate(error: Exception, *secrets: str) -> ProviderError:
    """Classifies a failure; the message is short and holds no key."""
    if isinstance(error, ProviderError):
        return error
    causes = list(_causes(error))
    status = next((s for cause in causes if (s := _status(cause))), None)
    message = _message(causes, *secrets)
    if status is not None:
        return by_status(status, message, next((w for c in causes if (w := _retry_after(c))), 0))
    if any(_is_network(cause) for cause in causes):
        return ProviderError(ErrorCode.PROVIDER_ERROR, f"the connection failed: {message}", retryable=True)
    if any(isinstance(c, json.JSONDecodeError) or "UnknownApiResponse" in type(c).__name__ for c in causes):
        return ProviderError(ErrorCode.PROVIDER_ERROR, "the provider's stream is not readable", retryable=True)
    if any("DefaultCredentials" in type(c).__name__ or "RefreshError" in type(c).__name__ for c in causes):
        # Google's library marks an unavailable token server as retryable, a refused account not.
        if any(getattr(c, "retryable", False) is True for c in causes):
            return ProviderError(ErrorCode.PROVIDER_ERROR, message, retryable=True)
        return ProviderError(ErrorCode.CREDENTIALS, message)
    if isinstance(error, ValueError | TypeError):
        return ProviderError(ErrorCode.INVALID_REQUEST, message)
    return ProviderError(ErrorCode.PROVIDER_ERROR, message)


def by_status(status: int, message: str, wait_ms: int) -> ProviderError:
    """Classifies a failure by its HTTP status."""
    if status in (401, 402, 403):
        return ProviderError(ErrorCode.CREDENTIALS, message)
    if status == 429:
        return ProviderError(ErrorCode.RATE_LIMITED, message, retryable=True, retry_after_ms=wait_ms)
    if status in (408, 409, 425) or status >= 500:
        return ProviderError(ErrorCode.PROVIDER_ERROR, message, retryable=True, retry_after_ms=wait_ms)
    return ProviderError(ErrorCode.INVALID_REQUEST, message)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> int | None:
    if type(error).__module__.split(".")[0] in _NETWORK:
        return None
    kind = _body_kind(error)
    if kind in _KINDS:
        return _KINDS[kind]
    for name in ("status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    return None


def _body_kind(error: BaseException) -> str:
    body = _body(error)
    if body:
        # The code is more specific than the type: `insufficient_quota` has the type `rate_limit_error`.
        return next((kind for name in ("code", "type") if (kind := str(body.get(name))) in _KINDS), "")
    return ""


def _body(error: BaseException) -> dict[str, Any]:
    """Returns the vendor's error object, wherever the SDK stores it."""
    for name in ("body", "details"):
        body = as_object(getattr(error, name, None))
        if body:
            return as_object(body.get("error")) or body
    return {}


def _retry_after(error: BaseException) -> int:
    if wait_ms := retry_after(getattr(getattr(error, "response", None), "headers", None) or {}):
        return wait_ms
    details = getattr(error, "details", None)
    return stated(details, "")


def _is_network(error: BaseException) -> bool:
    if isinstance(error, ConnectionError | TimeoutError | EOFError):
        return True
    module, name = type(error).__module__.split(".")[0], type(error).__name__
    return module in _NETWORK or any(part in name for part in _NETWORK_NAMES)


def _message(causes: list[BaseException], *secrets: str) -> str:
    """Returns the vendor's message if there is one, else the exception's type."""
    messages = [str(m) for cause in causes if (m := _body(cause).get("message"))]
    for cause in causes:
        own = getattr(cause, "message", None)
        text = messages[0] if messages else own if isinstance(own, str) and own else str(cause)
        if text.strip():
            flat = re.sub(r"\s+", " ", scrub(text, *secrets)).strip()
            return f"{type(cause).__name__}: {flat}"[:MAX_MESSAGE]
    return type(causes[0]).__name__ if causes else "unknown failure"
