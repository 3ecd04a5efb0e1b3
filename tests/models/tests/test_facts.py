"""The facts, on sessions that break them one at a time."""

from collections import Counter
from typing import Any

import pytest

from models_test.facts import Observed, violations

VERDICT: dict[str, Any] = {
    "outcome": "cause_found",
    "confidence": "medium",
    "cause": "the disk is full",
    "answer": "The disk is full.",
    "evidence": [{"call": 1, "line": 1, "text": "100 %"}],
    "next_steps": ["delete logs"],
}


def call(number: int, second: int, **more: Any) -> dict[str, Any]:
    """A call of a tool as the trace has it."""
    usual = {"interaction_type": "tool_call", "status": "completed", "created_at": f"2026-11-28T12:00:{second:02}Z"}
    return {**usual, "call_number": number, **more}


def session(*calls: dict[str, Any], **more: Any) -> Observed:
    """A session that holds every fact, unless something is given."""
    calls = calls or (call(1, 0),)
    execution = {"execution_id": "x", "agent_name": "HostAgent", "llm_interactions": [], "mcp_interactions": calls}
    found = {"status": "completed", "verdict": VERDICT, "final_analysis": "The disk is full [call 1]."}
    usage = {"server": "host", "tool": "disk_usage", "arguments": {"path": "/"}}
    created = {"type": "timeline_event.created", "event_id": "e", "event_type": "llm_response", "execution_id": "x"}
    piece = {"type": "stream.chunk", "event_id": "e"}
    return Observed(
        session={**found, **more},
        trace={"stages": [{"executions": [execution]}]},
        recording={"calls": [{**usage, "number": one["call_number"]} for one in calls]},
        events=[created, piece, piece, {"status": "completed"}],
    )


def test_a_session_that_holds_every_fact_has_no_violation() -> None:
    assert violations(session()) == []


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"status": "in_progress"}, "has not ended"),
        ({"status": "failed", "error_message": "no answer"}, "failed: no answer"),
        ({"verdict": None, "verdict_failure": "invalid"}, "no verdict: invalid"),
        ({"verdict": {**VERDICT, "outcome": "perhaps"}}, "not valid: perhaps"),
        ({"verdict": {**VERDICT, "cause": " "}}, "states none"),
        ({"verdict": {**VERDICT, "evidence": [{"call": 7}]}}, "call 7, which was not made"),
        ({"verdict": {**VERDICT, "cause": "<think>hm</think> full"}}, "mark-up in the cause"),
    ],
)
def test_each_broken_fact_is_named(broken: dict[str, Any], sentence: str) -> None:
    (found,) = violations(session(**broken))
    assert sentence in found


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "host.uptime", "arguments": {}}\n</tool_call>',
        "Full.\n</think>\nThe disk is full.",
        '```json\n{"name": "host.uptime", "arguments": {}}\n```',
        '```\n[{"name": "host.uptime", "parameters": {"a": 1}}]\n```',
        "<|im_start|>assistant",
        '[TOOL_CALLS][{"name": "uptime"}]',
    ],
)
def test_mark_up_in_a_finding_is_found(text: str) -> None:
    (found,) = violations(session(final_analysis=text))
    assert found.startswith("mark-up in the final analysis")


@pytest.mark.parametrize("text", ['```json\n{"used": "100 %"}\n```', "I think <path> is full", "```\ndf -h\n```"])
def test_fences_and_words_that_are_no_calls_are_no_mark_up(text: str) -> None:
    assert violations(session(final_analysis=text)) == []


def test_a_call_that_ran_twice_within_a_minute_is_found() -> None:
    (found,) = violations(session(call(1, 0), call(2, 59)))
    assert found == 'host.disk_usage {"path": "/"} ran again within a minute, as call 2'


@pytest.mark.parametrize("second", [{"answered_from": 1}, {"status": "failed"}])
def test_a_repeated_call_that_did_not_run_is_none(second: dict[str, Any]) -> None:
    assert violations(session(call(1, 0), call(2, 5, **second))) == []


def test_a_replay_repeats_a_call_as_often_as_its_record_does() -> None:
    seen = session(call(1, 0), call(2, 5), call(3, 9))
    seen.recorded = Counter({'host.disk_usage {"path": "/"}': 2})
    (found,) = violations(seen)
    assert "as call 3" in found


def test_calls_that_all_failed_are_no_calls() -> None:
    assert violations(session(call(1, 0, status="failed"))) == ["no call of a tool completed"]


def test_text_in_one_piece_is_not_streamed() -> None:
    seen = session()
    seen.events.remove({"type": "stream.chunk", "event_id": "e"})
    assert violations(seen) == ["no text of the model was streamed in more than one piece"]


def test_text_of_the_offline_analyst_is_none_of_the_model() -> None:
    seen = session()
    seen.trace["stages"][0]["executions"][0]["agent_name"] = "OfflineAnalyst"
    assert violations(seen) == ["no text of the model was streamed in more than one piece"]
