"""Reads the events of Chat Completions, as the many servers send them that speak this protocol."""

import re
from typing import Any

from llm_service.chunks import Call, Chunk, Finish, Info, Text, Thinking, Usage
from llm_service.errors import partial_stream, stopped_early
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_list, as_object
from llm_service.providers.endings import Ending
from llm_service.providers.facts import Facts
from llm_service.providers.fragments import Fragments, fragments_of
from llm_service.providers.refusals import broken_off
from llm_service.providers.sse import DONE
from llm_service.providers.tool_names import ToolNames
from llm_service.providers.usage import Reports, reported

_REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
# Other members with reasoning, and those that only describe it.
_THINKS = re.compile(r"reason|think|thought", re.IGNORECASE)
_DESCRIBES = re.compile(r"signature|effort|token|type|status|time|budget|_id\b", re.IGNORECASE)
_PLAIN = frozenset({"role", "content", "tool_calls", "refusal", "function_call", *_REASONING})
_DETAILS = ("system_fingerprint", "service_tier")


class ChatReader:
    """Turns one stream into chunks."""

    def __init__(self, names: ToolNames, secret: str = "") -> None:
        """Starts before the first event."""
        self._names = names
        self._secret = secret
        self._calls = Fragments(names.offered())
        self._reports = Reports()
        self._facts = Facts(_DETAILS)
        self._has_text = self._refused = self._ended = self._began = False
        self._grew = False
        self._thinking: list[str] = []
        self._sent: list[str] = []

    def read(self, event: dict[str, Any]) -> list[Chunk]:
        """Returns the chunks of one event."""
        if event is DONE:
            self._ended = True
            return []
        if (error := broken_off(event, self._secret)) is not None:
            raise error
        if "choices" not in event and "choices" in (inner := as_object(event.get("data"))):
            # Some gateways put an envelope around each event.
            event = inner
        self._facts.note(event, "id", "model", *_DETAILS)
        found: list[Chunk] = []
        for choice in as_list(event.get("choices"))[:1]:
            found += self._choice(as_object(choice))
        self._report(event)
        return self._facts.announced(found)

    def end(self) -> list[Chunk]:
        """Returns calls, usage and finish reason; raises `ProviderError` if the stream is no usable answer."""
        calls = self._calls.calls()
        reason = self._facts.finish_reason
        if not reason:
            # Whoever sends `[DONE]` or the tokens after an answer has ended it.
            if not (self._ended or self._reported_after_output()) or not (self._has_text or calls or self._thinking):
                raise partial_stream("the stream ended without a finish reason")
            reason = "stop"
        finish = Ending(reason, self._has_text, self._calls.written()).finish_reason()
        if self._refused and not calls:
            finish = FinishReason.CONTENT_FILTER
            if not self._has_text:
                raise stopped_early("refusal", finish_reason=finish)
        found: list[Chunk] = []
        for call in calls:
            found.append(Call(call.id, self._names.from_api(call.name), call.arguments))
        if finish is FinishReason.STOP and not self._has_text and not found and self._thinking:
            # Some servers take the whole answer for reasoning.
            found.append(Text("".join(self._thinking)))
        if info := self.info():
            found.append(info)
        if usage := self.usage():
            found.append(usage)
        return [*found, Finish(finish)]

    def info(self) -> Info | None:
        """Returns what the server has reported about its answer so far."""
        return self._facts.info()

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn, as far as they were reported."""
        return self._reports.usage()

    def _choice(self, choice: dict[str, Any]) -> list[Chunk]:
        # A server that does not stream sends the whole message.
        delta = as_object(choice.get("delta")) or self._left_of(as_object(choice.get("message")))
        found: list[Chunk] = []
        if reasoning := next((text for name in _REASONING if (text := _text(delta.get(name)))), ""):
            found.append(Thinking(reasoning))
        elif not delta.keys() <= _PLAIN and (other := _thought(delta)):
            found.append(Thinking(other))
        content: object = delta.get("content") if "content" in delta else choice.get("text")
        found += _content(content)
        self._refused |= bool(delta.get("refusal"))
        for fragment in fragments_of(delta.get("tool_calls")):
            self._calls.add(fragment)
            self._grew = True
        if function := as_object(delta.get("function_call")):
            self._calls.add({"index": 0, "function": function})
            self._grew = True
        for chunk in found:
            if isinstance(chunk, Thinking):
                self._thinking.append(chunk.content)
            if isinstance(chunk, Text):
                self._sent.append(chunk.content)
                self._has_text |= bool(chunk.content.strip())
            self._grew = True
        self._facts.reason(_ending(choice))
        return found

    def _left_of(self, message: dict[str, Any]) -> dict[str, Any]:
        """What a whole message adds to the deltas that some servers send before it."""
        content, sent = message.get("content"), "".join(self._sent)
        if isinstance(content, str) and content.startswith(sent):
            # All that came so far, and more.
            message = {**message, "content": content[len(sent) :]}
        is_whole = bool(sent) and content == message.get("content")
        has_calls = bool(self._calls)
        came = {"content": is_whole, "tool_calls": has_calls, "function_call": has_calls}
        return {name: value for name, value in message.items() if not came.get(name, bool(self._thinking))}

    def _report(self, event: dict[str, Any]) -> None:
        report = reported(event, after_output=self._grew)
        if report is None:
            return
        self._reports.add(report)
        self._began = self._began or self._grew
        self._grew = False

    def _reported_after_output(self) -> bool:
        """Whether tokens were the last that came: a server that reports them with each event has not ended yet."""
        return self._began and not self._grew and self._reports.only_at_the_end()


def _ending(choice: dict[str, Any]) -> object:
    """Why an answer ended, whatever the case of the name."""
    return choice["finish_reason"] if "finish_reason" in choice else choice.get("finishReason")


def _thought(delta: dict[str, Any]) -> str:
    """The reasoning of members with other names."""
    names = (name for name in delta if name not in _PLAIN and _THINKS.search(name) and not _DESCRIBES.search(name))
    return next((text for name in names if (text := _text(delta[name]))), "")


def _content(value: object) -> list[Chunk]:
    """The deltas of a content: a text, or parts of text and reasoning."""
    if isinstance(value, str):
        return [Text(value)] if value else []
    found: list[Chunk] = []
    for part in as_list(value) or [value]:
        fields = as_object(part)
        if text := _text(fields if fields else part):
            is_thought = fields.get("type") in ("thinking", "reasoning", "reasoning_text")
            found.append(Thinking(text) if is_thought else Text(text))
    return found


def _text(value: object) -> str:
    """The text of a field: itself, or what its parts hold."""
    if isinstance(value, str):
        return value
    if parts := as_list(value):
        return "".join(_text(part) for part in parts)
    fields = as_object(value)
    if not fields:
        return ""
    names = ("text", "thinking", "content", "summary", "value")
    return next((text for name in names if (text := _text(fields.get(name)))), "")
