"""Separates what a model says from mark-up in its text: reasoning in tags, and tool calls."""

import html
import re
from collections.abc import Iterator
from json import JSONDecoder

from llm_service import nearly_json
from llm_service.chunks import Call, Chunk, Finish, Text, Thinking
from llm_service.errors import ErrorCode, ProviderError, partial_stream
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_object, load
from llm_service.providers import bare_calls, marks, thoughts, turn_tokens
from llm_service.providers.endings import Ending
from llm_service.providers.fragments import literal, new_id
from llm_service.providers.loose_calls import loose_calls
from llm_service.providers.text_calls import (
    Offers,
    Written,
    begins,
    broken_at,
    cut,
    is_one_block,
    json_of,
    misnamed,
    of_json,
    of_text,
)
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Tool

_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)(?:```)?", re.DOTALL)
_EMPTY_FENCE = re.compile(r"```[\w-]*\s*```")
# Calls without a mark, at the beginning of an answer.
_OBJECT = re.compile(r"\[?\s*\{")
_MAY_BE_OBJECT = re.compile(r"\[\s*")
# An answer that is one line of code.
_CODE = re.compile(r"\s*`([^`\n]+)`\s*")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
# Quotation marks of other scripts around the names of a call.
_CURLY = re.compile(r"[\u201c\u201d\u201e\u300c]\s*(?:name|tool|function|arguments|parameters)")
_STRAIGHT = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u300c\u300d", '"') | dict.fromkeys("\u2018\u2019", "'")
)
# A longer first line opens no call.
_LONGEST_LINE = 40
# Of a text that may be a call.
_MAX_HELD = 1024 * 1024
# Pieces of reasoning that are kept for the case that nothing follows.
_MAX_REPORTED = 20_000
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
        self._has_text = self._trims = self._twice = False
        self._thoughts: list[str] = []
        self._reported: list[str] = []
        self._wrapper = ""
        self._is_object = False

    def feed(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields what one chunk says."""
        if not isinstance(chunk, Text):
            if isinstance(chunk, Thinking) and len(self._reported) < _MAX_REPORTED:
                self._reported.append(chunk.content)
            yield chunk
            return
        is_plain = self._has_text and not self._held and not self._end and not marks.TRIGGER.search(chunk.content)
        if is_plain and not self._may_be_bare(chunk.content):
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
        found: list[Chunk] = []
        for chunk in chunks:
            # What the reader takes for the answer, such as reasoning that nothing follows.
            if isinstance(chunk, Text) and not self._has_text and not self._held:
                found += self.feed(chunk)
        for call in self._rest(finish, has_calls=has_calls, found=found):
            name = self._names.from_api(call.name)
            if (name, _same(call.arguments)) not in known:
                found.append(Call(new_id(), name, call.arguments))
                known.add((name, _same(call.arguments)))
                has_calls = True
        yield from found
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
            if not self._has_text and (waits := self._begins()) is not None:
                if waits:
                    return
                continue
            match = self._next()
            if match is None:
                yield from self._text(len(self._held) - self._open())
                return
            yield from self._text(match.start())
            mark = match.group()
            if self._may_be_longer():
                return
            if mark == marks.FENCE or marks.is_object(mark):
                if not (size := self._fence() if mark == marks.FENCE else self._object()):
                    return
                yield from self._text(size)
            elif self._is_call(mark):
                self._kept = True
                return
            else:
                if mark in thoughts.CLOSERS and self._has_text and not self._was_implied:
                    raise OpensInReasoningError
                self._end, self._held = thoughts.end_of(mark), self._held[len(mark) :]

    def _begins(self) -> bool | None:
        """Whether the beginning of an answer must wait for more; `None` if it is like any other text.

        The head of a turn, and a sentence about reasoning that has begun, are taken off.
        """
        if (size := turn_tokens.head(self._held)) is None:
            return True
        if size:
            self._held = self._held[size:]
            return False
        if self._offers and self._may_be_json():
            return True
        sentence = thoughts.sentence(self._held)
        if sentence:
            self._end, self._held = thoughts.end_of(sentence), self._held.lstrip()[len(sentence) :]
            return False
        return True if sentence is None else None

    def _reasoned(self) -> Iterator[Chunk]:
        """Yields reasoning, as far as it is certain."""
        if not self._thoughts and (opening := thoughts.opening_of(self._end)):
            begun = self._held.lstrip()
            if opening.startswith(begun) and opening != begun:
                return
            if begun.startswith(opening):
                self._held, self._twice = begun.removeprefix(opening), not self._was_implied
        ends = (*thoughts.ends_of(self._end), *(marks.IN_REASONING if self._offers else ()))
        end = re.search("|".join(re.escape(one) for one in ends), self._held)
        if end is None:
            yield from self._thought(len(self._held) - marks.open_size(self._held, ends))
            return
        yield from self._thought(end.start())
        if self._twice:
            size = len(end.group())
            again = re.search(end.re, self._held[size:])
            if again is None:
                # The answer, or more reasoning: whatever ends it tells.
                return
            self._held, self._twice = self._held[size:], False
            yield from self._reasoned()
            return
        kept = end.group() if end.group() in marks.IN_REASONING else thoughts.kept_of(end.group())
        self._held = kept + self._held[len(end.group()) :]
        self._end, self._last, self._trims = "", "\n", True
        self._thoughts.clear()

    def _may_be_json(self) -> bool:
        """Whether the answer has begun as a call in JSON; it is held until its end."""
        begun = self._held.lstrip()
        if any(mark.startswith(begun) for mark in ("[TOOL_CALLS]", "[THINK]")):
            return True
        self._kept = bool(_OBJECT.match(begun)) or bare_calls.begins(begun, self._offers)
        return self._kept or bool(_MAY_BE_OBJECT.fullmatch(begun)) or bare_calls.may_begin(begun, self._offers)

    def _fence(self) -> int:
        """How much of a fence is text; 0 while it may be a call."""
        line, newline, inner = self._held.partition("\n")
        if not newline:
            return len(line) if len(line) > _LONGEST_LINE else 0
        first = inner.lstrip()[:1]
        if first == "<" and (mark := marks.ANY.match(inner.lstrip())) and self._is_call(mark.group()):
            self._kept = True
        if self._kept or marks.OPEN.fullmatch(inner.lstrip()):
            return 0
        if first not in ("", "{", "["):
            may_call = "tool" in line or not self._has_text
            begun = bare_calls.begins_in_fence(inner.lstrip(), self._offers) if may_call else False
            self._kept = bool(begun)
            return len(line) + 1 if begun is False else 0
        size = inner.find(marks.FENCE)
        if not first or size < 0:
            return len(self._held) if len(self._held) > _MAX_HELD else 0
        value: object = json_of(inner[:size])
        self._kept = bool(of_json(value, self._offers)) or (not self._has_text and bool(misnamed(value, self._offers)))
        return 0 if self._kept else len(line) + 1 + size + len(marks.FENCE)

    def _object(self) -> int:
        """How much of JSON behind a text is text; 0 while it may be a call."""
        try:
            value, end = JSONDecoder().raw_decode(self._held.lstrip())
        except (ValueError, RecursionError):
            return len(self._held) if len(self._held) > _MAX_HELD else 0
        self._kept = self._is_object = bool(of_json(value, self._offers))
        return 0 if self._kept else end + len(self._held) - len(self._held.lstrip())

    def _open(self) -> int:
        """How many characters at the end of the held text may be the beginning of something else."""
        held = self._held
        signs = max(marks.open_size(held, marks.ALL), marks.opened(held, self._last))
        return max(signs, self._may_be_bare(held), turn_tokens.tail(held))

    def _may_be_longer(self) -> bool:
        """Whether the mark that is held may become a longer one."""
        return any(one.startswith(self._held) and one != self._held for one in marks.ALL)

    def _next(self) -> re.Match[str] | None:
        """The first mark of the held text that means something where it stands."""
        led = bare_calls.led(self._held, self._last, self._offers) if self._offers else None
        return min((one for one in (led, self._marked()) if one), key=re.Match[str].start, default=None)

    def _marked(self) -> re.Match[str] | None:
        for match in marks.ANY.finditer(self._held):
            mark = match.group()
            before = self._held[: match.start()].rstrip(" \t")[-1:] or self._last
            if mark == marks.FENCE or marks.is_object(mark):
                if self._offers and before == "\n":
                    # The words on the line before it may belong to a call.
                    waits = mark == marks.FENCE and self._may_be_bare(self._held) > len(self._held) - match.start()
                    return None if waits else match
            elif self._is_call(mark):
                is_sure = mark in marks.CALLS or mark[1:2] in ("|", "｜") or mark[0] == "]"
                if self._offers and before != "`" and (is_sure or before == "\n"):
                    return match
            elif mark in marks.ANSWER_ENDS:
                if mark == self._wrapper:
                    return match
            elif mark in thoughts.CLOSERS:
                if before == "\n" or (before != "`" and self._held[match.end() :].startswith("\n")):
                    return match
            elif (before == "\n" or "|" in mark) and (marks.is_nothing(mark) or thoughts.end_of(mark)):
                return match
        return None

    def _is_call(self, mark: str) -> bool:
        """Whether a mark may begin a call."""
        if mark in marks.CALLS or mark in marks.BARE or marks.SPACE.fullmatch(mark) or bare_calls.is_lead(mark):
            return True
        if mark in marks.ALL or thoughts.end_of(mark) or marks.is_nothing(mark):
            return False
        return marks.is_call_tag(mark) or bool(self._offers.find(mark.strip("<>[(")))

    def _may_be_bare(self, text: str) -> int:
        """How many characters of a text, its last line, may be the beginning of calls without such a sign."""
        line, behind = bare_calls.last_line(text, self._last) if self._offers else ("", 0)
        if not line:
            return 0
        is_bare = any(mark.startswith(line) or line.startswith(mark) for mark in marks.BARE)
        return len(line) + behind if is_bare or bare_calls.may_lead(line, self._offers) else 0

    def _text(self, size: int) -> Iterator[Chunk]:
        text, self._held = self._held[:size], self._held[size:]
        # Reasoning and answer stand apart.
        text = text.lstrip("\n") if self._trims else text
        if not text:
            return
        if self._trims and (wrapper := marks.ANSWER.match(text)):
            self._wrapper = f"</{wrapper[1]}>"
            text = text[wrapper.end() :].replace(self._wrapper, "", 1)
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
        self._held = self._held.replace(self._wrapper, "", 1) if self._wrapper else self._held
        if not self._has_text and not self._end:
            self._held = self._held[turn_tokens.head(self._held, is_all=True) :]
        if self._is_thought():
            found += self._thought(len(self._held))
            whole = "".join(self._thoughts)
            if self._has_text or has_calls or finish is not FinishReason.STOP:
                return []
            if calls := self._thought_of(whole):
                return calls
            # The whole answer came as reasoning.
            found.append(Text(whole))
            self._has_text = True
            return []
        if not self._offers:
            found += self._text(len(turn_tokens.without_end(self._held)))
            return []
        if not self._held.strip() and not self._has_text and not has_calls:
            return self._thought_of("".join(self._reported))
        calls, rest = self._calls(marks.SPACE.sub("", self._held))
        fenced = _FENCED.fullmatch(rest.strip())
        if begins(fenced[1] if fenced else rest) and (calls or not self._has_text):
            calls, rest = calls or [Written("", written=rest[:60])], ""
        if (at := broken_at(rest)) >= 0:
            calls, rest = calls or [Written("", written=rest[at : at + 60])], rest[:at].strip("<>|\n ")
        usable = [call for call in calls if call.name]
        rest = turn_tokens.without_end(_EMPTY_FENCE.sub("", rest) if usable else rest)
        if calls and not usable and finish is FinishReason.LENGTH:
            Ending("length", has_text=True, arguments=(self._held,)).finish_reason()
        if self._is_object and rest.strip():
            # A text about a call.
            usable, rest = [], self._held
        self._held = rest
        if calls and not usable and not rest.strip() and not self._has_text and not has_calls:
            raise ProviderError(ErrorCode.PROVIDER_ERROR, _only(calls[0]), retryable=True)
        if rest.strip():
            found += self._text(len(rest))
        return usable

    def _is_thought(self) -> bool:
        """Whether what is held at the end is reasoning; an end that waits for another one of its kind is the end."""
        if self._twice and self._thoughts and (size := thoughts.ends_with(self._held, self._end)):
            self._held, self._end, self._trims = self._held[size:], "", True
        return bool(self._end)

    def _calls(self, held: str) -> tuple[list[Written], str]:
        """Returns the calls of what is held at the end, and what else it says."""
        held = html.unescape(held) if held.lstrip().startswith("&lt;") else held
        held = _CDATA.sub(r"\1", held)
        held = code[1] if (code := _CODE.fullmatch(held)) else held
        held = held.translate(_STRAIGHT) if _CURLY.search(held) else held
        whole: object = load(held.strip())
        whole = literal(held.strip()) if whole is None else whole
        calls = of_json(nearly_json.value(held) if whole is None else whole, self._offers)
        rest = ""
        if not calls and not self._has_text:
            calls = cut(held, self._offers)
        if not calls and not self._has_text and is_one_block(held):
            calls = misnamed(json_of(held), self._offers)
        if not calls:
            calls, rest = of_text(held, self._offers, self._last)
        if not any(call.name for call in calls) and (loose := loose_calls(held, self._offers))[0]:
            calls, rest = (calls, rest) if bare_calls.goes_on(held, loose[1]) else loose
        return calls, rest

    def _thought_of(self, text: str) -> list[Written]:
        """Returns the calls inside of reasoning that nothing follows."""
        return [call for call in of_text(text, self._offers)[0] if call.name] if self._offers else []


def opened_in_reasoning() -> ProviderError:
    """The failure of an answer that began inside its reasoning: the next attempt knows it."""
    return partial_stream("the server sent the end of the model's reasoning without its beginning")


def _same(arguments: str) -> str:
    value: object = load(arguments)
    fields = as_object(value)
    return repr(sorted(fields.items())) if fields else arguments.strip()


def _only(call: Written) -> str:
    words = re.sub(r"\s+", " ", call.written)
    return f"the model wrote a tool call as text that fits no tool ({words!r}): {_CURE}"
