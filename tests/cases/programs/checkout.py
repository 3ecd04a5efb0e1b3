"""Pays orders through the service of PAYMENTS_URL."""

import logging
import os
import sys
import time
import urllib.error
import urllib.request

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
url = os.environ["PAYMENTS_URL"]
logging.info("configuration: PAYMENTS_URL=%s", url)
order = 4100
while True:
    order += 1
    try:
        with urllib.request.urlopen(f"{url}/pay/{order}", timeout=2) as answer:
            logging.info("order %d is paid: %d", order, answer.status)
    except urllib.error.URLError as error:
        logging.error("order %d is not paid: %s: %s", order, url, error.reason)
    time.sleep(1)
