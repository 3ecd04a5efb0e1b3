"""A cache of sessions without an end of their life. Argument: MiB at which it stops to grow, to spare the machine."""

import logging
import sys
import time
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
sessions: dict[int, bytearray] = {}
most = int(sys.argv[1])
while True:
    if len(sessions) * 20 // 1024 < most:
        for _ in range(1000):
            sessions[len(sessions)] = bytearray(b"s") * (20 << 10)
    rss = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    logging.info("sessions %d, expired 0, evicted 0, resident %d MiB", len(sessions), int(rss.split()[1]) // 1024)
    time.sleep(0.4)
