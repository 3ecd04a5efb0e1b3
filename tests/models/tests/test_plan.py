"""What is chosen, and the table of it."""

from pathlib import Path
from typing import Any

import pytest

from models_test.facts import Observed
from models_test.plan import CASES, HOST, STRATEGIES, chain_of, chosen
from models_test.table import Run, figures, looked_first, markdown

SHIPPED = Path(__file__).resolve().parents[2] / "cases"


def test_lists_have_commas_and_an_empty_one_is_all() -> None:
    assert chosen("react, native", ("native", "react"), "STRATEGY") == ["react", "native"]
    assert chosen("", ("native", "react"), "STRATEGY") == ["native", "react"]
    with pytest.raises(ValueError, match=r"STRATEGY=reakt: there is no reakt; there are native, react"):
        chosen("reakt", ("native", "react"), "STRATEGY")


@pytest.mark.parametrize("case", [case for case in CASES if case != HOST])
def test_the_chain_of_a_shipped_case_has_the_strategy_and_the_rules(case: str) -> None:
    chain = chain_of(SHIPPED / case, STRATEGIES["react"], "on")
    rules, stage = chain["stages"]
    assert (rules["name"], rules["agents"][0]["agent"]) == ("rules", "OfflineAnalyst")
    assert [agent["strategy"] for agent in stage["agents"]] == ["react"]
    assert len(chain_of(SHIPPED / case, STRATEGIES["react"], "off")["stages"]) == 1


def turn(second: int, provider: str = "chat") -> dict[str, Any]:
    """A turn of a model."""
    tokens = {"input_tokens": 100, "output_tokens": 10}
    return {"created_at": f"2026-11-28T12:00:{second:02}Z", "provider": provider, **tokens}


@pytest.mark.parametrize(
    ("turns", "calls", "looked"),
    [
        ([turn(5), turn(20)], [6], True),
        ([turn(5), turn(20)], [21], False),
        ([turn(5), turn(20), turn(21, "offline")], [22], False),
        ([turn(5)], [6], True),
        ([turn(5)], [], False),
    ],
)
def test_a_model_looked_first_if_a_call_stands_before_its_second_turn(
    turns: list[dict[str, Any]], calls: list[int], looked: bool
) -> None:
    made = [{"interaction_type": "tool_call", "created_at": f"2026-11-28T12:00:{second:02}Z"} for second in calls]
    assert looked_first({"llm_interactions": turns, "mcp_interactions": made}) is looked


@pytest.mark.parametrize(("agent", "looked"), [("OfflineAnalyst", True), ("HostAgent", False)])
def test_a_look_by_rules_comes_before_the_first_conclusion(agent: str, looked: bool) -> None:
    call = {"interaction_type": "tool_call", "status": "completed", "created_at": "2026-11-28T11:59:00Z"}
    first = {"agent_name": agent, "llm_interactions": [turn(1, "offline")], "mcp_interactions": [call]}
    second = {"agent_name": "HostAgent", "llm_interactions": [turn(5)], "mcp_interactions": []}
    trace = {"stages": [{"executions": [first]}, {"executions": [second]}], "session_interactions": [turn(9)]}
    counted = figures(Observed({"verdict": {}, "duration_ms": 1000}, trace, {"calls": []}))
    assert counted["looked"] is looked
    assert (counted["read"], counted["written"]) == (200, 20)


def test_a_row_counts_the_sessions_of_a_strategy() -> None:
    usual: dict[str, Any] = {"model": "0.5b", "strategy": "native", "rules": "on"}
    first = Run(**usual, case="host", session="a", looked=True, has_verdict=True, seconds=100, read=3000, written=10)
    second = Run(**usual, case="disk-full", session="b", repeats=2, right=True, seconds=200, read=5000, written=30)
    assert markdown([first, second]).splitlines()[2:] == [
        "| 0.5b | native | on | 2 | 1 | 2 | 1 of 2 | 1 of 1 | 150 | 4,000 | 20 |"
    ]


def test_the_right_cause_is_the_first_candidate_without_anything_forbidden() -> None:
    trace: dict[str, Any] = {"stages": [], "session_interactions": []}
    seen = Observed(session={"verdict": {}, "duration_ms": None}, trace=trace, recording={"calls": []})
    right = []
    for rank, forbidden in [(1, []), (2, []), (None, []), (1, ["out of memory"])]:
        seen.score = {"rank": rank, "forbidden_evidence": forbidden}
        right.append(figures(seen)["right"])
    assert right == [True, False, False, False]
