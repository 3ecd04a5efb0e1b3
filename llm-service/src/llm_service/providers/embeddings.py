"""Vectors of texts, by the protocol of OpenAI or of Gemini: one request of a caller is one of the vendor."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from math import isfinite
from typing import Any

from llm_service.definitions import Definition
from llm_service.errors import ErrorCode, ProviderError, invalid
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.json_shapes import as_list, as_object, count
from llm_service.providers.credentials import api_key
from llm_service.providers.failures import translate
from llm_service.providers.http import Http, Request
from llm_service.turn import Config

MAX_TEXTS = 128
# Of each text: models read some 2,000 tokens of it, and cut or refuse the rest.
MAX_CHARS = 8_000
MAX_DIMENSIONS = 4096
_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "xai": "https://api.x.ai/v1",
    "google": "https://generativelanguage.googleapis.com",
}
_TASKS = {
    llm_pb2.EMBED_PURPOSE_DOCUMENT: "RETRIEVAL_DOCUMENT",
    llm_pb2.EMBED_PURPOSE_QUERY: "RETRIEVAL_QUERY",
}


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector for each text, and the tokens that the vendor counted."""

    values: list[list[float]]
    tokens: int


class Embeddings:
    """Asks vendors for vectors."""

    def __init__(self) -> None:
        """Starts without a connection."""
        self._http = Http()

    async def embed(self, wanted: llm_pb2.EmbedRequest, definition: Definition) -> Vectors:
        """Returns the vectors of a request; raises `ProviderError`."""
        _check(wanted, definition)
        secret = api_key(_config(definition))
        texts = [text[:MAX_CHARS] for text in wanted.texts]
        google = definition.type == "google"
        request = (_of_google if google else _of_openai)(wanted, definition, texts, secret)
        document: dict[str, Any] = {}
        try:
            async with aclosing(self._http.events(request)) as events:
                async for document in events:  # noqa: B007 - there is one
                    break
        except Exception as error:
            raise translate(error, secret) from error
        return _vectors(document, len(texts))

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()


def _check(wanted: llm_pb2.EmbedRequest, definition: Definition) -> None:
    if definition.type not in _ADDRESSES:
        known = ", ".join(_ADDRESSES)
        raise invalid(f"providers of type {definition.type} make no vectors: name one of type {known}")
    if not 1 <= len(wanted.texts) <= MAX_TEXTS:
        raise invalid(f"a request has 1 to {MAX_TEXTS} texts, not {len(wanted.texts)}")
    if not wanted.model:
        raise invalid("the request names no model that makes vectors")
    if not 0 <= wanted.dimensions <= MAX_DIMENSIONS:
        raise invalid(f"dimensions is {wanted.dimensions}: write 1 to {MAX_DIMENSIONS}")


def _config(definition: Definition) -> Config:
    return Config(provider=definition.type, api_key_env=definition.api_key_env, base_url=definition.base_url)


def _of_openai(wanted: llm_pb2.EmbedRequest, definition: Definition, texts: Sequence[str], secret: str) -> Request:
    body: dict[str, Any] = {"model": wanted.model, "input": texts, "encoding_format": "float"}
    if wanted.dimensions:
        body["dimensions"] = wanted.dimensions
    return Request(
        f"{_base(definition)}/embeddings",
        {"authorization": f"Bearer {secret}", **_HEADERS},
        body,
        secret,
    )


def _of_google(wanted: llm_pb2.EmbedRequest, definition: Definition, texts: Sequence[str], secret: str) -> Request:
    name = f"models/{wanted.model.removeprefix('models/')}"
    options: dict[str, Any] = {"model": name}
    if task := _TASKS.get(wanted.purpose):
        options["taskType"] = task
    if wanted.dimensions:
        options["outputDimensionality"] = wanted.dimensions
    requests = [{**options, "content": {"parts": [{"text": text}]}} for text in texts]
    return Request(
        f"{_base(definition)}/v1beta/{name}:batchEmbedContents",
        {"x-goog-api-key": secret, **_HEADERS},
        {"requests": requests},
        secret,
    )


_HEADERS = {"content-type": "application/json", "accept": "application/json", "user-agent": "tarsy-llm-service"}


def _base(definition: Definition) -> str:
    return (definition.base_url or _ADDRESSES[definition.type]).rstrip("/")


def _vectors(document: dict[str, Any], expected: int) -> Vectors:
    """Reads the answer of either protocol."""
    of_openai = [as_object(one) for one in as_list(document.get("data"))]
    if all(isinstance(one.get("index"), int) for one in of_openai):
        of_openai.sort(key=lambda one: one["index"])
    found = [as_list(one.get("embedding")) for one in of_openai]
    found = found or [as_list(as_object(one).get("values")) for one in as_list(document.get("embeddings"))]
    if len(found) != expected:
        raise _unusable(f"{len(found)} vectors for {expected} texts")
    sizes = {len(one) for one in found}
    if len(sizes) != 1 or not 1 <= max(sizes) <= MAX_DIMENSIONS:
        raise _unusable(f"vectors of {', '.join(str(size) for size in sorted(sizes))} numbers")
    if not all(_is_number(number) for one in found for number in one):
        raise _unusable("something in a vector that is no number")
    usage = as_object(document.get("usage")) or as_object(document.get("usageMetadata"))
    return Vectors(found, count(usage, "prompt_tokens", "promptTokenCount", "total_tokens", "totalTokenCount"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _unusable(what: str) -> ProviderError:
    message = f"the provider answered with {what}: check the model and base_url"
    return ProviderError(ErrorCode.PROVIDER_ERROR, message)
