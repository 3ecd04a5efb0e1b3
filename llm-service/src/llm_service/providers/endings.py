"""When a provider's stream has ended: whether what came is an answer."""

from dataclasses import dataclass

from llm_service.errors import ErrorCode, ProviderError, partial_stream, stopped_early
from llm_service.json_shapes import load

# As vendors call it, in lower case.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({
    "content_filter", "refusal", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
    "image_safety",
})  # fmt: skip
_AGAIN = frozenset({"malformed_function_call", "unexpected_tool_call", "other", "too_many_tool_calls"})


@dataclass(frozen=True, slots=True)
class Ending:
    """What a stream said in all."""

    reason: str
    said: bool
    arguments: tuple[str, ...] = ()
    """Of each call, as JSON text."""

    def check(self) -> None:
        """Raises if this is no answer."""
        reason = self.reason.lower()
        if not reason:
            raise partial_stream("the stream ended without a finish reason")
        if reason in _CUT:
            self._check_cut()
        elif self.arguments:
            return
        elif reason in _REFUSED:
            raise stopped_early(self.reason)
        elif reason in _AGAIN:
            raise stopped_early(self.reason, retryable=True)
        elif not self.said:
            # Asked twice more, and no oftener: the same question, the same silence.
            message = "the provider answered nothing"
            raise ProviderError(ErrorCode.PROVIDER_ERROR, message, retryable=True, passing=False)

    def _check_cut(self) -> None:
        """An answer may be cut at its limit; a call must not, and something must have been said."""
        if not self.said and not self.arguments:
            message = f"the output limit was reached before a word was said ({self.reason}): raise max_output_tokens"
            raise ProviderError(ErrorCode.PROVIDER_ERROR, message)
        if any(not isinstance(load(one), dict) for one in self.arguments):
            message = f"the output limit was reached inside a tool call ({self.reason}): raise max_output_tokens"
            raise ProviderError(ErrorCode.PROVIDER_ERROR, message)
