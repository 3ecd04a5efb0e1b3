"""Limits how many turns run at once."""

from collections.abc import Generator
from contextlib import contextmanager

from llm_service import metrics


class AtCapacity(Exception):  # noqa: N818 - a state, not a fault
    """No more turns may run now."""


class Admission:
    """Counts the running turns; belongs to one event loop."""

    def __init__(self, max_turns: int) -> None:
        """Starts without running turns."""
        self._max_turns = max_turns
        self._running = 0

    @contextmanager
    def turn(self) -> Generator[None, None, None]:
        """Counts a turn while it runs; raises `AtCapacity` if there are `max_turns` already."""
        if self._running >= self._max_turns:
            metrics.refused.inc()
            raise AtCapacity
        self._running += 1
        metrics.running.inc()
        try:
            yield
        finally:
            self._running -= 1
            metrics.running.dec()
