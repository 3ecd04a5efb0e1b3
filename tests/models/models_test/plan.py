"""What is run: models, strategies, cases, with and without `rules_first`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOST = "host"
SESSION_MS = 2 * 60 * 60 * 1000


@dataclass(frozen=True)
class Strategy:
    """How an agent talks to the model, and by which protocol."""

    provider: str
    iteration: str


STRATEGIES = {
    "native": Strategy("chat", "langchain"),
    "react": Strategy("chat", "react"),
    "messages": Strategy("messages", "langchain"),
}
RULES = ("off", "on")
CASES = (HOST, "disk-full", "port-conflict", "nothing-listens", "memory-hog", "wrong-dns-name")


def alert_type(strategy: str, rules: str) -> str:
    """The type of the alert that has the chain of a strategy."""
    return f"{strategy}-rules-{rules}"


def chosen(given: str, known: tuple[str, ...], what: str) -> list[str]:
    """The names in a list with commas, all if it is empty."""
    names = [name.strip() for name in given.replace(",", " ").split()]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{what}={given}: there is no {', '.join(unknown)}; there are {', '.join(known)}")
    return names or list(known)


def chain_of(case: Path, strategy: Strategy, rules: str) -> dict[str, Any]:
    """The chain of a recorded case with a strategy, time for a slow model, and the stage that `rules_first` adds."""
    chain: dict[str, Any] = json.loads((case / "chain.json").read_text())
    chain["session_timeout_ms"] = SESSION_MS
    (stage,) = chain["stages"]
    (agent,) = stage["agents"]
    if rules == "on":
        analyst = {**agent, "name": "OfflineAnalyst", "agent": "OfflineAnalyst", "custom_instructions": ""}
        chain["stages"].insert(0, {**stage, "name": "rules", "agents": [analyst]})
    stage["agents"] = [{**agent, "strategy": strategy.iteration}]
    return chain
