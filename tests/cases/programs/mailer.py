"""Delivers mails to a host. Arguments: host, port."""

import logging
import socket
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
while True:
    try:
        socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3).close()
        logging.info("a mail was delivered to %s", sys.argv[1])
    except OSError as error:
        logging.error("mails stay in the queue: %s: %s", sys.argv[1], error)
    time.sleep(2)
