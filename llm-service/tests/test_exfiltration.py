"""Callers cannot choose a variable or an address: both are in the configuration of the service."""

from typing import Any

import grpc
import pytest

from conftest import KEY
from llm_service.gen.llm.v1 import llm_pb2
from sse import SseServer

SECRET = "unmistakable0123456789"
GENERATE = "/llm.v1.LLMService/Generate"


def field(number: int, content: bytes) -> bytes:
    """A field of a protobuf message with a content of less than 16 KiB."""
    length = bytes([len(content) & 0x7F | 0x80, len(content) >> 7])
    return bytes([number << 3 | 2]) + length + content


def turn_with(config: bytes) -> bytes:
    """A request as bytes: what the contract has no name for can still be sent."""
    message = llm_pb2.ConversationMessage(role="user", content="hello")
    return field(2, message.SerializeToString()) + field(3, config)


@pytest.mark.parametrize("provider", [b"openai", b"openai-default"])
async def test_a_caller_cannot_have_a_variable_sent_to_an_address(
    provider: bytes, serve: Any, vendor_server: SseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fields 1 to 5 and 8 to 10 as they were when callers described the provider."""
    monkeypatch.setenv("DATABASE_URL", SECRET)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = (
        field(1, provider)
        + field(2, b"gpt-4o")
        + field(3, b"DATABASE_URL")
        + field(4, b"DATABASE_URL")
        + field(5, f"{vendor_server.url}/v1".encode())
        + field(8, b"project")
        + field(9, b"location")
        + field(10, b"langchain")
    )
    for named in (b"", field(11, provider)):
        stub = await serve()
        call = stub.channel.unary_stream(GENERATE, response_deserializer=llm_pb2.GenerateResponse.FromString)
        chunks: list[llm_pb2.GenerateResponse] = []
        try:
            chunks = [chunk async for chunk in call(turn_with(config + named))]
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.NOT_FOUND  # noqa: PT017 - a turn may also end with an error chunk
        assert not vendor_server.heads, "the service connected to the caller's address"
        everything = f"{vendor_server.heads} {chunks}"
        assert SECRET not in everything
        assert KEY not in everything
