"""A client of the Model Context Protocol by the SDK in Python: begins an investigation, and reads it once it is over.

client.py URL TOKEN prints the tools and the session's id as a line of JSON, waits for a line, and prints what was found.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as tarsy,
    ):
        tools = [tool.name for tool in (await tarsy.list_tools()).tools]
        alert = {"data": "Disk of db-7 is full", "title": "Disk full"}
        started = (await tarsy.call_tool("investigate", alert)).structured_content
        print(json.dumps({"tools": tools, "started": started}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        session = started["session_id"]
        found = (
            await tarsy.call_tool("get_findings", {"session_id": session})
        ).structured_content
        report = await tarsy.read_resource(f"tarsy://sessions/{session}/report")
        print(
            json.dumps({"found": found, "report": report.contents[0].text}), flush=True
        )


asyncio.run(main(*sys.argv[1:]))
