"""Structured logs on stderr: one JSON object a line, without prompts, tool output or keys."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from llm_service.scrub import scrub

Logger = structlog.typing.FilteringBoundLogger


def configure(level: str) -> None:
    """Configures structlog, and forwards the errors of other libraries to it."""
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _scrubbed,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [_Forwarder()]
    root.setLevel(logging.ERROR)


def logger() -> Logger:
    """Returns the process's logger."""
    return structlog.get_logger()


def _scrubbed(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = scrub(value)
    return event


class _Forwarder(logging.Handler):
    """Forwards only the name of a library's record: its message may contain a prompt."""

    def emit(self, record: logging.LogRecord) -> None:
        failure = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        logger().error("a library reported an error", library=record.name, line=record.lineno, error=failure)
