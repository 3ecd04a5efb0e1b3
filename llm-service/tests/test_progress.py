"""Progress of a prompt, as servers report it before the first token."""

import asyncio
import json
from typing import Any

import pytest

from conftest import collect, only, text_of
from llm_service.providers.progress import Progress
from recorded import completion
from sse import SseServer
from vendors import CHAT, RESPONSES


def report(processed: object, total: object = 1000) -> dict[str, Any]:
    return {**completion({}), "choices": [], "prompt_progress": {"total": total, "cache": 0, "processed": processed}}


def percents(*events: dict[str, Any]) -> list[str]:
    progress = Progress()
    return [info.details[0][1] for event in events if (info := progress.read(event)) is not None]


def test_only_a_report_that_gets_on_is_a_sign_of_life() -> None:
    assert percents(report(0), report(128), report(128), report(130), report(512), report(100)) == ["12", "13", "51"]
    assert percents(report(2000), report(3000)) == ["100"]


def test_shares_of_other_servers_count_as_well() -> None:
    events = [{"type": "prompt_processing.progress", "progress": share} for share in (0.0, 0.25, 0.25, 1.0)]
    assert percents(*events) == ["25", "100"]


@pytest.mark.parametrize("odd", [None, "x", [], {}, -1, True, 10**30, float("inf")])
def test_odd_reports_are_none(odd: Any) -> None:
    assert percents(
        report(odd, odd), {"prompt_progress": odd}, {"type": "prompt_processing.progress", "progress": odd}
    ) in (
        [],
        ["100"],
    )


async def test_a_prompt_that_is_being_read_does_not_stall(serve: Any) -> None:
    reports = [report(part) for part in range(100, 700, 100)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in (*reports, completion({"content": "Full."}), completion({}, "stop")):
            writer.write(f"data: {json.dumps(event)}\n\n".encode())
            await writer.drain()
            # Slower together than the limit, and each of them faster.
            await asyncio.sleep(0.3)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    chunks = await collect((await serve(stall_seconds=1.2)).Generate(CHAT.ask(url)))
    server.close()
    assert text_of(chunks) == "Full."
    shown = [chunk.response_info.details.get("prompt_percent") for chunk in chunks]
    assert [one for one in shown if one] == ["10", "20", "30", "40", "50", "60"]


async def test_a_failure_while_the_prompt_is_read_interrupts_no_answer(vendor_server: SseServer, serve: Any) -> None:
    vendor_server.play(report(100), {"error": {"code": 503, "message": "out of memory"}})
    error = only(await collect((await serve()).Generate(CHAT.ask(vendor_server.url))), "error")
    assert (error.code, error.retryable) == ("provider_error", True)


@pytest.mark.parametrize("vendor", [CHAT, RESPONSES], ids=str)
async def test_a_server_that_does_not_know_the_option_is_asked_without(
    vendor: Any, vendor_server: SseServer, serve: Any
) -> None:
    vendor_server.status("422 Unprocessable", {"detail": [{"loc": ["body", "return_progress"], "msg": "extra"}]})
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "ok"}]}
    vendor_server.answer(
        {"object": "response", "status": "completed", "output": [item]}
        if vendor is RESPONSES
        else {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}
    )
    assert text_of(await collect((await serve()).Generate(vendor.ask(vendor_server.url)))) == "ok"
    assert ["return_progress" in body for body in vendor_server.bodies] == [True, False]
