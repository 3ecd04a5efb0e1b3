"""Signs releases with a key. Argument: the key. It tries again every two seconds."""

import hashlib
import hmac
import logging
import os
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
logging.info("runs as uid %d", os.getuid())
while True:
    try:
        with open(sys.argv[1], "rb") as key:
            logging.info("signed %s", hmac.new(key.read(), b"release", hashlib.sha256).hexdigest()[:12])
    except OSError as error:
        logging.error("the release is not signed: %s", error)
    time.sleep(2)
