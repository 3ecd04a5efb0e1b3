"""The failures that `ErrorInfo.code` can report."""

from enum import StrEnum
from typing import TYPE_CHECKING

from llm_service.finish_reason import FinishReason

if TYPE_CHECKING:
    from llm_service.chunks import Info, Usage
    from llm_service.providers.context import Overflow


class ErrorCode(StrEnum):
    """The codes of `ErrorInfo`."""

    CREDENTIALS = "credentials"
    PROVIDER_ERROR = "provider_error"
    INVALID_REQUEST = "invalid_request"
    PARTIAL_STREAM = "partial_stream_error"
    INVALID_BACKEND = "invalid_backend"
    RATE_LIMITED = "rate_limited"


class ProviderError(Exception):
    """A failed call; its message is for people and holds no key.

    `retryable`: the same request may succeed later. Retrying it is the caller's task.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        retryable: bool = False,
        retry_after_ms: int = 0,
        finish_reason: FinishReason | None = None,
    ) -> None:
        """Takes the fields of `ErrorInfo`, and why the provider ended the answer if it gave a reason."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.finish_reason = finish_reason
        self.variable = ""
        self.usage: Usage | None = None
        self.info: Info | None = None
        self.overflow: Overflow | None = None

    def with_record(self, usage: "Usage | None", info: "Info | None") -> "ProviderError":
        """Adds the tokens that the failed call is charged for, and what the provider reported about its answer."""
        self.usage, self.info = usage, info
        return self

    def with_variable(self, name: str) -> "ProviderError":
        """Adds the variable whose key was refused or is not set; the message names it, too."""
        if self.code is not ErrorCode.CREDENTIALS or not name:
            return self
        self.variable = name
        if name not in self.message:
            self.message = f"{self.message} (key in {name})"
        return self


def invalid(message: str) -> ProviderError:
    """A request that would fail again."""
    return ProviderError(ErrorCode.INVALID_REQUEST, message)


def partial_stream(message: str) -> ProviderError:
    """An answer that began and did not end."""
    return ProviderError(ErrorCode.PARTIAL_STREAM, message, retryable=True)


def stopped_early(reason: str, *, retryable: bool = False, finish_reason: FinishReason | None = None) -> ProviderError:
    """An answer that the provider ended before it was usable."""
    message = f"the provider stopped early ({reason})"
    return ProviderError(ErrorCode.PROVIDER_ERROR, message, retryable=retryable, finish_reason=finish_reason)


class AddressError(OSError):
    """The address cannot be listened on."""
