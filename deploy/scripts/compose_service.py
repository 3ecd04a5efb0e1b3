"""Prints a part of a service of compose/compose.yaml, one entry a line, for images-test.sh.

compose_service.py FILE SERVICE image | command | environment

FILE has what `docker-compose config --format json` prints. In the environment the names of other services become addresses of this
machine, where the test runs them.
"""

import json
import sys
from pathlib import Path

ADDRESSES = {
    "postgres:5432": "127.0.0.1:20500",
    "nats:4222": "127.0.0.1:20422",
    "llm-service:50051": "127.0.0.1:20051",
    "stream-relay:8080": "127.0.0.1:20081",
    "tool-servers:8080": "127.0.0.1:20082",
}


def local(value: str) -> str:
    for name, address in ADDRESSES.items():
        value = value.replace(name, address)
    return value


def main() -> None:
    file, name, part = sys.argv[1:]
    service = json.loads(Path(file).read_text())["services"][name]
    if part == "image":
        print(service["image"].removesuffix(":local"))
    elif part == "command":
        print("\n".join(service.get("command") or []))
    else:
        for variable, value in service["environment"].items():
            if value:
                print(f"{variable}={local(value)}")


main()
