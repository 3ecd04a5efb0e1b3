"""Decides what to do with a turn: request tools, or write. A pure function of the conversation."""

import hashlib
import re
from dataclasses import dataclass, field

from llm_service.json_shapes import load_object
from llm_service.providers.offline import answers, evidence, facts, picker, prompt, report, signals
from llm_service.providers.offline.arguments import Known
from llm_service.providers.offline.evidence import Item, Result
from llm_service.providers.offline.facts import Facts
from llm_service.providers.offline.picker import Choice, EarlierCall
from llm_service.providers.offline.policy import short_name
from llm_service.providers.offline.prompt import Brief, Task
from llm_service.providers.offline.words import TOPICS, listed, parts, significant_words, topics
from llm_service.turn import Turn

_TITLE_KEYS = ("alertname", "alert_name", "alert", "title", "summary", "name", "type", "description")
_PLACES = ("host", "pod", "deployment", "service", "namespace")
_RESOURCES = ("cpu", "memory", "disk", "network", "dns", "certificate", "database")
_CHAT_ROUNDS = 2
_CHAT_THRESHOLD = 5.0


@dataclass(frozen=True, slots=True)
class Plan:
    """An answer: reasoning, text, and tool calls as (id, name, arguments)."""

    thinking: str
    text: str
    calls: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])


@dataclass(frozen=True, slots=True)
class _Case:
    """A conversation with its evidence extracted."""

    turn: Turn
    brief: Brief
    alert: Facts
    results: list[Result]
    given: list[Item]
    found: list[signals.Signal]
    about: signals.Focus


def plan(turn: Turn) -> Plan:
    """Answers a turn."""
    brief = prompt.read(turn)
    if brief.task is Task.EXECUTIVE_SUMMARY:
        text = answers.executive_summary(turn.messages[-1].content)
        return Plan("Looking for the statements that carry the analysis.", text)
    if brief.task is Task.TOOL_SUMMARY:
        text = answers.tool_summary(turn.messages[-1].content, turn.max_output_tokens)
        return Plan("Looking for the lines of the tool output that matter.", text)
    case = _case(turn, brief)
    choices = _next_calls(case)
    if choices:
        return _ask(case, choices)
    if brief.task is Task.CHAT:
        return _chat(case)
    return _conclude(case)


def _case(turn: Turn, brief: Brief) -> _Case:
    alert = facts.from_text(brief.alert)
    if brief.task is Task.CHAT:
        for kind, values in facts.from_text(brief.question).all().items():
            for value in values:
                alert.add(kind, value)
    results = evidence.results(turn.messages)
    given = evidence.from_text(0, brief.background)
    text = brief.question or brief.alert
    about = signals.focus(text, _title(text), alert.entities())
    found = signals.find(results, given, about)
    return _Case(turn, brief, alert, results, given, found, about)


def _earlier_calls(case: _Case) -> tuple[list[EarlierCall], int]:
    """The calls made for the present task, and in how many rounds."""
    by_id = {result.call_id: result for result in case.results}
    earlier: list[EarlierCall] = []
    rounds = 0
    for index, message in enumerate(case.turn.messages):
        rounds += bool(message.tool_calls) and index >= case.brief.since
        for call in message.tool_calls:
            result = by_id.get(call.id)
            if index >= case.brief.since:
                earlier.append(EarlierCall(call.name, load_object(call.arguments), result is None or result.failed))
    return earlier, rounds


def _next_calls(case: _Case) -> list[Choice]:
    if not case.turn.tools:
        return []
    chat = case.brief.task is Task.CHAT
    earlier, rounds = _earlier_calls(case)
    if rounds >= (_CHAT_ROUNDS if chat else picker.MAX_ROUNDS) or len(earlier) >= picker.MAX_CALLS:
        return []
    words, about = _interest(case)
    if not chat:
        return picker.choose(case.turn.tools, _known(case), earlier, words, about)
    fewest = [*earlier, *(EarlierCall(f"-{n}", {}) for n in range(picker.MIN_TOOLS))]
    return picker.choose(case.turn.tools, _known(case), fewest, words, about, _CHAT_THRESHOLD)


def _interest(case: _Case) -> tuple[dict[str, float], dict[str, float]]:
    """Words and topics with their weights: the title's count double, those of findings add a little."""
    text = case.brief.question or case.brief.alert
    title = significant_words(_title(text))
    words = dict.fromkeys(significant_words(text)[:60], 1.0)
    words |= dict.fromkeys(title, 2.0)
    about = {topic: min(1.0, 0.5 + 0.25 * count) for topic, count in topics(words).items()}
    about |= dict.fromkeys(topics(title), 2.0)
    for topic in ("http", "dns") if case.alert.of("url") else ():
        about[topic] = max(about.get(topic, 0.0), 1.5)
    for signal in [] if case.brief.question else case.found[:4]:
        if signal.category in TOPICS:
            about[signal.category] = max(about.get(signal.category, 0.0), 1.5)
    return words, about


