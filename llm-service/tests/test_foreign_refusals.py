"""Refusals of servers, gateways and proxies of other authors: why, whether again, when, and how large the window is."""

import json

import pytest

from llm_service.providers.refusals import refused
from test_foreign_streams import BUSY, CREDENTIALS, ERROR, INVALID, Failure, agrees

REFUSED: dict[str, tuple[int, dict[str, str], object, Failure]] = {
    "Azure OpenAI, a filter": (
        400, {}, {"error": {"message": "The response was filtered", "param": "prompt", "code": "content_filter", "status": 400}},
        Failure(INVALID, False, "filtered"),
    ),
    "Azure OpenAI, a limit": (
        429, {"retry-after": "7"}, {"error": {"code": "429", "message": "Please retry after 7 seconds."}}, Failure(BUSY, True, "", 7_000),
    ),
    "OpenAI, a limit that only the words state": (
        429, {}, {"error": {"message": "Rate limit reached for m in org o: Limit 3. Please try again in 20s.", "code": "rate_limit_exceeded"}},
        Failure(BUSY, True, "", 20_000),
    ),
    "Groq, minutes and seconds": (
        429, {}, {"error": {"message": "Rate limit reached. Please try again in 7m40.5s. Visit https://a.example", "code": "rate_limit_exceeded"}},
        Failure(BUSY, True, "", 460_500),
    ),
    "Gemini by the form of OpenAI": (
        429, {}, [{"error": {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"}]}}],
        Failure(BUSY, True, "exhausted", 30_000),
    ),
    "Anthropic's limit in a header of its own": (
        429, {"retry-after-ms": "1500"}, {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
        Failure(BUSY, True, "slow", 1_500),
    ),
    "Azure API Management": (
        429, {}, {"statusCode": 429, "message": "Rate limit is exceeded. Try again in 12 seconds."}, Failure(BUSY, True, "", 12_000),
    ),
    "OpenRouter, seconds of a day that is reset": (
        429, {"x-ratelimit-reset-requests": "1m30s"}, {"error": {"message": "slow", "code": 429}}, Failure(BUSY, True, "slow", 90_000),
    ),
    "Kong": (429, {"retry-after": "12.5"}, {"message": "API rate limit exceeded"}, Failure(BUSY, True, "rate limit", 12_500)),
    "llama.cpp, loading": (
        503, {}, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, Failure(ERROR, True, "Loading"),
    ),
    "vLLM, a window": (
        400, {}, {"object": "error", "type": "BadRequestError", "code": 400, "message": "'max_tokens' is too large: 8192. This model's "
            "maximum context length is 8192 tokens and your request has 3000 input tokens (8192 > 8192 - 3000)."},
        Failure(INVALID, False, "", window=8192),
    ),
    "SGLang, a window": (
        400, {}, {"object": "error", "message": "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
            "type": "BadRequestError", "code": 400},
        Failure(INVALID, False, "", window=8192),
    ),
    "Ollama, no such model": (
        404, {}, {"error": {"message": 'model "x" not found, try pulling it first', "type": "api_error", "code": None}},
        Failure(INVALID, False, "try pulling"),
    ),
    "Bedrock": (
        400, {"x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/coral/"}, {"message": "Too many tokens"},
        Failure(BUSY, True, "Too many tokens"),
    ),
    "a load balancer": (504, {"content-type": "text/html"}, "<html><head><title>504 Gateway Time-out</title></head></html>", Failure(ERROR, True, "504 Gateway Time-out")),
    "Cloudflare": (524, {"content-type": "text/html"}, "<!DOCTYPE html><title>a.example | 524: A timeout occurred</title>", Failure(ERROR, True, "timeout occurred")),
    "Spring": (500, {}, {"timestamp": "2026-11-24T12:00:00Z", "status": 500, "error": "Internal Server Error", "path": "/v1"}, Failure(ERROR, True, "Internal Server Error")),
    "a problem of RFC 9457": (
        403, {}, {"type": "https://a.example/forbidden", "title": "Forbidden", "status": 403, "detail": "The key may not use m."},
        Failure(CREDENTIALS, False, "may not use m"),
    ),
}  # fmt: skip

# Written after the readers were mended by those above, and read once before they were mended again.
REFUSED_HELD_OUT: dict[str, tuple[int, dict[str, str], object, Failure]] = {
    "Envoy": (
        503, {"content-type": "text/plain"}, "upstream connect error or disconnect/reset before headers", Failure(ERROR, True, "upstream connect"),
    ),
    "Traefik": (404, {"content-type": "text/plain"}, "404 page not found", Failure(INVALID, False, "page not found")),
    "a key that is missing": (401, {}, {"message": "No API key found in request"}, Failure(CREDENTIALS, False, "No API key")),
    "Cloudflare AI Gateway": (
        400, {}, {"success": False, "result": [], "messages": [], "error": [{"code": 2001, "message": "Please configure AI Gateway"}]},
        Failure(INVALID, False, "Please configure"),
    ),
    "Hugging Face, loading": (
        503, {}, {"error": "Model m is currently loading", "estimated_time": 20.0}, Failure(ERROR, True, "loading", 20_000),
    ),
    "DeepSeek": (
        402, {}, {"error": {"message": "Insufficient Balance", "type": "unknown_error", "code": "invalid_request_error"}},
        Failure(CREDENTIALS, False, "Insufficient Balance"),
    ),
    "Together": (
        429, {"x-ratelimit-reset": "5", "x-ratelimit-remaining": "0"}, {"error": {"message": "slow", "type": "model_rate_limit"}},
        Failure(BUSY, True, "slow", 5_000),
    ),
    "Mistral": (
        429, {}, {"object": "error", "message": "Service tier capacity exceeded for this model.", "type": "service_tier_capacity_exceeded", "code": "3505"},
        Failure(BUSY, True, "capacity exceeded"),
    ),
    "a window in thousands": (
        400, {}, {"error": {"message": "Your input exceeds the context window of this model (32k tokens).", "type": "invalid_request_error"}},
        Failure(INVALID, False, "context window", window=32_000),
    ),
    "Bedrock, a window": (
        400, {}, {"message": "Input is too long for requested model."}, Failure(INVALID, False, "too long"),
    ),
}  # fmt: skip

# Written after the reader was mended a second time, and read once before it was mended again.
HELD_OUT_AGAIN: dict[str, tuple[int, dict[str, str], object, Failure]] = {
    "Apigee": (
        429, {}, {"fault": {"faultstring": "Rate limit quota violation", "detail": {"errorcode": "policies.ratelimit.QuotaViolation"}}},
        Failure(BUSY, True, "quota violation"),
    ),
    "Tyk": (403, {}, {"error": "Access to this API has been disallowed"}, Failure(CREDENTIALS, False, "disallowed")),
    "WSO2": (
        429, {}, {"code": "900802", "type": "Status report", "message": "Message throttled out", "nextAccessTime": "2026-Nov-24 12:00:00+0000 UTC"},
        Failure(BUSY, True, "throttled out"),
    ),
    "HAProxy": (503, {"content-type": "text/html"}, "<html><body><h1>503 Service Unavailable</h1>No server is available.</body></html>", Failure(ERROR, True, "503 Service Unavailable")),
    "Baseten": (
        400, {}, {"error": "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested 40000 tokens."},
        Failure(INVALID, False, "", window=32_768),
    ),
    "Anthropic's limits as times": (
        429, {"anthropic-ratelimit-requests-reset": "30", "anthropic-ratelimit-requests-remaining": "0"},
        {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}, Failure(BUSY, True, "slow", 30_000),
    ),
    "Vertex AI": (
        429, {}, {"error": {"code": 429, "message": "Quota exceeded for base model. Please retry in 12.5s.", "status": "RESOURCE_EXHAUSTED"}},
        Failure(BUSY, True, "Quota", 12_500),
    ),
    "LiteLLM, a budget": (
        400, {}, {"error": {"message": "Budget has been exceeded! Current cost: 10.1, Max budget: 10.0", "type": "budget_exceeded", "code": "400"}},
        Failure(CREDENTIALS, False, "Budget"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("server", {**REFUSED, **REFUSED_HELD_OUT, **HELD_OUT_AGAIN})
def test_the_refusal_of_a_server_is_read(server: str) -> None:
    status, headers, body, wanted = {**REFUSED, **REFUSED_HELD_OUT, **HELD_OUT_AGAIN}[server]
    raw = body if isinstance(body, str) else json.dumps(body)
    found = refused(status, headers, raw.encode(), "")
    assert agrees(found, wanted), (found, found.retryable, found.retry_after_ms, found.overflow)
