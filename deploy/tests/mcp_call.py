"""Calls a tool of an MCP server over HTTP, and prints the texts of its result: `mcp_call.py URL TOKEN TOOL ARGUMENTS`.

A program of its own, with nothing but Python: it runs in the network of a pod.
"""

import json
import sys
import urllib.request
from typing import Any

VERSION = "2025-06-18"


def main(url: str, token: str, tool: str, arguments: str) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": VERSION}

    def ask(method: str, params: dict[str, Any], number: int | None = None) -> Any:
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - of the test
        with urllib.request.urlopen(request, timeout=90) as answer:  # noqa: S310 - as above
            if session := answer.headers.get("Mcp-Session-Id"):
                headers["Mcp-Session-Id"] = session
            return next((read(line, number) for line in answer if read(line, number)), None) if number else None

    about = {"name": "test", "version": "1"}
    ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": about}, 1)
    ask("notifications/initialized", {})
    result = ask("tools/call", {"name": tool, "arguments": json.loads(arguments)}, 2)
    sys.stdout.write("\n".join(one.get("text", "") for one in result["content"]))
    sys.exit(1 if result.get("isError") else 0)


def read(line: bytes, number: int) -> Any:
    """The result in a line of an answer, or of a stream of events, if it has that of the request."""
    try:
        message = json.loads(line.removeprefix(b"data:"))
    except ValueError:
        return None
    if message.get("id") != number:
        return None
    assert "result" in message, message
    return message["result"]


if __name__ == "__main__":
    main(*sys.argv[1:])
