"""How many turns run at once, and whether another may."""

from collections.abc import Generator
from contextlib import contextmanager

from llm_service import metrics


class Full(Exception):  # noqa: N818 - a state, not a fault
    """No more turns may run now."""


class Admission:
    """Counts the turns that run; belongs to one event loop."""

    def __init__(self, most: int) -> None:
        """Takes how many may run at once."""
        self._most = most
        self._running = 0

    @contextmanager
    def turn(self) -> Generator[None, None, None]:
        """Holds a place for the time of a turn; raises `Full` if there is none."""
        if self._running >= self._most:
            metrics.refused.inc()
            raise Full
        self._running += 1
        metrics.running.inc()
        try:
            yield
        finally:
            self._running -= 1
            metrics.running.dec()