def _title(text: str, most: int = 2) -> str:
    """Returns the title of the alert."""
    document = facts.parse_json(text)
    if document is not None:
        leaves = [(path.rsplit(".", 1)[-1].lower(), value) for path, value in facts.leaves(document)]
        named = [str(value) for key in _TITLE_KEYS for name, value in leaves if name == key and value]
        return " ".join(named[:most])
    for key in _TITLE_KEYS:
        if match := re.search(rf"(?im)^\W*{key}[\"'*`]*\s*[:=]\s*(.+)$", text):
            return match.group(1)
    return next((line for line in text.splitlines() if line.strip()), "")


def _known(case: _Case) -> Known:
    words = frozenset(parts(case.brief.question or case.brief.alert))
    names = answers.facts_of(case.results, case.about)
    return Known(case.alert, names, words, frozenset(topics(words)))


def _ask(case: _Case, choices: list[Choice]) -> Plan:
    earlier, _ = _earlier_calls(case)
    names = [f"`{short_name(choice.tool.name)}`" for choice in choices]
    shared = list(dict.fromkeys(topic for choice in choices for topic in choice.topics))[:4]
    reason = f"to see about {listed(shared)}" if shared else "for a view of the surroundings"
    thinking = f"Next I look at {listed(names)}, {reason}."
    if case.found:
        thinking += f" So far the strongest signal: {case.found[0].description} {report.cite(case.found[0].sources)}."
    start = "First look" if not earlier else "Looking further"
    text = f"{start}: {listed(names)}, {reason}."
    offset = sum(len(message.tool_calls) for message in case.turn.messages)
    calls = [
        (_call_id(case.turn, offset + n), choice.tool.name, choice.json) for n, choice in enumerate(choices, start=1)
    ]
    return Plan(thinking, text, calls)


def _call_id(turn: Turn, number: int) -> str:
    seed = f"{turn.session_id}|{turn.execution_id}|{number}".encode()
    return f"call_{number}_{hashlib.sha256(seed).hexdigest()[:8]}"


def _chat(case: _Case) -> Plan:
    context = evidence.from_text(0, _earlier_text(case))
    found = signals.find(case.results, context, case.about)
    text = answers.chat(case.brief.question, case.results, context, found)
    return Plan("Looking for evidence that answers the question.", text)


def _earlier_text(case: _Case) -> str:
    """Returns the text before the question, without tool results."""
    texts = [
        message.content
        for message in case.turn.messages[: case.brief.since + 1]
        if message.role in ("user", "assistant")
    ]
    return "\n".join(texts).replace(case.brief.question, "")


def _conclude(case: _Case) -> Plan:
    given = case.given
    instead = _instead(case, given)
    if not case.results and not given:
        given = evidence.from_text(0, case.brief.alert)
    found = signals.find(case.results, given, case.about)
    findings = report.Findings(
        title=_heading(case),
        results=case.results,
        signals=found,
        changes=signals.changes(case.results, given, 6),
        quiet=signals.quiet(case.results, case.about, found, 6),
        without_signal=_without_signal(case, found) if case.results else [],
        uncovered=_uncovered(case) if case.results else [],
        uncallable=picker.not_callable(case.turn.tools, _known(case)),
        instead=instead,
    )
    text = report.write(findings)
    if case.brief.final_answer_marker:
        text = f"Thought: the evidence is in.\nFinal Answer: {text}"
    count = len(found)
    thinking = f"Nothing useful is left to ask; {count} {'signal' if count == 1 else 'signals'} to report."
    return Plan(thinking, text)


def _heading(case: _Case) -> str:
    if case.brief.task is Task.SYNTHESIZE:
        return "Synthesis of the investigations"
    title = re.sub(r"[#*`<>\[\]]", "", _title(case.brief.alert, 1)).strip(" \"',:{}")[:120]
    where = next((v for kind in _PLACES for v in case.alert.of(kind) if v not in title), "")
    return f"Findings: {title or 'the alert'}{f' ({where})' if where else ''}"


def _without_signal(case: _Case, found: list[signals.Signal]) -> list[str]:
    """Returns the resources in the alert's title that no signal is about."""
    covered = {"cpu" if signal.category == "load" else signal.category for signal in found}
    about = topics(significant_words(_title(case.brief.alert)))
    return [topic for topic in about if topic in _RESOURCES and topic not in covered and not _has_topic(found, topic)]


def _has_topic(found: list[signals.Signal], topic: str) -> bool:
    """Whether a signal of another category has the topic in its words."""
    return any(topic in topics(parts(item.text)) for signal in found for item in signal.items)


def _instead(case: _Case, given: list[Item]) -> str:
    if given:
        return "The text given with the request."
    return "No tool was called." if case.turn.tools else "No tool was called: none was on offer."


def _uncovered(case: _Case) -> list[str]:
    """Returns the topics in the alert's title that no called tool covers."""
    wanted = topics(significant_words(_title(case.brief.alert)))
    tools = {tool.name: tool.description for tool in case.turn.tools}
    covered: set[str] = set()
    for result in case.results:
        if not result.failed:
            covered |= set(topics(parts(f"{short_name(result.tool)} {tools.get(result.tool, '')}")))
            covered |= set(topics(parts(result.content[:4000])))
    return [topic for topic in wanted if topic not in covered]
