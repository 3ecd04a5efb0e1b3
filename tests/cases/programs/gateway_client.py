"""Connects to a gateway again and again, and keeps the connections. Arguments: port, number."""

import logging
import socket
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
kept = []
for number in range(int(sys.argv[2])):
    kept.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=2))
    time.sleep(0.02)
logging.info("%d connections are open", len(kept))
time.sleep(3600)
