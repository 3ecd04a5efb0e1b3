"""Several workers behind one address: who is restarted, who ends, and what is reported of all of them."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import vendors
from conftest import collect, text_of
from llm_service import cpus, supervisor
from llm_service.errors import AddressError
from llm_service.gen.llm.v1 import llm_pb2_grpc
from llm_service.ports import reserve
from llm_service.settings import Settings
from llm_service.supervisor import Supervisor, pause
from llm_service.totals import Totals
from replicas import SOURCE, TIMEOUT_SECONDS, Replica, get

READY = "print('ready', flush=True); import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {READY}"


@asynccontextmanager
async def to_each_worker(one: Replica, count: int) -> AsyncIterator[list[llm_pb2_grpc.LLMServiceStub]]:
    """A stub for each worker: connections are opened until all have been reached."""
    found: dict[str, grpc.aio.Channel] = {}
    opened: list[grpc.aio.Channel] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while len(found) < count:
            # Channels share connections otherwise.
            channel = grpc.aio.insecure_channel(one.address, options=(("grpc.use_local_subchannel_pool", 1),))
            opened.append(channel)
            call = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            headers = dict(await call.initial_metadata())
            assert headers["tarsy-workers"] == str(count)
            assert (await call).status == health_pb2.HealthCheckResponse.SERVING
            found.setdefault(str(headers["tarsy-worker"]), channel)
    yield [llm_pb2_grpc.LLMServiceStub(channel) for channel in found.values()]
    for channel in opened:
        await channel.close()


async def wait_for(one: Replica, name: str, value: float) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while await one.metric(name) != value:
            pass


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


async def is_gone(pid: int) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        with suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
                await asyncio.sleep(0.02)  # another process's child announces nothing


async def test_a_killed_worker_is_restarted_and_the_others_go_on(replica: Any, aimock: int) -> None:
    request = vendors.CHAT.ask(f"http://127.0.0.1:{aimock}", "endlessly")
    one = await replica(LLM_SERVICE_WORKERS="2")
    async with to_each_worker(one, 2) as stubs:
        streams = [stub.Generate(request) for stub in stubs]
        for stream in streams:
            await anext(aiter(stream))
        assert await one.metric("tarsy_llm_service_turns_running") == 2
        killed, left = one.workers()
        os.kill(killed, signal.SIGKILL)
        await wait_for(one, "tarsy_llm_service_worker_restarts_total", 1)
        await wait_for(one, "tarsy_llm_service_workers", 2)
        assert left in one.workers()
        assert killed not in one.workers()
        assert await one.metric("tarsy_llm_service_turns_running") == 1, "that of the killed one no longer counts"
        reading = [asyncio.create_task(collect(stream)) for stream in streams]
        (cut,), (going_on,) = await asyncio.wait(reading, return_when=asyncio.FIRST_COMPLETED)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await cut
        assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
        going_on.cancel()
    assert "a worker ended and is started again" in await one.end()


async def test_metrics_are_those_of_all_workers_together(replica: Any, aimock: int) -> None:
    request = vendors.CHAT.ask(f"http://127.0.0.1:{aimock}", "speak")
    one = await replica(LLM_SERVICE_WORKERS="2")
    async with to_each_worker(one, 2) as stubs:
        for stub in (*stubs, stubs[0]):
            assert text_of(await collect(stub.Generate(request)))
        assert await one.metric("tarsy_llm_service_turns_total") == 3
        assert await one.metric("tarsy_llm_service_turn_duration_seconds_count") == 3
        assert await one.metric("tarsy_llm_service_turns_running") == 0
        assert await one.metric("tarsy_llm_service_workers") == 2
        of_workers = sum(map(resident_bytes, one.workers()))
        assert await one.metric("process_resident_memory_bytes") > of_workers


async def test_turns_end_before_the_service_does(replica: Any, aimock: int) -> None:
    request = vendors.CHAT.ask(f"http://127.0.0.1:{aimock}", "endlessly")
    one = await replica(LLM_SERVICE_WORKERS="2", LLM_SERVICE_GRACE_SECONDS="60")
    async with to_each_worker(one, 2) as stubs:
        streams = [stub.Generate(request) for stub in stubs]
        for stream in streams:
            await anext(aiter(stream))
        one.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while (await get(f"{one.admin}/readyz"))[0] != 503:
                pass
        for stream in streams:
            assert await anext(aiter(stream)), "a running turn goes on"
        for stream in streams:
            stream.cancel()
        assert await asyncio.wait_for(one.process.wait(), TIMEOUT_SECONDS) == 0


async def test_workers_end_with_a_supervisor_that_was_killed(replica: Any) -> None:
    one = await replica(LLM_SERVICE_WORKERS="2")
    workers = one.workers()
    assert len(workers) == 2
    one.process.kill()
    for pid in workers:
        await is_gone(pid)


async def fails(**env: str) -> str:
    """What a service writes that cannot start."""
    env = {"LLM_SERVICE_WORKERS": "2", "LLM_SERVICE_ADDR": "127.0.0.1:0", **env}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "llm_service.main"),
        env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_SECONDS)
    assert process.returncode == 2
    return errors.decode()


async def test_a_port_that_another_service_has_is_refused(replica: Any) -> None:
    one = await replica(LLM_SERVICE_WORKERS="2")
    written = await fails(LLM_SERVICE_ADDR=one.address)
    assert written == f"llm-service cannot start: cannot listen on {one.address}: Address already in use\n"


async def test_what_only_workers_can_find_ends_the_service_too(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.pem")
    written = await fails(LLM_SERVICE_TLS_CERT=missing, LLM_SERVICE_TLS_KEY=missing)
    assert f"cannot read the certificate file {missing}" in written
    assert "started again" not in written


async def test_each_worker_has_a_socket_of_its_own(replica: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    one = await replica(LLM_SERVICE_WORKERS="2", LLM_SERVICE_ADDR=f"unix:{folder}/s")
    assert sorted(path.name for path in folder.iterdir()) == ["s", "s.2"]
    for path in folder.iterdir():
        async with grpc.aio.insecure_channel(f"unix:{path}") as channel:
            call = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert dict(await call.initial_metadata())["tarsy-workers"] == "1"
    assert await one.metric("tarsy_llm_service_workers") == 2


def supervised(*scripts: str, ended: list[int] | None = None) -> tuple[Supervisor, asyncio.Event]:
    """A supervisor of small programs, and whether all of them serve."""
    ready = asyncio.Event()
    commands = [[sys.executable, "-c", script] for script in scripts]
    return Supervisor(commands, dict(os.environ), ready.set, (ended if ended is not None else []).append), ready


def test_pauses_grow_until_there_is_no_further_start() -> None:
    assert [pause(failures) for failures in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 8.0, None]


async def test_a_worker_that_ends_again_and_again_ends_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.01)
    ended: list[int] = []
    keeper, ready = supervised(READY, "raise SystemExit(3)", ended=ended)
    assert await asyncio.wait_for(keeper.run(0), TIMEOUT_SECONDS) == 1
    assert keeper.restarts == supervisor.MOST_FAILURES - 1
    assert len(set(ended)) == supervisor.MOST_FAILURES + 1
    assert not ready.is_set()
    assert keeper.pids == []


async def test_a_worker_that_served_for_long_begins_to_count_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", 0.0)
    count = tmp_path / "count"
    often = supervisor.MOST_FAILURES + 2
    script = f"f = open({str(count)!r}, 'a+'); f.write('x'); f.close()\nif len(open({str(count)!r}).read()) > {often}:\n {READY}"
    keeper, ready = supervised(script)
    run = asyncio.create_task(keeper.run(0))
    await asyncio.wait_for(ready.wait(), TIMEOUT_SECONDS)
    assert keeper.restarts == often
    assert keeper.ready == 1
    keeper.stop()
    assert keeper.ready == 0
    assert await asyncio.wait_for(run, TIMEOUT_SECONDS) == 0


async def test_a_worker_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "STOP_MARGIN", 0.1)
    keeper, ready = supervised(STUBBORN)
    run = asyncio.create_task(keeper.run(0))
    await asyncio.wait_for(ready.wait(), TIMEOUT_SECONDS)
    keeper.stop()
    assert await asyncio.wait_for(run, TIMEOUT_SECONDS) == 0
    assert keeper.pids == []


async def test_a_worker_that_never_serves_is_killed_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "START_SECONDS", 0.1)
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.0)
    keeper, _ = supervised("import time; time.sleep(600)")
    assert await asyncio.wait_for(keeper.run(0), TIMEOUT_SECONDS) == 1
    assert keeper.restarts == supervisor.MOST_FAILURES - 1


async def test_a_stop_before_the_first_start_ends_what_is_started() -> None:
    keeper, ready = supervised(READY)
    keeper.stop()
    assert await asyncio.wait_for(keeper.run(0), TIMEOUT_SECONDS) == 0
    assert not ready.is_set()


async def test_a_stop_while_a_worker_waits_to_be_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 600.0)
    monkeypatch.setattr(supervisor, "LONGEST_PAUSE", 600.0)
    ended = asyncio.Event()
    keeper = Supervisor([[sys.executable, "-c", ""]], dict(os.environ), lambda: None, lambda _: ended.set())
    run = asyncio.create_task(keeper.run(0))
    await asyncio.wait_for(ended.wait(), TIMEOUT_SECONDS)
    keeper.stop()
    assert await asyncio.wait_for(run, TIMEOUT_SECONDS) == 0


def test_a_process_that_is_gone_is_left_out_of_the_sums(tmp_path: Path) -> None:
    class Gone:
        pids = (2**22 + 1,)
        ready = 0
        restarts = 4

    totals = Totals(tmp_path)
    totals.watch(Gone())
    text = totals.text().decode()
    assert "tarsy_llm_service_worker_restarts_total 4.0" in text
    assert "process_resident_memory_bytes" in text


def test_there_are_as_many_workers_as_set_or_as_processors() -> None:
    assert Settings(workers=3).worker_count() == 3
    assert Settings.from_env({"LLM_SERVICE_WORKERS": "5"}).worker_count() == 5
    assert Settings().worker_count() == min(cpus.allowed(), 8)
    assert Settings(workers=3, max_turns=128).max_turns_of_each() == 43


@pytest.mark.parametrize(
    ("group", "files", "expected"),
    [
        ("0::/", {"cpu.max": "max 100000"}, None),
        ("0::/", {"cpu.max": "50000 100000"}, 1),
        ("0::/", {}, None),
        ("0::/", {"cpu.max": "rubbish"}, None),
        # A group around it has the quota.
        ("0::/pods/one", {"pods/cpu.max": "100000 100000", "pods/one/cpu.max": "max 100000"}, 1),
        # The host's path, which does not exist in the container.
        ("0::/kubepods/gone", {"cpu.max": "100000 100000"}, 1),
        ("4:cpu,cpuacct:/", {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "100000"}, 1),
        ("4:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("4:memory:/", {"cpu/cpu.cfs_quota_us": "1", "cpu/cpu.cfs_period_us": "100000"}, None),
    ],
)
def test_quotas_of_control_groups_are_respected(
    tmp_path: Path, group: str, files: dict[str, str], expected: int | None
) -> None:
    own = tmp_path / "own"
    own.write_text(f"{group}\n")
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    scheduled = len(os.sched_getaffinity(0))
    assert cpus.allowed(tmp_path / "root", own) == (scheduled if expected is None else min(expected, scheduled))
    assert cpus.allowed(tmp_path / "root", tmp_path / "missing") == scheduled


def test_a_reserved_port_is_nobody_elses() -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(AddressError, match="Address already in use"):
            reserve(taken)
    first = reserve("127.0.0.1:0")
    assert first.of(0) == first.of(1) == first.address != "127.0.0.1:0"
    with pytest.raises(AddressError, match=first.address):
        reserve(first.address)
    first.close()
    again = reserve(first.address)
    again.close()
    with pytest.raises(AddressError, match=r"cannot listen on nowhere\.invalid:1"):
        reserve("nowhere.invalid:1")


@pytest.mark.parametrize("text", ["[::1]:0", ":0"])
def test_an_address_of_ipv6_is_reached(text: str) -> None:
    reserved = reserve(Settings.from_env({"LLM_SERVICE_ADDR": text}).address)
    assert reserved.socket is not None
    reserved.socket.listen()
    with socket.create_connection(("::1", int(reserved.address.rpartition(":")[2])), timeout=5):
        pass
    reserved.close()


def test_workers_of_a_socket_have_files_beside_each_other() -> None:
    reserved = reserve("unix:/run/llm.sock")
    assert [reserved.of(worker) for worker in range(3)] == [
        "unix:/run/llm.sock",
        "unix:/run/llm.sock.2",
        "unix:/run/llm.sock.3",
    ]
    reserved.close()
