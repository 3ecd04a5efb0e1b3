"""One vocabulary of failure: what the wire's `ErrorInfo.code` can say."""

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llm_service.chunks import Usage


class ErrorCode(StrEnum):
    """The codes of `ErrorInfo`."""

    MAX_RETRIES = "max_retries"
    CREDENTIALS = "credentials"
    PROVIDER_ERROR = "provider_error"
    INVALID_REQUEST = "invalid_request"
    PARTIAL_STREAM = "partial_stream_error"
    INVALID_BACKEND = "invalid_backend"
    RATE_LIMITED = "rate_limited"


class ProviderError(Exception):
    """A failed call, already in our words; its message holds no key.

    `retryable`: another attempt may do better. `passing`: so may one by the caller, after all attempts here.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        retryable: bool = False,
        passing: bool = True,
        retry_after_ms: int = 0,
    ) -> None:
        """Keeps what the caller is told."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.passing = passing
        self.retry_after_ms = retry_after_ms
        self.spent: Usage | None = None

    def after(self, spent: "Usage | None") -> "ProviderError":
        """The same failure, with the tokens that are paid for all the same."""
        self.spent = spent
        return self


def invalid(message: str) -> ProviderError:
    """A request that would fail again."""
    return ProviderError(ErrorCode.INVALID_REQUEST, message)


def partial_stream(message: str, *, retryable: bool = True) -> ProviderError:
    """An answer that began and did not end."""
    return ProviderError(ErrorCode.PARTIAL_STREAM, message, retryable=retryable)


def stopped_early(reason: str, *, retryable: bool = False) -> ProviderError:
    """An answer that the provider itself ended before it was one."""
    return ProviderError(ErrorCode.PROVIDER_ERROR, f"the provider stopped early ({reason})", retryable=retryable)


class AddressError(OSError):
    """The address cannot be listened on."""
