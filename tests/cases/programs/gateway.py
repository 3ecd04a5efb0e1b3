"""A gateway that keeps the connection of each client. Argument: port."""

import logging
import resource
import socket
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
server = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=256)
logging.info("listening on port %s", sys.argv[1])
clients = []
while True:
    try:
        clients.append(server.accept()[0])
        if len(clients) % 10 == 0:
            logging.info("%d clients are connected", len(clients))
    except OSError as error:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        logging.error("cannot accept a client: %s (%d clients, limit of descriptors %d)", error, len(clients), limit)
        time.sleep(2)
