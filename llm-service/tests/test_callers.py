"""Who may call: tokens, certificates, the socket, and what refuses to listen."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from certificates import Authority
from conftest import CONFIGURED, KEY, ask, collect, configured, text_of
from llm_service.addresses import is_local
from llm_service.callers import Callers
from llm_service.definitions import Definitions
from llm_service.errors import AddressError
from llm_service.gen.llm.v1 import llm_pb2, llm_pb2_grpc
from llm_service.providers.registry import Registry
from llm_service.server import Place, Server
from llm_service.servicer import Servicer
from llm_service.settings import Settings, SettingsError
from scripted import BACKEND, Scripted

TOKEN = "0123456789abcdef0123456789abcdef"


def server_at(address: str, callers: Callers) -> Server:
    return Server(Servicer(Definitions(CONFIGURED), Registry({BACKEND: Scripted()})), Place(address), callers)


@pytest.fixture
async def listen() -> AsyncIterator[Callable[..., Any]]:
    """Starts servers with callers, and returns channels to them."""
    started: list[Server] = []
    channels: list[grpc.aio.Channel] = []

    async def start(
        callers: Callers, address: str = "127.0.0.1:0", tls: grpc.ChannelCredentials | None = None
    ) -> grpc.aio.Channel:
        server = server_at(address, callers)
        await server.start()
        started.append(server)
        target = server.address.replace("127.0.0.1", "localhost")
        channels.append(grpc.aio.secure_channel(target, tls) if tls else grpc.aio.insecure_channel(server.address))
        return channels[-1]

    yield start
    for channel in channels:
        await channel.close()
    for server in started:
        await server.stop(0)


async def refusal(channel: grpc.aio.Channel, **options: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect(llm_pb2_grpc.LLMServiceStub(channel).Generate(ask(), **options))
    return raised.value


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", ""),),
        (("authorization", TOKEN),),
        (("authorization", f"Bearer {TOKEN[:-1]}"),),
        (("authorization", f"Bearer {TOKEN}0"),),
        (("authorization", f"Basic {TOKEN}"),),
        (("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer another")),
    ],
)
async def test_a_caller_without_the_token_is_refused(listen: Any, metadata: Any) -> None:
    error = await refusal(await listen(Callers(token=TOKEN)), metadata=metadata)
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert "LLM_SERVICE_TOKEN" in (error.details() or "")
    assert TOKEN not in (error.details() or "")


async def test_providers_are_listed_for_known_callers_alone(listen: Any) -> None:
    stub = llm_pb2_grpc.LLMServiceStub(await listen(Callers(token=TOKEN)))
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await stub.ListProviders(llm_pb2.ListProvidersRequest())
    assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_provider_is_listed_with_the_variables_that_are_not_set(
    listen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = llm_pb2_grpc.LLMServiceStub(await listen(Callers()))
    names = (
        configured(provider="openai", api_key_env="LISTED_KEY"),
        configured(provider="openai", base_url="http://models:1"),
        configured(provider="openai"),
    )

    async def missing() -> list[list[str]]:
        listed = await stub.ListProviders(llm_pb2.ListProvidersRequest())
        found = {one.name: list(one.missing_variables) for one in listed.providers}
        return [found[name] for name in names]

    assert await missing() == [["LISTED_KEY"], [], ["api_key_env"]]
    monkeypatch.setenv("LISTED_KEY", KEY)
    assert await missing() == [[], [], ["api_key_env"]]


async def test_a_caller_with_the_token_is_served(listen: Any) -> None:
    channel = await listen(Callers(token=TOKEN))
    metadata = (("authorization", f"Bearer {TOKEN}"),)
    assert text_of(await collect(llm_pb2_grpc.LLMServiceStub(channel).Generate(ask(), metadata=metadata)))


async def test_health_needs_no_token(listen: Any) -> None:
    health = health_pb2_grpc.HealthStub(await listen(Callers(token=TOKEN)))
    assert (await health.Check(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING


async def test_with_an_authority_a_caller_needs_a_certificate_of_it(listen: Any, tmp_path: Path) -> None:
    ours, other = Authority(tmp_path, "ours"), Authority(tmp_path, "other")
    cert, key = ours.issue("llm-service")
    callers = Callers(cert=cert, key=key, ca=ours.path)
    root = Path(ours.path).read_bytes()  # noqa: ASYNC240 - a small file

    def presenting(authority: Authority | None) -> grpc.ChannelCredentials:
        if authority is None:
            return grpc.ssl_channel_credentials(root)
        cert, key = (Path(path).read_bytes() for path in authority.issue("orchestrator"))
        return grpc.ssl_channel_credentials(root, key, cert)

    channel = await listen(callers, tls=presenting(ours))
    assert text_of(await collect(llm_pb2_grpc.LLMServiceStub(channel).Generate(ask())))
    for stranger in (None, other):
        error = await refusal(await listen(callers, tls=presenting(stranger)))
        assert error.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_socket_is_for_its_user_alone(listen: Any, tmp_path: Path) -> None:
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    socket = folder / "llm.sock"
    channel = await listen(Callers(), f"unix:{socket}")
    assert socket.stat().st_mode & 0o777 == 0o600
    assert text_of(await collect(llm_pb2_grpc.LLMServiceStub(channel).Generate(ask())))


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o777])
async def test_a_folder_that_others_may_enter_is_no_place_for_a_socket(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(AddressError, match="chmod 700"):
        server_at(f"unix:{folder}/llm.sock", Callers())


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "llm-service:0", "10.0.0.1:0"])
async def test_an_open_address_needs_identified_callers(address: str) -> None:
    assert not is_local(address)
    with pytest.raises(AddressError, match="LLM_SERVICE_TOKEN"):
        server_at(address, Callers())
    with pytest.raises(AddressError, match="LLM_SERVICE_TLS_CA"):
        server_at(address, Callers(cert="a.pem", key="a.key"))


async def test_an_open_address_is_listened_on_with_a_token() -> None:
    server = server_at("0.0.0.0:0", Callers(token=TOKEN))
    assert not server.address.endswith(":0")
    await server.stop(0)


async def test_callers_are_answered_over_ipv6(listen: Callable[..., Any]) -> None:
    channel = await listen(Callers(), "[::1]:0")
    answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=10)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/run/llm.sock"])
def test_loopback_and_sockets_are_local(address: str) -> None:
    assert is_local(address)


def test_a_token_comes_from_a_variable_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    assert Settings.from_env({"LLM_SERVICE_TOKEN": TOKEN}).token == TOKEN
    assert Settings.from_env({"LLM_SERVICE_TOKEN_FILE": str(path)}).token == TOKEN
    assert TOKEN not in repr(Settings.from_env({"LLM_SERVICE_TOKEN": TOKEN}))
    assert TOKEN not in repr(Callers(token=TOKEN))


@pytest.mark.parametrize(
    "env",
    [
        {"LLM_SERVICE_TOKEN": TOKEN[1:]},
        {"LLM_SERVICE_TOKEN": f"{TOKEN} {TOKEN}"},
        {"LLM_SERVICE_TOKEN": TOKEN, "LLM_SERVICE_TOKEN_FILE": "/nowhere"},
        {"LLM_SERVICE_TOKEN_FILE": "/nowhere"},
        {"LLM_SERVICE_TOKEN_FILE": "/dev/null"},
        {"LLM_SERVICE_TLS_CERT": "a.pem"},
        {"LLM_SERVICE_TLS_KEY": "a.key"},
        {"LLM_SERVICE_TLS_CA": "ca.pem"},
    ],
)
def test_half_a_protection_is_refused_without_printing_the_token(env: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(env)
    assert next(iter(env)).rsplit("_", 1)[0] in str(raised.value)
    assert TOKEN[1:] not in str(raised.value)
