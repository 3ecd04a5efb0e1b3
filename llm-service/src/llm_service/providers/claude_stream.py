"""Reads the events of the Messages form."""

from typing import Any

from llm_service.chunks import Call, Chunk, Finish, Info, ProviderState, Text, Thinking, Usage
from llm_service.errors import partial_stream
from llm_service.json_shapes import as_list, as_object, count, load_object
from llm_service.providers import states
from llm_service.providers.endings import Ending
from llm_service.providers.facts import Facts
from llm_service.providers.fragments import Complete, Fragments
from llm_service.providers.refusals import broken_off
from llm_service.providers.sse import DONE
from llm_service.providers.tool_names import ToolNames

_CALLS = frozenset({"tool_use"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
# A turn with more parts is a loop.
_MAX_BLOCKS = 4096


class ClaudeReader:
    """Turns one stream into chunks."""

    def __init__(self, names: ToolNames, family: str, secret: str = "") -> None:
        """`family` is the vendor whose provider state this will be."""
        self._names = names
        self._family = family
        self._secret = secret
        self._facts = Facts(("service_tier", "stop_sequence"))
        self._blocks: dict[object, dict[str, Any]] = {}
        self._inputs: dict[object, object] = {}
        self._calls = Fragments(names.offered())
        self._tokens: dict[str, int] = {}
        self._has_text = self._ended = False

    def read(self, event: dict[str, Any]) -> list[Chunk]:
        """Returns the chunks of one event."""
        if event is DONE:
            self._ended = True
            return []
        if (error := broken_off(event, self._secret)) is not None:
            raise error
        return self._facts.announced(self._event(event))

    def end(self) -> list[Chunk]:
        """Returns calls, state, usage and finish reason; raises `ProviderError` if the stream is no usable answer."""
        for index, given in self._inputs.items():
            self._calls.add({"index": index, "arguments": given})
        calls = self._calls.calls()
        reason = self._facts.finish_reason
        if not reason and self._ended and (self._has_text or calls):
            reason = "tool_use" if calls else "end_turn"
        if not reason:
            raise partial_stream("the stream ended without a finish reason")
        finish = Ending(reason, self._has_text, self._calls.written()).finish_reason()
        found: list[Chunk] = [Call(call.id, self._names.from_api(call.name), call.arguments) for call in calls]
        if any(block.get("type") in _THOUGHTS for block in self._blocks.values()):
            found.append(ProviderState(states.packed(self._family, self._content(calls))))
        found += [one for one in (self.info(), self.usage()) if one is not None]
        return [*found, Finish(finish)]

    def info(self) -> Info | None:
        """Returns what the server has reported about its answer so far."""
        return self._facts.info()

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn: each count is a running total, of which the last one stands."""
        tokens = self._tokens
        cached = tokens.get("cache_read_input_tokens", 0)
        prompt = tokens.get("input_tokens", 0) + cached + tokens.get("cache_creation_input_tokens", 0)
        output = tokens.get("output_tokens", 0)
        if not prompt and not output:
            return None
        thinking = min(tokens.get("thinking_tokens", 0), output)
        return Usage(input=prompt, output=output, total=prompt + output, thinking=thinking, cached=cached)

    def _event(self, event: dict[str, Any]) -> list[Chunk]:
        index: object = event.get("index")
        index = index if isinstance(index, int | str) else next(reversed(self._blocks), 0)
        match event.get("type"):
            case "content_block_delta":
                return self._delta(index, as_object(event.get("delta")))
            case "content_block_start":
                return self._start(index, as_object(event.get("content_block")))
            case "message_start":
                self._message(as_object(event.get("message")), is_whole=False)
            case "message_delta":
                self._stop(as_object(event.get("delta")))
                self._report(as_object(event.get("usage")), with_output=True)
            case "message_stop":
                self._ended = True
            case "message":
                # A server that does not stream sends the whole message.
                self._message(event, is_whole=True)
                parts = [as_object(part) for part in as_list(event.get("content"))]
                return [chunk for number, part in enumerate(parts) for chunk in self._start(number, part)]
            case _:
                pass
        return []

    def _message(self, message: dict[str, Any], *, is_whole: bool) -> None:
        self._facts.note(message, "id", "model")
        self._stop(message)
        # The output of the first event is an estimate.
        self._report(as_object(message.get("usage")), with_output=is_whole)

    def _stop(self, fields: dict[str, Any]) -> None:
        self._facts.reason(fields.get("stop_reason"))
        self._facts.note(fields, "stop_sequence")

    def _report(self, usage: dict[str, Any], *, with_output: bool) -> None:
        names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
        for name in [*names, "output_tokens"] if with_output else names:
            self._tokens[name] = count(usage, name) or self._tokens.get(name, 0)
        details = as_object(usage.get("output_tokens_details"))
        self._tokens["thinking_tokens"] = count(details, "thinking_tokens") or self._tokens.get("thinking_tokens", 0)
        self._facts.note(usage, "service_tier")

    def _start(self, index: object, block: dict[str, Any]) -> list[Chunk]:
        if len(self._blocks) >= _MAX_BLOCKS:
            return []
        kind = _word(block.get("type"))
        if index in self._blocks and kind in _CALLS and self._blocks[index].get("id") != block.get("id"):
            # Some servers give every block the number 0.
            index = f"{index}/{len(self._blocks)}"
        self._blocks[index] = {**block, "type": kind}
        if kind in _CALLS:
            self._calls.add({"index": index, "id": block.get("id"), "name": block.get("name")})
            given: object = block.get("input")
            if given:
                self._inputs[index] = given
            return []
        return self._grow(index, kind, block.get(kind))

    def _delta(self, index: object, delta: dict[str, Any]) -> list[Chunk]:
        match delta.get("type"):
            case "text_delta":
                return self._grow(index, "text", delta.get("text"))
            case "thinking_delta":
                return self._grow(index, "thinking", delta.get("thinking"))
            case "signature_delta":
                block = self._blocks.setdefault(index, {"type": "thinking", "thinking": ""})
                signature: object = delta.get("signature")
                if isinstance(signature, str):
                    block["signature"] = f"{_word(block.get('signature'))}{signature}"
            case "input_json_delta":
                if delta.get("partial_json"):
                    self._inputs.pop(self._latest(index), None)
                    self._calls.add({"index": self._latest(index), "arguments": delta["partial_json"]})
            case _:
                pass
        return []

    def _latest(self, index: object) -> object:
        """The call that a number stands for, where several have the same."""
        same = [one for one in self._blocks if isinstance(one, str) and one.startswith(f"{index}/")]
        return same[-1] if same else index

    def _grow(self, index: object, kind: str, value: object) -> list[Chunk]:
        if not isinstance(value, str) or not value or kind not in ("text", "thinking"):
            return []
        block = self._blocks.setdefault(index, {"type": kind})
        parts: list[str] = block.setdefault(f"{kind} parts", [])
        parts.append(value)
        if kind == "thinking":
            return [Thinking(value)]
        self._has_text |= bool(value.strip())
        return [Text(value)]

    def _content(self, calls: list[Complete]) -> list[dict[str, Any]]:
        """The blocks of the answer, for the next turn."""
        left = list(calls)
        found: list[dict[str, Any]] = []
        for block in self._blocks.values():
            kind = block.get("type")
            if kind in _CALLS:
                found += [_used(left.pop(0))] if left else []
            elif kind in ("text", "thinking"):
                text = "".join(block.get(f"{kind} parts", []))
                signature = {"signature": _word(block.get("signature"))} if kind == "thinking" else {}
                found.append({"type": kind, kind: text, **signature})
            elif kind:
                found.append(block)
        return [*found, *(_used(call) for call in left)]


def _used(call: Complete) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": load_object(call.arguments)}


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
