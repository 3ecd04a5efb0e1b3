"""Reads the events of the Responses API."""

from collections.abc import Mapping
from typing import Any

from llm_service.chunks import Call, Chunk, Finish, Info, ProviderState, Text, Thinking, Usage
from llm_service.errors import ProviderError, partial_stream, stopped_early
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_list, as_object, count
from llm_service.providers import states
from llm_service.providers.endings import Ending
from llm_service.providers.facts import Facts
from llm_service.providers.fragments import Complete, Fragments
from llm_service.providers.refusals import broken_off
from llm_service.providers.sse import DONE
from llm_service.providers.tool_names import ToolNames

# An answer with more items is a loop.
_MAX_ITEMS = 4096
_TEXT = frozenset({"response.output_text.delta"})
_THOUGHT = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


class ResponsesReader:
    """Turns one stream into chunks."""

    def __init__(self, names: ToolNames, family: str, secret: str = "") -> None:
        """`family` is the vendor whose provider state this will be."""
        self._names = names
        self._family = family
        self._secret = secret
        self._facts = Facts(("service_tier",))
        self._items: dict[str, dict[str, Any]] = {}
        self._parts: dict[str, list[str]] = {}
        self._places: dict[str, str] = {}
        self._usage: dict[str, Any] = {}
        self._has_text = self._refused = self._ended = False

    def read(self, event: dict[str, Any]) -> list[Chunk]:
        """Returns the chunks of one event."""
        if event is DONE:
            self._ended = True
            return []
        if (error := self._failure(event)) is not None:
            raise error
        return self._facts.announced(self._event(event))

    def end(self) -> list[Chunk]:
        """Returns calls, state, usage and finish reason; raises `ProviderError` if the stream is no usable answer."""
        fragments = self._calls()
        calls = fragments.calls()
        reason = self._facts.finish_reason
        if not reason and self._ended and (self._has_text or calls):
            reason = "completed"
        finish = Ending(reason, self._has_text, fragments.written()).finish_reason()
        if self._refused and not calls:
            finish = FinishReason.CONTENT_FILTER
            if not self._has_text:
                raise stopped_early("refusal", finish_reason=finish)
        found: list[Chunk] = [Call(call.id, self._names.from_api(call.name), call.arguments) for call in calls]
        if any(item.get("type") == "reasoning" for item in self._items.values()):
            found.append(ProviderState(states.packed(self._family, self._content(calls))))
        found += [one for one in (self.info(), self.usage()) if one is not None]
        return [*found, Finish(finish)]

    def info(self) -> Info | None:
        """Returns what the server has reported about its answer so far."""
        return self._facts.info()

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn, as they were reported last."""
        prompt, output = count(self._usage, "input_tokens"), count(self._usage, "output_tokens")
        if not prompt and not output:
            return None
        return Usage(
            input=prompt,
            output=output,
            total=count(self._usage, "total_tokens") or prompt + output,
            thinking=count(as_object(self._usage.get("output_tokens_details")), "reasoning_tokens"),
            cached=count(as_object(self._usage.get("input_tokens_details")), "cached_tokens"),
        )

    def _failure(self, event: Mapping[str, Any]) -> ProviderError | None:
        response = as_object(event.get("response"))
        if event.get("type") in ("response.failed", "response.cancelled") or response.get("status") == "failed":
            self._note(response)
            reported = response.get("error") or {"message": "the response failed"}
            return broken_off({"error": reported}, self._secret) or partial_stream("the response failed")
        return broken_off(event, self._secret)

    def _event(self, event: dict[str, Any]) -> list[Chunk]:
        kind: object = event.get("type")
        kind = kind if isinstance(kind, str) else ""
        if kind in _TEXT or kind in _THOUGHT:
            return self._delta(event, kind)
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                return self._item(event, as_object(event.get("item")), is_done=kind.endswith("done"))
            case "response.function_call_arguments.delta":
                self._grow(event, "arguments")
            case "response.reasoning_summary_part.added":
                # Each part has a heading of its own.
                is_first = not event.get("summary_index")
                return [] if is_first else [Thinking("\n\n")]
            case "response.refusal.delta" | "response.refusal.done":
                self._refused = True
            case "" if event.get("object") == "response":
                # A server that does not stream sends the whole response.
                return self._end(event)
            case _ if kind in _ENDS:
                return self._end(as_object(event.get("response")))
            case _:
                self._note(as_object(event.get("response")))
        return []

    def _note(self, response: dict[str, Any]) -> None:
        self._facts.note(response, "id", "model", "service_tier")
        self._usage = as_object(response.get("usage")) or self._usage

    def _end(self, response: dict[str, Any]) -> list[Chunk]:
        self._note(response)
        # The status "incomplete" has its reason in another field.
        reason = as_object(response.get("incomplete_details")).get("reason")
        self._facts.reason(reason or response.get("status") or "completed")
        found: list[Chunk] = []
        for index, item in enumerate(as_list(response.get("output"))):
            found += self._item({"output_index": index}, as_object(item), is_done=True)
        return found

    def _key(self, event: Mapping[str, Any], item: Mapping[str, Any]) -> str:
        """Names the item of an event; some servers number it anew in its last event, others give it no id."""
        identifier, index = item.get("id") or event.get("item_id"), event.get("output_index")
        by_index = f"#{index}" if isinstance(index, int) else ""
        if isinstance(identifier, str) and identifier:
            if identifier not in self._places:
                taken = by_index in self._items and not self._items[by_index].get("id")
                self._places[identifier] = by_index if taken or not self._is_used(by_index) else identifier
            return self._places[identifier]
        return by_index or next(reversed(self._items), "#0")

    def _is_used(self, by_index: str) -> bool:
        return not by_index or by_index in self._items or by_index in self._places.values()

    def _item(self, event: Mapping[str, Any], item: dict[str, Any], *, is_done: bool) -> list[Chunk]:
        key = self._key(event, item)
        if not item or (key not in self._items and len(self._items) >= _MAX_ITEMS):
            return []
        known = self._items.get(key, {})
        self._items[key] = {**known, **{name: value for name, value in item.items() if value not in (None, [], "")}}
        if not is_done or self._parts.get(f"{key} text"):
            return []
        found: list[Chunk] = []
        for part in as_list(item.get("content")) if item.get("type") == "message" else []:
            fields = as_object(part)
            self._refused |= fields.get("type") == "refusal"
            text: object = fields.get("text")
            if isinstance(text, str) and text:
                found += self._message_text(key, text)
        return found

    def _delta(self, event: dict[str, Any], kind: str) -> list[Chunk]:
        delta: object = event.get("delta")
        if not isinstance(delta, str) or not delta:
            return []
        if kind in _THOUGHT:
            return [Thinking(delta)]
        return self._message_text(self._key(event, {}), delta)

    def _message_text(self, key: str, text: str) -> list[Chunk]:
        self._parts.setdefault(f"{key} text", []).append(text)
        if key not in self._items:
            self._items[key] = {"type": "message"}
        self._has_text |= bool(text.strip())
        return [Text(text)]

    def _grow(self, event: Mapping[str, Any], name: str) -> None:
        delta: object = event.get("delta")
        if isinstance(delta, str):
            self._parts.setdefault(f"{self._key(event, {})} {name}", []).append(delta)

    def _calls(self) -> Fragments:
        fragments = Fragments(self._names.offered())
        for key, item in self._items.items():
            if item.get("type") == "function_call":
                streamed = "".join(self._parts.get(f"{key} arguments", []))
                written = item.get("arguments") or streamed
                fragments.add({"index": key, "id": item.get("call_id"), "name": item.get("name"), "arguments": written})
        return fragments

    def _content(self, calls: list[Complete]) -> list[dict[str, Any]]:
        """The items of the answer, for the next turn."""
        left = list(calls)
        found: list[dict[str, Any]] = []
        for key, item in self._items.items():
            match item.get("type"):
                case "message":
                    phase = {"phase": item["phase"]} if item.get("phase") else {}
                    text = "".join(self._parts.get(f"{key} text", []))
                    found += [{"type": "text", "text": text, **phase}] if text else []
                case "function_call":
                    identifier = {"id": item["id"]} if item.get("id") else {}
                    found += [{**_called(left.pop(0)), **identifier}] if left else []
                case "reasoning":
                    found.append({"summary": [], **item})
                case _:
                    pass
        return [*found, *(_called(call) for call in left)]


def _called(call: Complete) -> dict[str, Any]:
    return {"type": "function_call", "name": call.name, "arguments": call.arguments, "call_id": call.id}
