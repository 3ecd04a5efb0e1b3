"""Separates what a model says from mark-up in its text: reasoning in tags, and tool calls."""

import re
from collections.abc import Iterator

from llm_service.chunks import Call, Chunk, Finish, Text, Thinking
from llm_service.errors import ErrorCode, ProviderError, partial_stream
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_object, load
from llm_service.providers.endings import Ending
from llm_service.providers.fragments import new_id
from llm_service.providers.text_calls import (
    Offers,
    Written,
    begins,
    cut,
    is_one_block,
    json_of,
    misnamed,
    of_json,
    of_text,
)
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Tool

# Reasoning: how it begins and ends.
_THOUGHTS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<reasoning>": "</reasoning>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
}
# What a server should have taken out of the text, and stands for nothing.
_NOTHING = ("<|channel|>final<|message|>", "<|start|>assistant<|channel|>final<|message|>", "<|return|>")
# How calls begin.
_CALLS = (
    "<tool_call>", "<function=", "<function_calls>", "<invoke name=", "<｜DSML｜", "<minimax:tool_call>",
    "<seed:tool_call>",
    "<|tool", "<｜tool", "[TOOL_CALLS]", "<|python_tag|>",
    "<|channel|>commentary to=", "<|start|>assistant to=", "<|start|>assistant<|channel|>commentary to=",
)  # fmt: skip
_FENCE = "```"
# Reasoning of which a server has sent the end alone.
_CLOSERS = ("</think>", "</thinking>")
_ALL = (*_THOUGHTS, *_NOTHING, *_CALLS, *_CLOSERS, _FENCE)

_ANY = re.compile("|".join(re.escape(one) for one in sorted(_ALL, key=len, reverse=True)))
_TRIGGER = re.compile(r"[<\[◁`]")
_FIRST = frozenset(one[0] for one in _ALL)
_LONGEST = max(len(one) for one in (*_ALL, *_THOUGHTS.values()))
# A longer first line opens no call.
_LONGEST_LINE = 40
# Of a text that may be a call.
_MAX_HELD = 1024 * 1024
_CURE = (
    "start the model server with the tool parser of this model (llama.cpp: --jinja, vLLM: --enable-auto-tool-choice "
    "and --tool-call-parser), or set iteration_strategy: react"
)


class OpensInReasoningError(Exception):
    """The text so far was reasoning, of which the server has sent the end alone."""


