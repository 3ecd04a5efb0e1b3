"""Accepts the tokens of the issuer. Argument: the file with the newest one."""

import hashlib
import hmac
import json
import logging
import sys
import time
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
while True:
    token = json.loads(Path(sys.argv[1]).read_text())
    expected = hmac.new(b"cases", token["claims"].encode(), hashlib.sha256).hexdigest()
    issued, now = json.loads(token["claims"])["iat"], int(time.time())
    if not hmac.compare_digest(expected, token["signature"]):
        logging.error("login refused: the signature is wrong")
    elif issued > now + 30:
        logging.error("login refused: the token is not yet valid (iat): issued at %d, now is %d", issued, now)
    else:
        logging.info("login accepted")
    time.sleep(1)
