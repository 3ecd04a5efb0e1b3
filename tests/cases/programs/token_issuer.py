"""Issues a signed token each second into a file, with the time of its own clock. Argument: the file."""

import hashlib
import hmac
import json
import logging
import os
import sys
import time
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
while True:
    claims = json.dumps({"sub": "web", "iat": int(time.time())})
    signature = hmac.new(b"cases", claims.encode(), hashlib.sha256).hexdigest()
    new = Path(sys.argv[1] + ".new")
    new.write_text(json.dumps({"claims": claims, "signature": signature}))
    os.replace(new, sys.argv[1])
    logging.info("issued a token: %s", claims)
    time.sleep(1)
