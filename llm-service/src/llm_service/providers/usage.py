"""The tokens of a turn, as a server reports them along its stream."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from llm_service.chunks import Usage
from llm_service.json_shapes import as_list, as_object, count

# Where servers put the tokens of a turn, and what they call them, without separators.
_PLACES = frozenset({
    "usage", "x_groq", "usageMetadata", "usage_metadata", "metrics", "amazon-bedrock-invocationMetrics", "meta",
})  # fmt: skip
_INPUT = (
    "prompttokens",
    "inputtokens",
    "prompttokencount",
    "inputtokencount",
    "promptevalcount",
    "inputtokenscount",
    "prompt",
    "input",
)
_OUTPUT = (
    "completiontokens", "outputtokens", "candidatestokencount", "outputtokencount", "evalcount", "generatedtokens",
    "generatedtokencount", "outputtokenscount", "completion", "output",
)  # fmt: skip
_TOTAL = ("totaltokens", "totaltokencount", "totaltokenscount")
_CACHED = (
    "cachedtokens",
    "prompttokenscached",
    "promptcachehittokens",
    "cachereadinputtokens",
    "cachedcontenttokencount",
)
_THINKING = ("reasoningtokens", "thinkingtokens", "thoughtstokencount")


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


def reported(event: dict[str, Any], *, after_output: bool) -> Report | None:
    """Returns what an event of Chat Completions reports; `None` for most events."""
    usage = _inner(as_object(event.get("usage"))) or _elsewhere(event)
    if usage:
        prompt, output = (
            as_object(usage.get("prompt_tokens_details")),
            as_object(usage.get("completion_tokens_details")),
        )
        if "prompt_tokens" not in usage:
            usage = {_joined(name): value for name, value in usage.items()}
            prompt = prompt or as_object(usage.get("inputtokensdetails"))
            output = output or as_object(usage.get("outputtokensdetails"))
        return Report(
            input=count(usage, "prompt_tokens", *_INPUT),
            output=count(usage, "completion_tokens", *_OUTPUT),
            thinking=count(output, "reasoning_tokens") or count(usage, "reasoning_tokens", *_THINKING),
            cached=count(prompt, "cached_tokens") or count(usage, "cached_tokens", "prompt_cache_hit_tokens", *_CACHED),
            total=count(usage, "total_tokens", *_TOTAL),
            after_output=after_output,
        )
    timings = as_object(event.get("timings"))
    if not timings:
        return None
    # llama.cpp, asked for no usage.
    cached = count(timings, "cache_n")
    prompt_n, output_n = count(timings, "prompt_n") + cached, count(timings, "predicted_n")
    return Report(input=prompt_n, output=output_n, cached=cached, after_output=after_output)


def _elsewhere(event: dict[str, Any]) -> dict[str, Any]:
    """The tokens of a server that does not put them where OpenAI does."""
    choice = as_object((as_list(event.get("choices")) or [None])[0])
    for fields in (choice, event):
        for place in () if _PLACES.isdisjoint(fields) else _PLACES:
            if place in fields:
                inner = _inner(as_object(fields[place]))
                if any(_joined(name) in (*_INPUT, *_OUTPUT) for name in inner):
                    return inner
    return {}


def _inner(usage: dict[str, Any]) -> dict[str, Any]:
    """Some servers group their counts."""
    return as_object(usage.get("tokens")) or as_object(usage.get("usage")) or usage


def _joined(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


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
    for one in counts:
        found = one or found
    return found
