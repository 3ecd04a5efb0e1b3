"""The table that is printed: a row for each model, strategy and `rules_first`."""

from dataclasses import dataclass, field
from typing import Any

from models_test.facts import ANALYST, Observed, tool_calls

# The provider of the offline analyst, whose tokens no model reads or writes.
OFFLINE = "offline"
HEAD = [
    "model",
    "strategy",
    "rules_first",
    "sessions",
    "looked first",
    "repeated calls",
    "valid verdicts",
    "right causes",
    "seconds",
    "tokens read",
    "written",
]


@dataclass
class Run:
    """What one session adds to its row."""

    model: str
    strategy: str
    rules: str
    case: str
    session: str
    looked: bool = False
    repeats: int = 0
    has_verdict: bool = False
    right: bool | None = None
    seconds: float = 0
    read: int = 0
    written: int = 0
    violations: list[str] = field(default_factory=list)


def figures(seen: Observed) -> dict[str, Any]:
    """What is counted of a session."""
    calls = [call for one in seen.executions() for call in tool_calls(one)]
    turns = [turn for one in seen.executions() for turn in one["llm_interactions"]]
    asked = [turn for turn in (*turns, *seen.trace["session_interactions"]) if turn["provider"] != OFFLINE]
    return {
        "looked": rules_looked(seen) or all(looked_first(one) for one in seen.of_models()),
        "repeats": sum(call.get("answered_from") is not None for call in calls),
        "has_verdict": seen.session.get("verdict") is not None,
        "right": None if seen.score is None else is_right(seen.score),
        "seconds": (seen.session.get("duration_ms") or 0) / 1000,
        "read": sum(turn["input_tokens"] or 0 for turn in asked),
        "written": sum(turn["output_tokens"] or 0 for turn in asked),
    }


def is_right(score: dict[str, Any]) -> bool:
    """Whether the first candidate is the expected cause, and nothing forbidden is stated: A@1 of `tarsy eval`."""
    return score["rank"] == 1 and not score["forbidden_evidence"]


def rules_looked(seen: Observed) -> bool:
    """Whether the analyst of `rules_first` had an answer of a tool, which the model was given."""
    rules = (one for one in seen.executions() if one["agent_name"] == ANALYST)
    return any(call["status"] == "completed" for one in rules for call in tool_calls(one))


def looked_first(execution: dict[str, Any]) -> bool:
    """Whether the model's first turn called a tool: a call stands before its second turn.

    Turns of the offline analyst, which gathers evidence for a model that did not look, are none of the model's.
    """
    turns = sorted(one["created_at"] for one in execution["llm_interactions"] if one["provider"] != OFFLINE)
    first = min((call["created_at"] for call in tool_calls(execution)), default=None)
    return first is not None and (len(turns) < 2 or first < turns[1])


def rows(runs: list[Run]) -> list[list[str]]:
    """The rows, in the order in which their first sessions ran."""
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.model, run.strategy, run.rules), []).append(run)
    return [[*key, *_cells(group)] for key, group in groups.items()]


def _cells(runs: list[Run]) -> list[str]:
    scored = [run for run in runs if run.right is not None]
    return [
        str(len(runs)),
        str(sum(run.looked for run in runs)),
        str(sum(run.repeats for run in runs)),
        f"{sum(run.has_verdict for run in runs)} of {len(runs)}",
        f"{sum(bool(run.right) for run in scored)} of {len(scored)}",
        f"{sum(run.seconds for run in runs) / len(runs):.0f}",
        f"{sum(run.read for run in runs) // len(runs):,}",
        f"{sum(run.written for run in runs) // len(runs):,}",
    ]


def markdown(runs: list[Run]) -> str:
    """The table; seconds and tokens are means of a session."""
    lines = [HEAD, ["---"] * len(HEAD), *rows(runs)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
