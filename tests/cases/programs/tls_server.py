"""An HTTPS service. Arguments: port, certificate and key in one file."""

import http.server
import logging
import ssl
import sys

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)


class Server(http.server.ThreadingHTTPServer):
    def get_request(self):  # noqa: ANN201
        connection, address = super().get_request()
        try:
            return context.wrap_socket(connection, server_side=True), address
        except OSError as error:
            logging.error("a client ended the handshake: %s", error)
            raise


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2])
server = Server(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
logging.info("listening on port %s with the certificate %s", sys.argv[1], sys.argv[2])
server.serve_forever()
