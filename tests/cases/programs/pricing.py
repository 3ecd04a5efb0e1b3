"""Computes prices: some processor time for each request. Arguments: port, the control group's file cpu.stat."""

import hashlib
import http.server
import logging
import sys
import time
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # noqa: N802
        begin, used = time.monotonic(), time.process_time()
        hashlib.pbkdf2_hmac("sha256", b"price", b"cases", 120_000)
        wall, cpu = time.monotonic() - begin, time.process_time() - used
        counters = dict(line.split() for line in Path(sys.argv[2]).read_text().splitlines())
        logging.warning(
            "GET %s took %.2f s for %.2f s of CPU; cpu.stat: nr_periods %s, nr_throttled %s",
            self.path, wall, cpu, counters["nr_periods"], counters["nr_throttled"],
        )
        try:
            self.send_response(200)
            self.end_headers()
        except BrokenPipeError:
            pass

    def log_message(self, *_: object) -> None:
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
logging.info("listening on port %s", sys.argv[1])
server.serve_forever()