class Markup:
    """Takes the chunks of one answer, and yields them without mark-up."""

    def __init__(self, tools: tuple[Tool, ...], *, opens_in_reasoning: bool = False) -> None:
        """`opens_in_reasoning` is for a model of which servers send only the end of its reasoning."""
        self._offers = Offers(tools)
        self._names = ToolNames(tools)
        self._held = ""
        self._end = "</think>" if opens_in_reasoning else ""
        self._was_implied = opens_in_reasoning
        self._kept = False
        self._last = "\n"
        self._has_text = self._trims = False
        self._thoughts: list[str] = []

    def feed(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields what one chunk says."""
        if not isinstance(chunk, Text):
            yield chunk
            return
        if self._has_text and not self._held and not self._end and not _TRIGGER.search(chunk.content):
            self._last = chunk.content.rstrip(" \t")[-1:] or self._last
            yield chunk
            return
        self._held += chunk.content
        if self._kept and len(self._held) > _MAX_HELD:
            self._kept = False
            yield from self._text(len(self._held))
        if not self._kept:
            yield from self._released()

    def end(self, chunks: list[Chunk]) -> Iterator[Chunk]:
        """Yields the last chunks, with the calls that were found; raises `ProviderError` if there is only mark-up."""
        finish = next((one.reason for one in chunks if isinstance(one, Finish)), FinishReason.STOP)
        has_calls = any(isinstance(one, Call) for one in chunks)
        known = {(one.name, _same(one.arguments)) for one in chunks if isinstance(one, Call)}
        texts = [one for one in chunks if isinstance(one, Text)]
        found: list[Chunk] = []
        for call in self._rest(finish, has_calls=has_calls, found=found):
            name = self._names.from_api(call.name)
            if (name, _same(call.arguments)) not in known:
                found.append(Call(new_id(), name, call.arguments))
                known.add((name, _same(call.arguments)))
                has_calls = True
        yield from found
        for chunk in texts:
            yield from [] if self._has_text else [chunk]
        for chunk in chunks:
            if isinstance(chunk, Finish) and has_calls and finish is FinishReason.STOP:
                yield Finish(FinishReason.TOOL_CALLS)
            elif not isinstance(chunk, Text):
                yield chunk

    def _released(self) -> Iterator[Chunk]:
        """Yields what of the held text is certain."""
        while self._held:
            if self._end:
                yield from self._reasoned()
                if self._end:
                    return
                continue
            if not self._has_text and self._offers and self._may_be_json():
                return
            match = self._next()
            if match is None:
                yield from self._text(len(self._held) - _open(self._held, _ALL))
                return
            yield from self._text(match.start())
            mark = match.group()
            if mark == _FENCE:
                if not (size := self._fence()):
                    return
                yield from self._text(size)
            elif mark in _CALLS:
                self._kept = True
                return
            else:
                if mark in _CLOSERS and self._has_text and not self._was_implied:
                    raise OpensInReasoningError
                self._end, self._held = _THOUGHTS.get(mark, ""), self._held[len(mark) :]

    def _reasoned(self) -> Iterator[Chunk]:
        """Yields reasoning, as far as it is certain."""
        if self._was_implied and not self._thoughts and self._held.lstrip().startswith("<think>"):
            self._held = self._held.lstrip().removeprefix("<think>")
        before, mark, after = self._held.partition(self._end)
        if not mark:
            yield from self._thought(len(self._held) - _open(self._held, (self._end,)))
            return
        yield from self._thought(len(before))
        self._held, self._end, self._last, self._trims = after, "", "\n", True
        self._thoughts.clear()

    def _may_be_json(self) -> bool:
        """Whether the answer has begun as a call in JSON; it is held until its end."""
        begun = self._held.lstrip()
        if any(mark.startswith(begun) for mark in ("[TOOL_CALLS]", "[THINK]")):
            return True
        self._kept = begun.startswith("{") or bool(re.match(r"\[\s*\{", begun))
        return self._kept or bool(re.fullmatch(r"\[\s*", begun))

    def _fence(self) -> int:
        """How much of a fence is text; 0 while it may be a call."""
        line, newline, inner = self._held.partition("\n")
        if not newline:
            return len(line) if len(line) > _LONGEST_LINE else 0
        first = inner.lstrip()[:1]
        if first not in ("", "{", "["):
            return len(line) + 1
        size = inner.find(_FENCE)
        if not first or size < 0:
            return len(self._held) if len(self._held) > _MAX_HELD else 0
        value: object = load(inner[:size])
        self._kept = bool(of_json(value, self._offers)) or (not self._has_text and bool(misnamed(value, self._offers)))
        return 0 if self._kept else len(line) + 1 + size + len(_FENCE)

    def _next(self) -> re.Match[str] | None:
        """The first mark of the held text that means something where it stands."""
        for match in _ANY.finditer(self._held):
            mark = match.group()
            before = self._held[: match.start()].rstrip(" \t")[-1:] or self._last
            if mark == _FENCE:
                if self._offers and before == "\n":
                    return match
            elif mark in _CALLS:
                if self._offers and before != "`":
                    return match
            elif mark in _CLOSERS:
                if before == "\n" or (before != "`" and self._held[match.end() :].startswith("\n")):
                    return match
            elif before == "\n" or "|" in mark:
                return match
        return None

    def _text(self, size: int) -> Iterator[Chunk]:
        text, self._held = self._held[:size], self._held[size:]
        # Reasoning and answer stand apart.
        text = text.lstrip("\n") if self._trims else text
        if not text:
            return
        self._trims = False
        if text.strip(" \t"):
            self._last = text.rstrip(" \t")[-1:]
        self._has_text |= bool(text.strip())
        yield Text(text)

    def _thought(self, size: int) -> Iterator[Chunk]:
        text, self._held = self._held[:size], self._held[size:]
        if text:
            self._thoughts.append(text)
            yield Thinking(text)

    def _rest(self, finish: FinishReason, *, has_calls: bool, found: list[Chunk]) -> list[Written]:
        """Returns the calls of what is held at the end; adds to `found` what else it says."""
        if self._end:
            found += self._thought(len(self._held))
            if not self._has_text and not has_calls and finish is FinishReason.STOP:
                # The whole answer came as reasoning.
                found.append(Text("".join(self._thoughts)))
                self._has_text = True
            return []
        if not self._offers:
            found += self._text(len(self._held))
            return []
        calls = of_json(load(self._held.strip()), self._offers)
        rest = ""
        if not calls and not self._has_text:
            calls = cut(self._held, self._offers)
        if not calls and not self._has_text and is_one_block(self._held):
            calls = misnamed(json_of(self._held), self._offers)
        if not calls:
            calls, rest = of_text(self._held, self._offers, self._last)
        if begins(rest) and (calls or not self._has_text):
            calls, rest = calls or [Written("", written=rest[:60])], ""
        usable = [call for call in calls if call.name]
        if calls and not usable and finish is FinishReason.LENGTH:
            Ending("length", has_text=True, arguments=(self._held,)).finish_reason()
        self._held = rest
        if calls and not usable and not rest.strip() and not self._has_text and not has_calls:
            raise ProviderError(ErrorCode.PROVIDER_ERROR, _only(calls[0]), retryable=True)
        if rest.strip():
            found += self._text(len(rest))
        return usable


def opened_in_reasoning() -> ProviderError:
    """The failure of an answer that began inside its reasoning: the next attempt knows it."""
    return partial_stream("the server sent the end of the model's reasoning without its beginning")


def _open(text: str, marks: tuple[str, ...]) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    tail = text[-_LONGEST:]
    for size in range(len(tail), 0, -1):
        if tail[-size] in _FIRST and any(mark.startswith(tail[-size:]) for mark in marks):
            return size
    return 0


def _same(arguments: str) -> str:
    value: object = load(arguments)
    fields = as_object(value)
    return repr(sorted(fields.items())) if fields else arguments.strip()


def _only(call: Written) -> str:
    words = re.sub(r"\s+", " ", call.written)
    return f"the model wrote a tool call as text that fits no tool ({words!r}): {_CURE}"
