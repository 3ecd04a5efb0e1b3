"""What servers report while they read a prompt: a sign of life before the first token."""

from collections.abc import Mapping
from typing import Any

from llm_service.chunks import Info
from llm_service.json_shapes import as_object, count

_TYPE = "prompt_processing.progress"
# The reports that a caller gets of one prompt are at most as many.
_STEPS = 100


class Progress:
    """The reports of one stream."""

    def __init__(self) -> None:
        """Starts before the first report."""
        self._step = 0

    def read(self, event: Mapping[str, Any]) -> Info | None:
        """Returns a report if the server got on since the last one; a report that says the same is no sign of life."""
        if "prompt_progress" in event:
            reported = as_object(event["prompt_progress"])
            total, done = count(reported, "total"), count(reported, "processed")
        elif event.get("type") == _TYPE:
            share: object = event.get("progress")
            total, done = _STEPS, round(share * _STEPS) if isinstance(share, float) and 0 <= share <= 1 else 0
        else:
            return None
        step = min(done * _STEPS // total, _STEPS) if total else 0
        if step <= self._step:
            return None
        self._step = step
        return Info(details=(("prompt_percent", str(step)),))
