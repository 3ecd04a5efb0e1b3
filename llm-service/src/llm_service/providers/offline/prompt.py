"""Parses a conversation: the request, the alert, the earlier messages.

The cues are few and plain; the README lists them for whoever writes the prompts.
"""

import re
from dataclasses import dataclass
from enum import Enum

from llm_service.providers.offline import sections
from llm_service.turn import Message, Turn


class Task(Enum):
    """The kinds of request the orchestrator makes."""

    INVESTIGATE = "investigate"
    CONCLUDE = "conclude"
    SYNTHESIZE = "synthesize"
    CHAT = "chat"
    EXECUTIVE_SUMMARY = "executive summary"
    TOOL_SUMMARY = "tool summary"


@dataclass(frozen=True, slots=True)
class Brief:
    """A parsed conversation; `since` is the first message of the present task."""

    task: Task
    alert: str
    background: str
    question: str = ""
    since: int = 0
    final_answer_marker: bool = False


_QUESTION_LINE = re.compile(r"^(?:user(?:'s)? )?question\s*:\s*(\S.*)", re.IGNORECASE | re.MULTILINE)
_CONCLUDE = re.compile(
    r"conclu|final (?:answer|analysis|report)|iteration limit|maximum (?:number of )?iteration"
    r"|no (?:more|further) tool|do not call|cannot call",
    re.IGNORECASE,
)
_SUMMARISE = re.compile(r"summari[sz]", re.IGNORECASE)
_REACT = re.compile(r"^\s*[\"'`*-]*\s*Final Answer:", re.MULTILINE)


def read(turn: Turn) -> Brief:
    """Parses a conversation."""
    system = "\n".join(m.content for m in turn.messages if m.role == "system")
    users = [(i, m.content) for i, m in enumerate(turn.messages) if m.role == "user"]
    first = users[0][1] if users else ""
    task, question, since = _task(turn, system, users)
    parts = sections.split(first)
    alert = sections.bodies(parts, sections.ALERT)
    if not alert:
        alert = sections.bodies(parts, sections.PLAIN) or first
    background = sections.bodies(parts, sections.BACKGROUND)
    if task is Task.SYNTHESIZE and not background:
        background = first
    marker = not turn.tools and bool(_REACT.search(system))
    return Brief(task, alert, background, question, since, marker)


def _task(turn: Turn, system: str, users: list[tuple[int, str]]) -> tuple[Task, str, int]:
    first = users[0][1] if users else ""
    last_index, last = users[-1] if users else (0, "")
    results = any(m.role == "tool" for m in turn.messages)
    if not turn.tools and not results and len(users) == 1:
        direct = _direct_task(system, first)
        if direct:
            return direct, "", 0
    question = _question(turn.messages, system, last_index, last)
    if question:
        return Task.CHAT, question, last_index
    return (Task.INVESTIGATE if turn.tools else Task.CONCLUDE), "", 0


def _direct_task(system: str, user: str) -> Task | None:
    """Recognizes requests that consist of one message."""
    if "executive summary" in f"{system[:600]}\n{user[:200]}".lower():
        return Task.EXECUTIVE_SUMMARY
    cue = system[:400] or user[:400]
    if _SUMMARISE.search(cue) and "tool" in cue.lower():
        return Task.TOOL_SUMMARY
    return Task.SYNTHESIZE if "synthes" in system.lower() else None


def _question(messages: tuple[Message, ...], system: str, index: int, last: str) -> str:
    """Returns the question in the last user message, if it is a follow-up and no instruction to conclude."""
    titled = sections.bodies(sections.split(last), sections.QUESTION)
    if titled:
        return titled
    if line := _QUESTION_LINE.search(last):
        return line.group(1).strip()
    if any(m.role == "assistant" for m in messages[:index]):
        return "" if _CONCLUDE.search(last) else last.strip()
    if "follow-up" in system.lower() and "chat" in system.lower():
        return last.strip().rsplit("\n\n", 1)[-1]
    return ""
