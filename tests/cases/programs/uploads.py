"""Stores uploads of 1 MiB in a folder until it cannot. Argument: the folder."""

import itertools
import logging
import sys
import time
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
for number in itertools.count(1):
    path = Path(sys.argv[1]) / f"upload-{number:03}.bin"
    try:
        path.write_bytes(b"u" * (1 << 20))
        logging.info("stored %s", path)
    except OSError as error:
        path.unlink(missing_ok=True)
        logging.error("could not store %s: %s", path, error)
        time.sleep(2)
    time.sleep(0.2)
