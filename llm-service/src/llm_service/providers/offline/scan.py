"""Finds the few items of a large result that are worth evaluating, at the speed of a text search."""

from bisect import bisect_right
from itertools import accumulate

from llm_service.providers.offline.evidence import Item

MAX_LENGTH = 2000
# Each rule of `rules.py` needs one of these in the text; a line without any matches none of them.
_SIGNAL_WORDS = (
    "oom", "out of memory", "killed process", "allocate memory", "heap space", "no space left", "enospc",
    "quota", "disk full", "i/o error", "read-only file", "corrupt", "medium error", "error", "back-off",
    "backoff", "errimagepull", "failed", "manifest unknown", "exhausted", "too many", "remaining connection",
    "unable to create", "panic", "segfault", "fault", "core dumped", "fatal", "overflow", "certificate", "x509",
    "handshake", "blocked for", "hung_task", "lockup", "mce", "deadlock", "lock", "no such host", "not known",
    "nxdomain", "servfail", "resolution", "connection", "econn", "no route", "unreachable", "broken pipe",
    "time", "deadline", "slow ", "took too", "throttl", "rate limit", "probe", "unhealthy", "health", "running",
    "scheduling", "insufficient", "evict", "unschedul", "failedmount", "denied", "forbidden", "unauthori",
    "fail", "process exited", "repeated too", "exception", "traceback", "critical", "severe", "http", "status",
    "get", "post", "put", "warn", "%", "load average", "exit", "e0", "e1",
)  # fmt: skip
_CHANGE_WORDS = (
    "deploy", "roll", "restart", "upgrad", "downgrad", "installed", "config", "scal", "migrat", "new ",
    "revision", "systemd[1]", "start", "linux version", "booting", "shutting", "sigterm", "version",
)  # fmt: skip


class Scan:
    """The items of one analysis, with those that contain a significant word."""

    def __init__(self, items: list[Item]) -> None:
        """Searches all items at once."""
        self.items = items
        texts = [item.text[:MAX_LENGTH].lower() for item in items]
        self._joined = "\n".join(texts)
        self._starts = [0, *accumulate(len(text) + 1 for text in texts)]
        self.loud = self._holding(_SIGNAL_WORDS)
        self.changing = self._holding(_CHANGE_WORDS)

    def _holding(self, words: tuple[str, ...]) -> set[int]:
        """Returns the indices of the items that contain one of the words."""
        found: set[int] = set()
        for word in words:
            at = self._joined.find(word)
            while at >= 0:
                index = bisect_right(self._starts, at) - 1
                found.add(index)
                at = self._joined.find(word, self._starts[index + 1])
        return found
