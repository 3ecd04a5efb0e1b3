"""What a provider reports about its answer, collected along the stream."""

from collections.abc import Mapping
from typing import Any

from llm_service.chunks import Chunk, Info
from llm_service.json_shapes import as_object


class Facts:
    """The texts by which an answer is identified."""

    def __init__(self, details: tuple[str, ...]) -> None:
        """`details` are the names of those that have no field of their own."""
        self._details = details
        self._values: dict[str, str] = {}
        self._announced = False

    def note(self, fields: Mapping[str, Any], *names: str) -> None:
        """Keeps the last text of each name that is not empty."""
        for name in names:
            value: object = fields.get(name)
            if isinstance(value, str) and value.strip():
                self._values[name] = value.strip()

    def reason(self, value: object) -> None:
        """Keeps why the answer ended, in the provider's word; some servers put it into an object."""
        if fields := as_object(value):
            value = next((fields[name] for name in ("type", "reason", "finish_reason") if name in fields), None)
        self.note({"finish_reason": value}, "finish_reason")

    @property
    def finish_reason(self) -> str:
        """The provider's word; empty until it gave one."""
        return self._values.get("finish_reason", "")

    def info(self) -> Info | None:
        """Returns what was reported so far."""
        info = Info(
            response_id=self._values.get("id", ""),
            model_version=self._values.get("model", ""),
            finish_reason=self.finish_reason,
            details=tuple((name, self._values[name]) for name in self._details if name in self._values),
        )
        return None if info == Info() else info

    def announced(self, found: list[Chunk]) -> list[Chunk]:
        """Adds what is known so far to the first chunks: an attempt that the caller cuts off has no end."""
        if found and not self._announced and (info := self.info()):
            self._announced = True
            return [*found, info]
        return found
