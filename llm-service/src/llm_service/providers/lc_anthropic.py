"""Two adjustments of LangChain's Claude model: id and usage from every server, and Claude on Vertex AI."""

from functools import cached_property
from typing import Any

import anthropic
import langchain_anthropic
from anthropic.lib.vertex import AsyncAnthropicVertex
from langchain_core.messages import AIMessageChunk

START_USAGE = "start_usage"


class ChatAnthropic(langchain_anthropic.ChatAnthropic):
    """Records the id and the usage in the first event of a stream.

    LangChain reads usage from the last event only; servers with the older protocol report the input
    tokens in the first one.
    """

    @property
    def _llm_type(self) -> str:
        """Differs from the base class, so that LangChain puts `cache_control` on a block, as every server accepts."""
        return "anthropic-chat-by-block"

    def _make_message_chunk_from_anthropic_event(
        self,
        event: Any,  # noqa: ANN401 - as in the base class
        **options: Any,  # noqa: ANN401 - the base class's own signature
    ) -> tuple[AIMessageChunk | None, Any]:
        chunk, block = super()._make_message_chunk_from_anthropic_event(event, **options)
        message = getattr(event, "message", None)
        identifier = getattr(message, "id", None)
        if event.type == "message_start" and chunk is not None and isinstance(identifier, str):
            chunk.response_metadata["id"] = identifier
        usage = getattr(message, "usage", None)
        if event.type == "message_start" and chunk is not None and usage is not None:
            chunk.response_metadata[START_USAGE] = {
                "input": usage.input_tokens or 0,
                "cached": usage.cache_read_input_tokens or 0,
                "created": usage.cache_creation_input_tokens or 0,
            }
        return chunk, block


class ChatAnthropicVertex(ChatAnthropic):
    """Claude on Vertex AI."""

    project: str = ""
    region: str = "global"
    vertex_url: str = ""
    credentials: Any = None

    @cached_property
    def _async_client(self) -> Any:  # noqa: ANN401 - the two clients share no base class
        return AsyncAnthropicVertex(
            region=self.region,
            project_id=self.project or anthropic.NOT_GIVEN,
            credentials=self.credentials,
            base_url=self.vertex_url or None,
            max_retries=0,
        )
