"""Remembers which options a model refuses, so that it is asked without them at once."""

from time import monotonic

from llm_service.logs import logger

_SECONDS = 3600.0
_MAX_MODELS = 256

# What a request may do without, by the words with which servers refuse it.
OPTIONS: dict[str, tuple[str, ...]] = {
    "stream_options": ("stream_options", "include_usage"),
    "max_completion_tokens": ("max_completion_tokens",),
    "return_progress": ("return_progress",),
    "reasoning_summary": ("reasoning.summary", "reasoning summary", "reasoning summaries"),
    "encrypted_content": ("encrypted_content",),
    "answer_schema": ("response_format", "json_schema", "output_config", "text.format", "output_format", "grammar"),
    "answer_tool": ("tool_choice", "forced"),
    "cache_control": ("cache_control",),
    "anthropic_version": ("anthropic-version", "anthropic_version"),
}
# An account may lack the right to them, a server the whole protocol: any refusal may be about one of them.
_DOUBTFUL = ("answer_schema", "answer_tool", "answer_object", "thinking")


class Accepted:
    """The refused options of each model, for an hour."""

    def __init__(self) -> None:
        """Starts without a refusal."""
        self._until: dict[tuple[str, str, str], dict[str, float]] = {}

    def refused(self, model: tuple[str, str, str]) -> frozenset[str]:
        """Returns the options that this model does not take."""
        now = monotonic()
        return frozenset(name for name, until in self._until.get(model, {}).items() if until > now)

    def refuse(self, model: tuple[str, str, str], options: frozenset[str]) -> None:
        """Notes options without which the model answered."""
        for name in options - self.refused(model):
            self.note(model, name)
            logger().warning("a model is asked without an option that it refused", model=model[1], option=name)

    def note(self, model: tuple[str, str, str], name: str) -> None:
        """Notes something of a model under a name that `refused` returns from now on."""
        if model not in self._until and len(self._until) >= _MAX_MODELS:
            self._until.pop(next(iter(self._until)))
        self._until.setdefault(model, {})[name] = monotonic() + _SECONDS


def to_leave_out(message: str, sent: frozenset[str]) -> str:
    """Returns the option that a refusal is about: one that it names, else one that is seldom taken, or nothing."""
    text = message.lower()
    for name, words in OPTIONS.items():
        if name in sent and any(word in text for word in words):
            return name
    return next((name for name in _DOUBTFUL if name in sent), "")
