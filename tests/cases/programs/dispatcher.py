"""Starts a program for each job, and never waits for its end."""

import logging
import os
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
job = 0
while True:
    try:
        job += 1
        pid = os.posix_spawn("/bin/true", ["/bin/true", f"job-{job}"], os.environ)
        if job % 10 == 0:
            logging.info("job %d is process %d", job, pid)
    except OSError as error:
        logging.error("job %d is not started: %s", job, error)
        time.sleep(2)
    time.sleep(0.05)
