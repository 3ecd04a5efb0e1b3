"""Writes an invoice for each order of a file. Argument: the file."""

import json
import logging
import sys
from pathlib import Path

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)


def total(order: dict) -> str:
    return f"{order['amount']} {order['currency']}"


for line in Path(sys.argv[1]).read_text().splitlines():
    order = json.loads(line)
    logging.info("order %s: %s", order["id"], total(order))
