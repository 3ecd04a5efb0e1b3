"""Reads why a server refused a request or broke off its answer, whatever form its words have."""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from llm_service.errors import ErrorCode, ProviderError
from llm_service.json_shapes import as_list, as_object, load
from llm_service.providers.context import overflow
from llm_service.providers.failures import MAX_MESSAGE, by_status
from llm_service.providers.waits import retry_after, stated
from llm_service.scrub import scrub

# What vendors call a failure, and the HTTP status that says the same.
KINDS = {
    "overloaded_error": 529, "overloaded": 529, "engine_overloaded_error": 529, "server_overloaded": 529,
    "api_error": 500, "server_error": 500, "internal_error": 500, "internal_server_error": 500, "internal": 500,
    "internalservererror": 500, "internalserverexception": 500, "upstream_error": 502, "bad_gateway": 502,
    "modelstreamerrorexception": 500, "aborted": 500, "engine_error": 500,
    "service_unavailable": 503, "unavailable": 503, "serviceunavailableexception": 503, "model_not_ready": 503,
    "modelnotreadyexception": 503, "unavailable_error": 503, "service_unavailable_error": 503,
    "timeout_error": 504, "timeout": 504, "gateway_timeout": 504, "deadline_exceeded": 504,
    "modeltimeoutexception": 504, "request_timeout": 408,
    "rate_limit_error": 429, "rate_limit_exceeded": 429, "rate_limited": 429, "rate_limit": 429,
    "too_many_requests": 429, "throttlingexception": 429, "resource_exhausted": 429, "ratelimiterror": 429,
    "requests": 429, "tokens": 429,
    "authentication_error": 401, "invalid_api_key": 401, "unauthenticated": 401, "unauthorized": 401,
    "permission_error": 403, "permission_denied": 403, "forbidden": 403, "accessdeniedexception": 403,
    "insufficient_quota": 402, "billing_error": 402, "billing_hard_limit_reached": 402, "insufficient_credits": 402,
    "budget_exceeded": 402,
    "invalid_request_error": 400, "invalid_argument": 400, "badrequesterror": 400, "validationexception": 400,
    "context_length_exceeded": 400, "exceed_context_size_error": 400, "failed_precondition": 400,
    "tool_use_failed": 502, "generation": 500, "incomplete_generation": 500, "validation": 422,
    "not_found_error": 404, "model_not_found": 404, "not_found": 404, "request_too_large": 413,
}  # fmt: skip
_CODES = (
    "code",
    "type",
    "status",
    "error_type",
    "name",
    "status_code",
    "statuscode",
    "error_code",
    "errcode",
    "__type",
)
_MESSAGES = (
    "message", "msg", "detail", "error_message", "error_msg", "errmsg", "status_msg", "faultstring", "reason", "title",
    "error",
)  # fmt: skip
# Objects in which some servers put a failure, and codes of what is none.
_NUMBERED = ("code", "Code", "status_code", "statusCode", "error_code", "errcode", "ret_code")
_ENVELOPES = ("base_resp", "header", "status", "result", "fault", "resp")
_CODED = frozenset((*_NUMBERED, *_ENVELOPES))
# Statuses that say more than that a request is refused.
_SPECIFIC = (401, 402, 403, 429)
_FINE = ("", 0, "0", 200, "200", "ok", "OK", "success", "Success", "SUCCESS")
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
# Of an answer that nobody can read.
_FIRST_CHARS = 200
# The model wrote what its server could not read: another attempt may succeed.
_OF_THE_MODEL = "tool_use_failed"
# Exceptions that gateways name in their message.
_EXCEPTION = re.compile(r"\b([A-Z]\w*(?:Exception|Error))\b")
# A limit of another kind: of the size of a request.
_OF_SIZE = re.compile(r"context|token|length|size|window", re.IGNORECASE)
# What the words of a failure without a code say, and the HTTP status that says the same.
_WORDS = (
    (402, re.compile(r"quota exceeded|insufficient (?:balance|credits?|funds|quota)|billing", re.IGNORECASE)),
    (
        401,
        re.compile(
            r"authenticat\w+ (?:error|failed|failure)|unauthori[sz]ed|(?:invalid|incorrect|missing) api.?key",
            re.IGNORECASE,
        ),
    ),
    (
        429,
        re.compile(
            r"rate.?limit|too.?many.?(?:requests|connections|calls)|throttl"
            r"|(?:requests?|qps|tpm|rpm|concurren\w+|calls?)[ _-]?limit"
            r"|limit[ _-]?(?:reached|exceeded)|请求过多|频率|限流|并发",
            re.IGNORECASE,
        ),
    ),
    (
        503,
        re.compile(
            r"overloaded|out of memory|crashed|temporarily|unavailable|timed? ?out|try again|exit (?:code|status)"
            r"|shutting down|connection (?:reset|closed|refused)|queue is full|no available",
            re.IGNORECASE,
        ),
    ),
)
_UNKNOWN = "An error occurred during streaming"


