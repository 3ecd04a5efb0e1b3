"""Vectors of texts: both protocols, failures, and answers that are none."""

from typing import Any

import grpc
import pytest

from conftest import KEY, KEY_ENV, configured
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.providers.embeddings import MAX_CHARS, MAX_TEXTS
from sse import SseServer


def wanted(provider: str, *texts: str, **fields: Any) -> llm_pb2.EmbedRequest:
    fields.setdefault("model", "a-model")
    return llm_pb2.EmbedRequest(provider=provider, texts=texts, **fields)


def values(answer: llm_pb2.EmbedResponse) -> list[list[float]]:
    return [list(vector.values) for vector in answer.vectors]


async def test_openai_is_asked_once_for_all_texts_and_answers_in_any_order(
    serve: Any, vendor_server: SseServer
) -> None:
    vendor_server.answer(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "index": 1, "embedding": [0.5, -1]},
                {"object": "embedding", "index": 0, "embedding": [1.0, 0.25]},
            ],
            "usage": {"prompt_tokens": 9, "total_tokens": 9},
        }
    )
    name = configured(provider="openai", base_url=f"{vendor_server.url}/v1", api_key_env=KEY_ENV)
    answer = await (await serve()).Embed(wanted(name, "first", "second", dimensions=2))
    assert values(answer) == [[1.0, 0.25], [0.5, -1.0]]
    assert answer.input_tokens == 9
    assert vendor_server.paths == ["/v1/embeddings"]
    assert vendor_server.bodies == [
        {"model": "a-model", "input": ["first", "second"], "encoding_format": "float", "dimensions": 2}
    ]
    assert f"authorization: bearer {KEY}" in vendor_server.heads[0].lower()


async def test_gemini_learns_what_the_texts_are_for(serve: Any, vendor_server: SseServer) -> None:
    vendor_server.answer({"embeddings": [{"values": [1, 0, 0]}]})
    name = configured(provider="google", base_url=vendor_server.url, api_key_env=KEY_ENV)
    query = llm_pb2.EMBED_PURPOSE_QUERY
    answer = await (await serve()).Embed(wanted(name, "x" * (MAX_CHARS + 5), purpose=query, dimensions=3))
    assert values(answer) == [[1.0, 0.0, 0.0]]
    assert vendor_server.paths == ["/v1beta/models/a-model:batchEmbedContents"]
    assert f"x-goog-api-key: {KEY}" in vendor_server.heads[0].lower()
    (one,) = vendor_server.bodies[0]["requests"]
    assert (one["taskType"], one["outputDimensionality"]) == ("RETRIEVAL_QUERY", 3)
    assert one["content"] == {"parts": [{"text": "x" * MAX_CHARS}]}


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ({"data": []}, "0 vectors for 1 texts"),
        ({"data": [{"embedding": []}]}, "vectors of 0 numbers"),
        ({"data": [{"embedding": ["0.5"]}]}, "no number"),
        ({"data": [{"embedding": "AACAPwAAAEA="}]}, "vectors of 0 numbers"),
        ({"choices": []}, "0 vectors for 1 texts"),
    ],
)
async def test_an_answer_without_vectors_is_a_failure(
    serve: Any, vendor_server: SseServer, answered: Any, expected: str
) -> None:
    vendor_server.answer(answered)
    name = configured(provider="openai", base_url=f"{vendor_server.url}/v1", api_key_env=KEY_ENV)
    answer = await (await serve()).Embed(wanted(name, "text"))
    assert not answer.vectors
    assert (answer.error.code, answer.error.retryable) == ("provider_error", False)
    assert expected in answer.error.message


async def test_a_refusal_has_its_reason_and_not_the_key(serve: Any, vendor_server: SseServer) -> None:
    refusal = {"error": {"message": f"Incorrect API key provided: {KEY}", "type": "invalid_request_error"}}
    vendor_server.status("401 Unauthorized", refusal)
    name = configured(provider="openai", base_url=f"{vendor_server.url}/v1", api_key_env=KEY_ENV)
    answer = await (await serve()).Embed(wanted(name, "text"))
    assert answer.error.code == "credentials"
    assert KEY_ENV in answer.error.message
    assert KEY not in answer.error.message


@pytest.mark.parametrize(
    ("fields", "texts", "expected"),
    [
        ({"provider": "anthropic"}, ("text",), "make no vectors"),
        ({"provider": "openai"}, (), "1 to 128 texts"),
        ({"provider": "openai"}, ("text",) * (MAX_TEXTS + 1), "1 to 128 texts"),
    ],
)
async def test_a_request_that_cannot_be_served_is_refused_with_the_reason(
    serve: Any, fields: dict[str, str], texts: tuple[str, ...], expected: str
) -> None:
    name = configured(api_key_env=KEY_ENV, **fields)
    answer = await (await serve()).Embed(wanted(name, *texts))
    assert answer.error.code == "invalid_request"
    assert expected in answer.error.message


async def test_a_provider_that_is_not_configured_is_not_found(serve: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await (await serve()).Embed(wanted("nobody", "text"))
    assert failed.value.code() == grpc.StatusCode.NOT_FOUND
