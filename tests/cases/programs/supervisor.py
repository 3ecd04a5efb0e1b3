"""Starts a program again when it ends. Arguments: how often, then the command."""

import logging
import subprocess
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
name = sys.argv[2].rsplit("/", 1)[-1]
for start in range(1, int(sys.argv[1]) + 1):
    logging.info("starting %s, start %d", name, start)
    try:
        status = subprocess.call(sys.argv[2:])
    except OSError as error:
        logging.error("%s was not started: %s", name, error)
        time.sleep(1)
        continue
    how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
    logging.error("%s %s", name, how)
    time.sleep(1)
logging.error("%s is not started again after %s starts", name, sys.argv[1])
time.sleep(3600)
