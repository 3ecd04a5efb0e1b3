"""Publishes events to a stream of NATS JetStream. Arguments: port, the stream's limit in bytes (0: does not create it)."""

import json
import logging
import socket
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5)
lines = connection.makefile("rb")
connection.sendall(b'CONNECT {"verbose":false,"headers":false}\r\nSUB answers 1\r\nPING\r\n')


def request(subject: str, body: bytes) -> dict:
    connection.sendall(f"PUB {subject} answers {len(body)}\r\n".encode() + body + b"\r\n")
    while True:
        line = lines.readline()
        if line.startswith(b"PING"):
            connection.sendall(b"PONG\r\n")
        if line.startswith(b"MSG answers"):
            return json.loads(lines.read(int(line.split()[-1]) + 2))


if int(sys.argv[2]):
    stream = {"name": "ORDERS", "subjects": ["orders.*"], "max_bytes": int(sys.argv[2]), "discard": "new", "retention": "workqueue",
              "storage": "file"}
    answer = request("$JS.API.STREAM.CREATE.ORDERS", json.dumps(stream).encode())
    logging.info("stream ORDERS: %s", json.dumps(answer.get("error") or answer["config"]))
order = 0
while True:
    order += 1
    answer = request("orders.new", json.dumps({"order": order, "note": "n" * 4000}).encode())
    if "error" in answer:
        state = request("$JS.API.STREAM.INFO.ORDERS", b"")
        counts = {key: state["state"][key] for key in ("messages", "bytes", "consumer_count")}
        logging.error("order %d is not published: %s; stream ORDERS: %s", order, answer["error"]["description"], json.dumps(counts))
        time.sleep(2)
    elif order % 50 == 0:
        logging.info("order %d is published, sequence %d", order, answer["seq"])
    time.sleep(0.005)
