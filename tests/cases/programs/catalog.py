"""A service: answers every request after a fixed time. Arguments: port, seconds (0), address (127.0.0.1)."""

import http.server
import logging
import signal
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
port, seconds, address = int(sys.argv[1]), float((*sys.argv[2:], "0")[0]), (*sys.argv[3:], "127.0.0.1")[0]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # noqa: N802
        begin = time.monotonic()
        time.sleep(seconds)
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ok\n")
        except BrokenPipeError:
            logging.warning("the client of %s went away", self.path)
        logging.info("GET %s 200 in %.3f s", self.path, time.monotonic() - begin)

    def log_message(self, *_: object) -> None:
        pass


def stop(*_: object) -> None:
    logging.info("SIGTERM: stopping")
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
server = http.server.ThreadingHTTPServer((address, port), Handler)
logging.info("listening on %s:%d", address, port)
server.serve_forever()
