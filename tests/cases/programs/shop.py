"""A service whose log is at the level DEBUG. Arguments: the log, the file of the cart."""

import logging
import sys
import time

logging.raiseExceptions = False
logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.DEBUG, filename=sys.argv[1])
out = logging.StreamHandler(sys.stdout)
out.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
out.setLevel(logging.INFO)
logging.getLogger().addHandler(out)
logging.info("log level is DEBUG, log file is %s", sys.argv[1])
for request in range(1, 200_000):
    for step in range(40):
        logging.debug("request %d step %d headers={'accept': '*/*', 'user-agent': 'probe'} body=%s", request, step, "x" * 400)
    try:
        with open(sys.argv[2], "w") as cart:
            cart.write(str(request) * 2000)
    except OSError as error:
        logging.error("the cart of request %d is not stored: %s", request, error)
        time.sleep(1)
