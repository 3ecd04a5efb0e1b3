"""Decides whether a provider's finished stream is a usable answer, and why it ended."""

import re
from dataclasses import dataclass

from llm_service.errors import ErrorCode, ProviderError, partial_stream, stopped_early
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import load

# The vendors' finish reasons, in lower case.
_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_CONTENT_FILTER = frozenset({
    "content_filter", "refusal", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
    "image_safety",
})  # fmt: skip
# The answer was broken off, whatever came before.
_BROKEN = frozenset({"error", "network_error", "engine_error", "abort", "aborted", "insufficient_system_resource"})
# Words of other servers' reasons.
_IS_LENGTH = re.compile(r"length|max_?(?:new_|output_|completion_)?tokens|token_?limit|context_window")
_IS_FILTER = re.compile(r"filter|safety|sensitive|guardrail|refus|prohibited|moderation|blocked")
_IS_BROKEN = re.compile(r"error|abort|cancel|overload|insufficient|network|timeout|unavailable")
_RETRYABLE = frozenset({"malformed_function_call", "unexpected_tool_call", "other", "too_many_tool_calls"})


@dataclass(frozen=True, slots=True)
class Ending:
    """A finished stream: the vendor's finish reason, and what arrived."""

    reason: str
    has_text: bool
    arguments: tuple[str, ...] = ()
    """Of each tool call, as JSON text."""

    def finish_reason(self) -> FinishReason:
        """Returns why the answer ended; raises `ProviderError` if it is not usable.

        An answer without text and tool calls is returned as it is: the caller decides whether to retry it.
        """
        reason = self.reason.lower()
        if not reason:
            raise partial_stream("the stream ended without a finish reason")
        if reason in _BROKEN or _IS_BROKEN.search(reason):
            raise stopped_early(self.reason, retryable=True)
        if reason in _LENGTH or _IS_LENGTH.search(reason):
            self._check_truncated()
            return FinishReason.LENGTH
        if reason in _CONTENT_FILTER or _IS_FILTER.search(reason):
            if self.arguments:
                return FinishReason.CONTENT_FILTER
            raise stopped_early(self.reason, finish_reason=FinishReason.CONTENT_FILTER)
        if self.arguments:
            return FinishReason.TOOL_CALLS
        if reason in _RETRYABLE:
            raise stopped_early(self.reason, retryable=True)
        return FinishReason.STOP

    def _check_truncated(self) -> None:
        """Truncated text is an answer; a truncated tool call is not, nor is nothing at all."""
        if not self.has_text and not self.arguments:
            raise self._limit_reached("before any text")
        if any(not isinstance(load(one), dict) for one in self.arguments):
            raise self._limit_reached("inside a tool call")

    def _limit_reached(self, where: str) -> ProviderError:
        advice = "raise the limit of the model server, or use a model with a larger one"
        message = f"the output limit was reached {where} ({self.reason}): {advice}"
        return ProviderError(ErrorCode.PROVIDER_ERROR, message, finish_reason=FinishReason.LENGTH)
