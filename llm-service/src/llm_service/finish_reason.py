"""Why a provider ended an answer, in the wire's words."""

from enum import StrEnum


class FinishReason(StrEnum):
    """Names the values of the wire's `FinishReason`."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