def refused(status: int, headers: Mapping[str, str], body: bytes, secret: str) -> ProviderError:
    """The failure of a request that was answered with an error status."""
    document: object = load(body)
    # Google's servers put it in a list.
    document = _lower((as_list(document) or [document])[0], 4)
    kind, code = _named(document)
    if not kind and (error_type := str(headers.get("x-amzn-errortype", "")).partition(":")[0]):
        kind, code = error_type, _status(error_type)
    # A code in words is more specific: an account without money is answered with "too many requests".
    is_specific = code in _SPECIFIC or kind == _OF_THE_MODEL
    # A request that is too large for a limit of tokens never fits.
    decided = code if kind and is_specific and 400 <= status < 500 and status != 413 else status
    message = (_message(document) or kind) if as_object(document) else _words(headers, body)
    if status < 400:
        decided, message = 400, f"the address redirects to another place: {headers.get('location', '')}"
    wait_ms = retry_after(headers) or stated(document, message)
    return _failure(decided, f"HTTP {status}", kind, message, document, wait_ms, secret)


def broken_off(event: Mapping[str, Any], secret: str) -> ProviderError | None:
    """The failure that an event inside a stream reports; `None` for any other event."""
    if not _is_failure(event):
        return None
    if "error" not in event and not event.get("choices"):
        event = as_object(_lower(event, 4))
    kind, status = _named(event)
    message = _message(event) or _UNKNOWN
    status = status or _status_of(kind) or _status_of(message)
    return _failure(status, "", kind, message, event, stated(event, message), secret)


def not_a_stream(headers: Mapping[str, str], body: bytes, secret: str) -> ProviderError:
    """The failure of an answer with status 200 that is neither a stream nor a document of the protocol."""
    kind = str(headers.get("content-type", "")).split(";")[0].strip() or "without a type"
    message = (
        f"the server answered with {kind} instead of a stream: {_words(headers, body)}; "
        "check base_url, and whether a proxy or a sign-in page stands before it"
    )
    # Where nothing came, the answer was cut off.
    return ProviderError(ErrorCode.PROVIDER_ERROR, _shown(message, secret), retryable=not body.strip())


def _lower(value: object, depth: int) -> object:
    """A document with its names in lower case: some servers write them with capitals."""
    fields = as_object(value)
    return {name.lower(): _lower(one, depth - 1) for name, one in fields.items()} if depth and fields else value


def _is_failure(event: Mapping[str, Any]) -> bool:
    if event.get("error") or event.get("type") == "error" or event.get("object") == "error":
        return True
    if any(key in event for key in ("choices", "candidates", "response", "delta", "message", "usage", "id")):
        choice = as_object((as_list(event.get("choices")) or [None])[0])
        return bool(choice.get("error")) or (not event.get("choices") and _states_failure(event))
    is_named = "detail" in event or bool(event.get("errors")) or bool(event.get("Error"))
    return is_named or bool(as_object(event.get("Response")).get("Error")) or _states_failure(event)


def _states_failure(event: Mapping[str, Any]) -> bool:
    """Whether an event without an answer, or an object in it, has a code of a failure and words."""
    if _CODED.isdisjoint(event):
        return False
    for fields in (event, *(as_object(event.get(name)) for name in _ENVELOPES)):
        codes = [fields[name] for name in _NUMBERED if name in fields]
        status: object = fields.get("status")
        is_status = isinstance(status, str | int) and (str(status).startswith(("4", "5")) or _status(str(status)) > 0)
        is_failure = is_status or any(isinstance(code, str | int) and code not in _FINE for code in codes)
        if is_failure and any(isinstance(fields.get(name), str) and fields[name] for name in _MESSAGES):
            return True
    return False


