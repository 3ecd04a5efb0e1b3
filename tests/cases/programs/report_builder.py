"""Builds a report in memory. Argument: its size in MiB."""

import logging
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
rows = []
for part in range(int(sys.argv[1]) // 8):
    rows.append(bytearray(b"r") * (8 << 20))
    logging.info("report of November: %d MiB read", (part + 1) * 8)
    time.sleep(0.05)
logging.info("report of November: done")
