"""A client: requests an address each second and logs the answer. Arguments: URL, timeout in seconds (2)."""

import logging
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
url, timeout = sys.argv[1], float((*sys.argv[2:], "2")[0])
context = ssl.create_default_context(cafile=os.environ.get("CA_FILE")) if url.startswith("https") else None

while True:
    begin = time.monotonic()
    try:
        with urllib.request.urlopen(url, timeout=timeout, context=context) as answer:
            logging.info("%s answered %d in %.3f s", url, answer.status, time.monotonic() - begin)
    except (urllib.error.URLError, TimeoutError) as error:
        reason = getattr(error, "reason", error)
        logging.error("%s failed after %.3f s: %s", url, time.monotonic() - begin, reason)
    time.sleep(1)
