"""The tokens of a turn, as a server reports them along its stream."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from llm_service.chunks import Usage


@dataclass(frozen=True, slots=True)
class Report:
    """What one event reports."""

    input: int = 0
    output: int = 0
    thinking: int = 0
    cached: int = 0
    total: int = 0
    after_output: bool = True
    """Whether something of the answer came since the report before."""


class Reports:
    """The reports of one stream: running totals of most servers, increments of some."""

    def __init__(self) -> None:
        """Starts without a report."""
        self._reports: list[Report] = []

    def add(self, report: Report) -> None:
        """Takes what one event reports; nothing at all is no report."""
        if report.input or report.output or report.total:
            self._reports.append(report)

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn, as far as they were reported."""
        if not self._reports:
            return None
        last = self._reports[-1]
        total = last.total
        if self._are_increments():
            output = sum(one.output for one in self._reports)
            thinking = sum(one.thinking for one in self._reports)
            total = 0
        else:
            output = _last(one.output for one in self._reports)
            thinking = _last(one.thinking for one in self._reports)
        prompt = _last(one.input for one in self._reports)
        cached = _last(one.cached for one in self._reports)
        if thinking and total == prompt + output + thinking:
            # Some count thinking beside the output.
            output += thinking
        return Usage(input=prompt, output=output, total=total or prompt + output, thinking=thinking, cached=cached)

    def only_at_the_end(self) -> bool:
        """Whether one event alone has reported tokens."""
        return len(self._reports) == 1

    def _are_increments(self) -> bool:
        """A running total never falls, and rises when more of the answer came; its input stands in each report."""
        counts = [one for one in self._reports if one.output > 0]
        if len(counts) < 2:
            return False
        pairs = list(pairwise(counts))
        stands = all(new.output == old.output and new.after_output for old, new in pairs)
        if all(one.input for one in counts):
            # The output of a correction may be less than the estimates before it: the input tells totals apart.
            return stands and len(counts) > 2 and all(one.output <= 2 for one in counts)
        return stands or any(new.output < old.output for old, new in pairs)


def _last(counts: Iterable[int]) -> int:
    found = 0
    for count in counts:
        found = count or found
    return found