def _failure(
    status: int, place: str, kind: str, message: str, document: object, wait_ms: int, secret: str
) -> ProviderError:
    named = " ".join(part for part in (place, kind if kind not in ("", message) else "") if part)
    text = f"{named}: {message}" if named else message
    found = overflow(f"{kind} {message}", as_object(document)) if status in (0, 400, 413, 422, 500) else None
    shown = _shown(text, secret)
    if found is not None:
        error = ProviderError(ErrorCode.INVALID_REQUEST, shown)
        error.overflow = found
        return error
    if not status:
        return ProviderError(ErrorCode.PROVIDER_ERROR, shown)
    return by_status(status, shown, wait_ms)


def _named(document: object) -> tuple[str, int]:
    """Returns what the failure is called, and the status that this stands for; empty and 0 if it is not known."""
    kinds: list[str] = []
    number = 0
    for fields in _objects(document):
        for name in _CODES:
            value = fields.get(name)
            if isinstance(value, bool) or not isinstance(value, str | int):
                continue
            text = str(value).strip()
            if text.isdigit():
                is_status = len(text) == 3 and 400 <= int(text) <= 599
                number = number or (int(text) if is_status else 0)
            elif text and text.lower() not in ("error", "none", "null"):
                kinds.append(text)
        if number:
            break
    known = [(kind, status) for kind in kinds if (status := _status(kind))]
    if number:
        # A word may be more specific than the number beside it.
        specific = next((one for one in known if one[1] in _SPECIFIC), None)
        return specific or (next(iter(kinds), ""), number)
    return next(iter(known), (next(iter(kinds), ""), 0))


def _status_of(message: str) -> int:
    """The status that the words of a message stand for; 0 if they say none."""
    named = (_status(name) for name in _EXCEPTION.findall(message))
    by_words = (
        status for status, words in _WORDS if words.search(message) and not (status == 429 and _OF_SIZE.search(message))
    )
    return next((status for status in named if status), 0) or next(by_words, 0)


def _status(kind: str) -> int:
    name = re.sub(r"[\s-]+", "_", kind.strip().lower())
    return KINDS.get(name) or KINDS.get(name.replace("_", "")) or KINDS.get(name.removesuffix("_error")) or 0


def _objects(document: object) -> Iterable[dict[str, Any]]:
    """The objects that may describe a failure, the most specific one first."""
    outer = as_object(document)
    inner: object = outer.get("error")
    inner = (as_list(inner) or [inner])[0]
    if isinstance(inner, str):
        inner = load(inner)
    response = as_object(as_object(outer.get("response")).get("error"))
    choice = as_object(as_object((as_list(outer.get("choices")) or [None])[0]).get("error"))
    # Some wrap the whole answer of a server behind them.
    message: object = as_object(inner).get("message")
    within = as_object(load(message)) if isinstance(message, str) and message.lstrip().startswith("{") else {}
    behind = as_object(as_object(inner).get("error")) or as_object(within.get("error")) or within
    listed = as_object((as_list(outer.get("errors")) or [None])[0])
    enclosed = (as_object(outer.get(name)) for name in _ENVELOPES)
    for fields in (behind, as_object(inner), listed, response, choice, *enclosed, outer):
        if fields:
            yield fields


def _message(document: object) -> str:
    for fields in _objects(document):
        for name in _MESSAGES:
            if text := _text(fields.get(name)):
                return text
    return ""


def _text(value: object) -> str:
    """The words of a message: a text, or the list in which servers of FastAPI say what they do not take."""
    if isinstance(value, str):
        return value.strip()
    parts: list[str] = []
    for one in as_list(value):
        fields = as_object(one)
        place = ".".join(str(step) for step in as_list(fields.get("loc")) if isinstance(step, str | int))
        words = next((str(fields[name]) for name in ("msg", "message") if fields.get(name)), "")
        words = one if isinstance(one, str) else words
        if place or words:
            parts.append(f"{place}: {words}" if place and words else place or words)
    return "; ".join(parts)


def _words(headers: Mapping[str, str], body: bytes) -> str:
    """The title of a page, or the first words of anything else."""
    text = body.decode(errors="replace")
    if "html" in str(headers.get("content-type", "")) or text.lstrip("\ufeff \r\n\t").startswith("<"):
        title = _TITLE.search(text)
        words = _flat(html.unescape(_TAGS.sub(" ", title.group(2) if title else text)))
        return f"a page titled {words[:_FIRST_CHARS]!r}" if title else f"a page that says {words[:_FIRST_CHARS]!r}"
    return _flat(text)[:_FIRST_CHARS] or "nothing"


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _shown(text: str, secret: str) -> str:
    return _flat(scrub(text, secret))[:MAX_MESSAGE]
