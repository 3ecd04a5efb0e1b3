"""What is asserted of a session: facts of the machinery, which no model decides."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ANALYST = "OfflineAnalyst"
MINUTE = 60.0
OVER = {"completed", "failed", "timed_out", "cancelled"}
OUTCOMES = {"cause_found", "no_fault_found", "not_examinable"}
CONFIDENCES = {"low", "medium", "high"}
# Calls and reasoning as models write them into text, and a fence around JSON that names a tool.
MARKUP = re.compile(
    r"</?tool_call|</?think(?:ing)?>|<function=|<\|(?:im_start|im_end|python_tag|channel|tool_call)|\[TOOL_CALLS\]"
    r"|```(?:json)?\s*[\[{][^`]*\"(?:arguments|parameters)\"\s*:[^`]*```",
    re.IGNORECASE,
)


@dataclass
class Observed:
    """One session as TARSy recorded and streamed it."""

    session: dict[str, Any]
    trace: dict[str, Any]
    recording: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    recorded: Counter[str] = field(default_factory=Counter)
    """Of a replay: how often its case has each call."""
    score: dict[str, Any] | None = None
    """Of a case: its scores by `tarsy eval`."""

    def executions(self) -> Iterator[dict[str, Any]]:
        """Of all agents, in order."""
        for stage in self.trace["stages"]:
            yield from stage["executions"]

    def of_models(self) -> Iterator[dict[str, Any]]:
        """The same without the offline analyst of `rules_first`."""
        return (one for one in self.executions() if one["agent_name"] != ANALYST)


def tool_calls(execution: dict[str, Any]) -> list[dict[str, Any]]:
    """Its calls of tools, without the lists of what servers offer."""
    return [one for one in execution["mcp_interactions"] if one["interaction_type"] == "tool_call"]


def call_key(call: dict[str, Any]) -> str:
    """The same for calls of the same tool with the same arguments."""
    arguments = {name: value for name, value in (call["arguments"] or {}).items() if value is not None}
    return f"{call['server']}.{call['tool']} {json.dumps(arguments, sort_keys=True)}"


def violations(seen: Observed) -> list[str]:
    """Each fact that does not hold, as a sentence."""
    found = [*ended(seen), *called(seen), *repeated(seen), *judged(seen), *clean(seen), *streamed(seen)]
    return list(dict.fromkeys(found))


def ended(seen: Observed) -> Iterator[str]:
    """Each session ends, and with a finding."""
    status = seen.session["status"]
    if status not in OVER:
        yield f"the session has not ended: it is {status}"
    elif status != "completed":
        yield f"the session {status}: {seen.session.get('error_message')}"


def called(seen: Observed) -> Iterator[str]:
    """Tools were called, by the model or by the rules."""
    if not any(call["status"] == "completed" for one in seen.executions() for call in tool_calls(one)):
        yield "no call of a tool completed"


def repeated(seen: Observed) -> Iterator[str]:
    """No agent's call ran again within a minute; one of a replay not more often than in its record."""
    keys = {call["number"]: call_key(call) for call in seen.recording["calls"]}
    for execution in seen.executions():
        last: dict[str, datetime] = {}
        times: Counter[str] = Counter()
        for call in tool_calls(execution):
            key = keys.get(call["call_number"])
            if key is None or call.get("answered_from") is not None or call["status"] != "completed":
                continue
            began = datetime.fromisoformat(call["created_at"])
            times[key] += 1
            again = key in last and (began - last[key]).total_seconds() < MINUTE
            if again and times[key] > seen.recorded[key]:
                yield f"{key} ran again within a minute, as call {call['call_number']}"
            last[key] = began


def judged(seen: Observed) -> Iterator[str]:
    """The verdict is there and valid."""
    verdict = seen.session.get("verdict")
    if verdict is None:
        yield f"there is no verdict: {seen.session.get('verdict_failure') or 'no reason is stored'}"
        return
    if verdict["outcome"] not in OUTCOMES or verdict["confidence"] not in CONFIDENCES:
        yield f"the verdict is not valid: {verdict['outcome']}, {verdict['confidence']}"
    if verdict["outcome"] == "cause_found" and not verdict["cause"].strip():
        yield "the verdict has found a cause, and states none"
    numbers = {call["number"] for call in seen.recording["calls"]}
    for one in verdict["evidence"]:
        if one["call"] not in numbers:
            yield f"the verdict rests on call {one['call']}, which was not made"


def clean(seen: Observed) -> Iterator[str]:
    """No mark-up is in what people read."""
    verdict = seen.session.get("verdict") or {}
    texts = {
        "final analysis": seen.session.get("final_analysis"),
        "summary": seen.session.get("executive_summary"),
        "answer": verdict.get("answer"),
        "cause": verdict.get("cause"),
        "next steps": "\n".join(verdict.get("next_steps", [])),
    }
    for name, text in texts.items():
        if mark := MARKUP.search(text or ""):
            yield f"mark-up in the {name}: {mark[0][:60]!r}"


def streamed(seen: Observed) -> Iterator[str]:
    """A model's text came in more than one piece."""
    models = {one["execution_id"] for one in seen.of_models()}
    answers = {
        event["event_id"]
        for event in seen.events
        if event.get("type") == "timeline_event.created"
        and event.get("event_type") in {"llm_response", "llm_thinking"}
        and event.get("execution_id") in models
    }
    fragments = Counter(event["event_id"] for event in seen.events if event.get("type") == "stream.chunk")
    if not any(fragments[event] > 1 for event in answers):
        yield "no text of the model was streamed in more than one piece"
