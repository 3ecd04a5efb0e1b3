"""A forwarder of DNS queries. Argument: the address of its upstream, to which each query goes; answers go back."""

import logging
import socket
import sys

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
upstream = (sys.argv[1], 53)
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.53", 53))
logging.info("listening on 127.0.0.53:53, upstream %s:53", sys.argv[1])
while True:
    query, client = server.recvfrom(1500)
    forward = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    forward.settimeout(2)
    try:
        forward.sendto(query, upstream)
        server.sendto(forward.recvfrom(1500)[0], client)
    except OSError as error:
        logging.warning("a query was not answered by %s: %s", sys.argv[1], error)
    forward.close()
