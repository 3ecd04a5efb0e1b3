"""One adjustment of LangChain's OpenAI model: the reasoning that compatible servers stream."""

from typing import Any

import langchain_openai
from langchain_core.outputs import ChatGenerationChunk

from llm_service.json_shapes import as_list, as_object

_NAMES = ("reasoning_content", "reasoning")


class ChatOpenAI(langchain_openai.ChatOpenAI):
    """Keeps the reasoning of servers that speak Chat Completions: llama.cpp, vLLM, Ollama and others."""

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(  # pyright: ignore[reportUnknownMemberType]
            chunk, default_chunk_class, base_generation_info
        )
        if made is None:
            return None
        for choice in as_list(chunk.get("choices"))[:1]:
            delta = as_object(as_object(choice).get("delta"))
            told = next((text for name in _NAMES if isinstance(text := delta.get(name), str) and text), None)
            if told is not None:
                made.message.additional_kwargs["reasoning_content"] = told
        return made
