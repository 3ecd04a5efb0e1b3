"""Keeps a cache file open. Argument: its path. The file is filled at once, and never closed."""

import logging
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
cache = open(sys.argv[1], "wb")
cache.write(b"t" * (20 << 20))
cache.flush()
logging.info("cache %s has 20 MiB", sys.argv[1])
time.sleep(3600)
